"""A contributor who adds a data set reads here what is still to be done."""

import hashlib
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from catalog.workflows import readers
from catalog.workflows.source_files import DATA, FOLDER, SourceFile, manifest
from catalog.workflows.sources import SOURCES, Provenance, Source, by_name
from tests.catalog.workflows.missing_steps import missing_steps


def test_no_step_is_missing():
    if missing := missing_steps(SOURCES, manifest(), files=FOLDER, tables=DATA / "tables"):
        pytest.fail(
            "\n".join(["Still to be done (docs/add-a-data-set.md):", *missing]), pytrace=False
        )


RAW = "".join(["speed,mass,spins\n", *(f"{i},{i * i % 7},{3 * i % 11}\n" for i in range(40))])
LINE = SourceFile(
    file="spin.csv",
    bytes=len(RAW),
    sha256=hashlib.sha256(RAW.encode()).hexdigest(),
    title="Spins of a top",
    origin="made here",
    licence="CC0-1.0",
)
ENTRY = Source(
    name="spin",
    title="Spins of a top",
    family="regression",
    files=("spin.csv",),
    read=partial(readers.table),
    n_factors=(4,),
    provenance=Provenance.OURS,
    question="Which options help?",
    input_summary="40 spins.",
    cohort={"raw": 40, "used": 40, "train": 28, "evaluation": 12, "features": 2},
)
OF_ENTRY = "the entry spin in catalog/workflows/sources/regression.py"


@pytest.fixture
def steps(tmp_path: Path):
    """Add a data set in a folder of its own, and return what it still lacks."""
    files, tables = tmp_path / "sources", tmp_path / "tables"
    files.mkdir()
    tables.mkdir()
    files.joinpath("manifest.json").write_text("[]")
    files.joinpath("spin.csv").write_text(RAW)
    tables.joinpath("spin.json").write_text("{}")

    def of(
        *entries: Source, lines: tuple[SourceFile, ...] = (LINE,), without: str = ""
    ) -> list[str]:
        if without:
            tmp_path.joinpath(without).unlink()
        manifest = {line.file: line for line in lines}
        return missing_steps(by_name(entries), manifest, files=files, tables=tables)

    return of


def test_of_a_whole_data_set_nothing_is_missing(steps):
    assert steps(ENTRY) == []


def test_a_file_that_was_forgotten_is_named(steps):
    [step] = steps(ENTRY, without="sources/spin.csv")
    assert step == (
        "spin.csv is listed in catalog/data/sources/manifest.json and not there: "
        "put it into catalog/data/sources/"
    )


def test_a_line_that_was_forgotten_is_printed_to_be_copied(steps):
    [step] = steps(ENTRY, lines=())
    told, _, line = step.partition(": add and complete ")
    assert told == "spin.csv has no line in catalog/data/sources/manifest.json"
    assert SourceFile(**json.loads(line)) == replace(
        LINE, title="...", origin="...", licence="...", note="..."
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"bytes": 7}, f"must say bytes {LINE.bytes}, not 7"),
        ({"sha256": "ab"}, f"must say sha256 {LINE.sha256}"),
        ({"licence": " "}, "has an empty licence: write it"),
        ({"origin": "..."}, "has an empty origin: write it"),
    ],
)
def test_what_is_wrong_in_a_line_is_said_with_what_is_right(steps, line, told):
    [step] = steps(ENTRY, lines=(replace(LINE, **line),))
    assert step == f"the line of spin.csv in catalog/data/sources/manifest.json {told}"


def test_an_entry_that_was_forgotten_is_asked_for(steps):
    entry, table = steps()
    assert entry == (
        "no source reads spin.csv: add an entry that names it to "
        "catalog/workflows/sources/<family>.py"
    )
    assert table.startswith("catalog/data/tables/spin.json is of no condition")


def test_a_file_that_only_the_entry_knows_is_asked_for(steps):
    [step] = steps(replace(ENTRY, files=("spin.csv", "top.csv")))
    assert step == "spin reads top.csv, which is not there: put it into catalog/data/sources/"


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"cohort": {}}, f"must say cohort={ENTRY.cohort}; say the sizes in input_summary too"),
        ({"question": ""}, "has an empty question: write it"),
        (
            {"read": partial(readers.table, columns=("speed", "height"))},
            "cannot read spin.csv: ValueError: 'height' is not in list",
        ),
    ],
)
def test_what_is_wrong_in_an_entry_is_said_with_what_is_right(steps, entry, told):
    assert steps(replace(ENTRY, **entry)) == [f"{OF_ENTRY} {told}"]


def test_words_that_were_copied_with_a_neighbours_entry_are_noticed(steps):
    copy = replace(ENTRY, name="top")
    assert steps(ENTRY, copy)[0] == (
        "the entry top in catalog/workflows/sources/regression.py has the title of spin: "
        "write its own"
    )


def test_a_table_that_was_forgotten_is_asked_for_with_its_command(steps):
    [step] = steps(ENTRY, without="tables/spin.json")
    assert step == (
        'spin has no table: make replay ARGS="--task spin --write", then commit '
        "catalog/data/tables/spin.json"
    )


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"name": "Spin 2"}, "source Spin 2: name must be lower-case words"),
        ({"name": "spin__d6"}, "name must be lower-case words joined by single underscores"),
        ({"family": "regresion"}, "source spin: family must be one of classification, regression,"),
        ({"files": ()}, "source spin: files must name at least one file"),
        ({"read": readers.table}, r"source spin: read must be partial\(reader, ...\)"),
        ({"n_factors": (5,)}, r"source spin: n_factors must be one of \(4,\), \(6,\), \(4, 6\)"),
    ],
)
def test_an_entry_that_can_be_no_condition_is_refused_at_once(fault, told):
    with pytest.raises(ValueError, match=told):
        replace(ENTRY, **fault)


def test_a_name_that_was_copied_is_refused_before_it_hides_another_source():
    with pytest.raises(ValueError, match="two sources are called spin, in regression and in"):
        by_name([ENTRY, ENTRY])
