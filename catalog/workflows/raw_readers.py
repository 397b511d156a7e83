"""Readers of files as their first publishers give them, which a user imports."""

import csv
import io
import json
import re
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from catalog.workflows.beat_detection import Recording
from catalog.workflows.graph_link_prediction import Edges
from catalog.workflows.outcomes import FloatArray
from catalog.workflows.retrieval import Collection
from catalog.workflows.tabular import Table

Row = list[Any]

FIVE_MINUTES = 300 * 360
# Codes of WFDB annotations that mark a beat, as PhysioNet numbers them.
BEAT_CODES = (*range(1, 14), 25, 30, 31, 34, 35, 38, 41)


def uci_table(raw: bytes, *, n_features: int, member: str = "") -> Table:
    r"""Read a table of the UCI repository: text, ARFF, a workbook, or a text in a zip archive.

    Parameters
    ----------
    raw : bytes
        Rows of `n_features` numbers, then the target; fields are separated by commas or blanks.
        A first row of names is left out, and so is what stands behind the target.
    n_features : int
    member : str
        Ending of the file's name inside an archive.

    Returns
    -------
    Table
        Targets that are text are numbered in alphabetical order.

    Raises
    ------
    ValueError
        If a row is short, a field is no number, or the archive has no such file.

    Examples
    --------
    >>> uci_table(b"1.5\t2\t no\n2.5\t3\t yes\n", n_features=2).target
    array([0., 1.])
    """
    rows = list(_rows(raw, member))
    if rows and not _is_number(rows[0][0]):
        rows = rows[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) <= n_features:
            msg = f"row {number} has {len(row)} fields, expected {n_features} and the target"
            raise ValueError(msg)
    features = np.array([[float(field) for field in row[:n_features]] for row in rows])
    return Table(features, _coded([row[n_features] for row in rows]), n_raw=len(rows))


def gml_graph(raw: bytes, *, seed: int = 20260907) -> Edges:
    """Read a graph in GML as undirected and simple; nodes are numbered in the order of the file.

    Parameters
    ----------
    raw : bytes
        GML text.
    seed : int
        Of the permutations that hide edges.

    Returns
    -------
    Edges

    Raises
    ------
    networkx.NetworkXError
        If the text is no GML.

    Examples
    --------
    >>> nodes = "node [ id 5 ] node [ id 7 ]"
    >>> gml_graph(f"graph [ {nodes} edge [ source 7 target 5 ] ]".encode()).edges
    [(0, 1)]
    """
    graph = nx.parse_gml(raw.decode("utf-8"), label="id")
    number = {node: position for position, node in enumerate(graph)}
    pairs = ((number[first], number[second]) for first, second in graph.edges())
    edges = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    return Edges(len(number), sorted(edges), seed)


def json_lines_collection(
    raw_documents: bytes,
    raw_queries: bytes,
    raw_relevance: bytes,
    *,
    fewest_relevant: int,
    hides_query_text: bool = False,
) -> Collection:
    r"""Read a collection in the layout of the BEIR benchmark.

    Parameters
    ----------
    raw_documents, raw_queries : bytes
        JSON lines of `_id`, `text` and, for documents, `title`, which is put before the text.
    raw_relevance : bytes
        Tab-separated query id, document id and relevance, after one header line; relevance 0
        counts as not relevant.
    fewest_relevant : int
        As in `Collection`.
    hides_query_text : bool
        As in `Collection`.

    Returns
    -------
    Collection

    Raises
    ------
    ValueError, KeyError
        If a line is no JSON or lacks a field.

    Examples
    --------
    >>> document, query = b'{"_id": "d", "title": "T", "text": "x"}', b'{"_id": "q", "text": "y"}'
    >>> relevance = b"query-id\tcorpus-id\tscore\nq\td\t1\n"
    >>> json_lines_collection(document, query, relevance, fewest_relevant=1).relevant
    {'q': ['d']}
    """
    documents, queries = _json_lines(raw_documents), _json_lines(raw_queries)
    _, *pairs = csv.reader(
        io.StringIO(raw_relevance.decode("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    relevant: dict[str, list[str]] = {}
    for query, document, relevance in pairs:
        if float(relevance) > 0:
            relevant.setdefault(query, []).append(document)
    return Collection(
        documents={
            entry["_id"]: f"{entry.get('title', '')} {entry['text']}".strip() for entry in documents
        },
        queries={entry["_id"]: entry["text"] for entry in queries},
        relevant=relevant,
        fewest_relevant=fewest_relevant,
        hides_query_text=hides_query_text,
    )


def wfdb_record(
    raw_signal: bytes, raw_header: bytes, raw_annotations: bytes, *, record: str
) -> Recording:
    """Read the first five minutes of the first channel of a record, and its beats.

    Parameters
    ----------
    raw_signal, raw_header, raw_annotations : bytes
        The record's files .dat, .hea and .atr.
    record : str
        The record's name, as the header has it.

    Returns
    -------
    Recording

    Raises
    ------
    ValueError
        If the record is shorter, or not of 360 samples a second at 200 steps a millivolt.
    """
    # The package needs a second to import, and a newer pandas warns about it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import wfdb

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / record
        parts = {"hea": raw_header, "dat": raw_signal, "atr": raw_annotations}
        for suffix, raw in parts.items():
            place.with_suffix(f".{suffix}").write_bytes(raw)
        signal = wfdb.rdrecord(str(place), sampto=FIVE_MINUTES, channels=[0], physical=False)
        notes = wfdb.rdann(str(place), "atr", return_label_elements=["label_store"])

    found = (signal.fs, signal.adc_gain[0], signal.baseline[0], len(signal.d_signal))
    expected = (360, 200.0, 1024, FIVE_MINUTES)
    if found != expected:
        names = "samples a second, steps a millivolt, zero, samples"
        msg = f"the record has {found}, expected {expected} ({names})"
        raise ValueError(msg)
    is_beat = np.isin(notes.label_store, BEAT_CODES) & (notes.sample < FIVE_MINUTES)
    steps = signal.d_signal[:, 0].astype(np.float64)
    return Recording((steps - 1024) / 200, notes.sample[is_beat].astype(np.int64))


def _rows(raw: bytes, member: str) -> Iterator[Row]:
    if raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
            if "xl/workbook.xml" in names:
                yield from _workbook_rows(raw)
                return
            inside = [name for name in names if member and name.endswith(member)]
            if len(inside) != 1:
                msg = f"the archive has {', '.join(names)}, expected one file {member}"
                raise ValueError(msg)
            raw = archive.read(inside[0])
    for line in raw.decode("utf-8").splitlines():
        # ARFF has its comments behind % and its header behind @.
        if line.strip() and not line.startswith(("%", "@")):
            yield re.split(r"\s*[,;]\s*|\s+", line.strip())


def _workbook_rows(raw: bytes) -> Iterator[Row]:
    import openpyxl

    workbook = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
    for row in workbook.worksheets[0].iter_rows(values_only=True):
        if row[0] is not None:
            yield list(row)


def _json_lines(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in raw.decode("utf-8").split("\n") if line.strip()]


def _coded(target: Row) -> FloatArray:
    if all(map(_is_number, target)):
        return np.array([float(value) for value in target])
    labels = sorted(set(map(str, target)))
    return np.array([float(labels.index(str(value))) for value in target])


def _is_number(field: object) -> bool:
    try:
        float(str(field))
    except ValueError:
        return False
    return True
