"""Sources that nobody may or does pass on in a package: a user brings their files.

Their tables are computed here like ours. `cohort` is what the prepared files turn out to hold, so
it is empty here.
"""

from functools import partial
from typing import Any

from catalog.workflows import raw_readers
from catalog.workflows.sources.source import Provenance, Source


def _source(
    name: str,
    title: str,
    family: str,
    files: tuple[str, ...],
    read: partial[Any],
    words: tuple[str, str],
    n_factors: tuple[int, ...] = (4,),
) -> Source:
    question, input_summary = words
    return Source(
        name=name,
        title=title,
        family=family,
        files=files,
        read=read,
        n_factors=n_factors,
        provenance=Provenance.OURS,
        question=question,
        input_summary=input_summary,
        cohort={},
    )


TABLES = (
    _source(
        "banknote",
        "Banknote authentication",
        "classification",
        ("data_banknote_authentication.txt",),
        partial(raw_readers.uci_table, n_features=4),
        (
            "Which options let logistic regression tell forged from genuine banknotes best?",
            "Four statistics of wavelet-transformed pictures of banknotes.",
        ),
    ),
    _source(
        "airfoil",
        "Self-noise of airfoils",
        "regression",
        ("airfoil_self_noise.dat",),
        partial(raw_readers.uci_table, n_features=5),
        (
            "Which options make ridge regression predict the noise of airfoils more accurately?",
            "Five settings of a wind tunnel, sound pressure level in decibels.",
        ),
    ),
    _source(
        "energy_efficiency",
        "Heating load of buildings",
        "regression",
        ("ENB2012_data.xlsx",),
        partial(raw_readers.uci_table, n_features=8),
        (
            "Which options let ridge regression predict the heating load of buildings best?",
            "Eight properties of simulated buildings, heating load in kWh a square metre.",
        ),
    ),
    _source(
        "yacht",
        "Resistance of yachts",
        "regression",
        ("yacht_hydrodynamics.zip",),
        partial(raw_readers.uci_table, n_features=6, member=".data"),
        (
            "Which options make ridge regression predict the resistance of yachts more accurately?",
            "Six properties of hulls and their speed, residuary resistance per unit weight.",
        ),
    ),
    _source(
        "seeds",
        "Seeds: kernels of three varieties of wheat",
        "clustering",
        ("seeds.zip",),
        partial(raw_readers.uci_table, n_features=7, member=".txt"),
        (
            "Which options make k-means find the three varieties of wheat best?",
            "Seven measurements of kernels, three varieties.",
        ),
    ),
    _source(
        "dry_bean",
        "Dry beans of seven varieties",
        "clustering",
        ("Dry_Bean_Dataset.xlsx",),
        partial(raw_readers.uci_table, n_features=16),
        (
            "Which options make k-means find the seven varieties of beans best?",
            "Sixteen measurements of beans, seven varieties.",
        ),
    ),
)

COLLECTIONS = tuple(
    _source(
        name,
        title,
        "retrieval",
        tuple(f"{name}/{part}" for part in ("corpus.jsonl", "queries.jsonl", "test.tsv")),
        # The usual five relevant documents would leave no query: nearly all have one.
        partial(
            raw_readers.json_lines_collection, fewest_relevant=1, hides_query_text=hides_query_text
        ),
        (question, input_summary),
        n_factors,
    )
    for name, title, hides_query_text, question, input_summary, n_factors in (
        (
            "scifact",
            "SciFact: claims and the abstracts that decide them",
            False,
            "Which term weights rank the abstracts that decide a claim highest?",
            "Scientific abstracts, and claims as queries.",
            (4, 6),
        ),
        (
            "arguana",
            "ArguAna: arguments and their counterarguments",
            True,
            "Which term weights rank the counterargument of an argument highest?",
            "Arguments, each a query for its counterargument; none finds itself.",
            (4,),
        ),
    )
)

RECORDS = tuple(
    _source(
        f"mitdb_{record}",
        f"MIT-BIH Arrhythmia record {record}, five minutes",
        "beat_detection",
        (f"{record}.dat", f"{record}.hea", f"{record}.atr"),
        partial(raw_readers.wfdb_record, record=str(record)),
        (
            f"Which options find the heart beats of record {record} best?",
            "Five minutes of one lead at 360 Hz in mV; the reference beats are cardiologists'.",
        ),
        (6,),
    )
    for record in range(100, 104)
)

GRAPHS = tuple(
    _source(
        f"graph_{name}",
        title,
        "graph_link_prediction",
        (f"{name}.gml",),
        partial(raw_readers.gml_graph),
        (question, "A network of which a part of the edges is hidden."),
        (6,),
    )
    for name, title, question in (
        (
            "adjnoun",
            "Adjectives and nouns in David Copperfield",
            "Which similarities of words reveal hidden neighbours in a novel best?",
        ),
        (
            "dolphins",
            "Dolphins of Doubtful Sound",
            "Which similarities of dolphins reveal hidden companions best?",
        ),
        (
            "football",
            "American college football",
            "Which similarities of teams reveal hidden games of a season best?",
        ),
    )
)

IMPORTABLE: dict[str, Source] = {
    source.name: source for source in (*TABLES, *COLLECTIONS, *RECORDS, *GRAPHS)
}
