"""What is wrong with an export: of a folder that somebody got, and of one made to be checked."""

import itertools
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from catalog.tabular_files import FORMATS, MANIFEST, Cell, FlatTable
from catalog.tabular_readers import (
    Manifest,
    ManifestUnreadable,
    folder_faults,
    read_manifest,
    read_rows,
)
from judgments.assignment import ItemKind
from judgments.exports.counts import ExportMismatch, key_places
from judgments.exports.folders import write_export
from judgments.exports.rankings import mid_ranks
from judgments.exports.tables import TABLES
from judgments.models import Choice, Study
from scoring.ranks import N_ACTIONS, PAIRS

Record = dict[str, Any]


def check(study: Study, *, now: datetime) -> list[str]:
    """Return what is wrong with an export of the study, made for this and thrown away."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / study.slug
        try:
            write_export(study=study, folder=folder, formats=tuple(FORMATS.values()), now=now)
        except ExportMismatch as mismatch:
            return [str(mismatch)]
        return verify(folder)


def verify(folder: Path) -> list[str]:
    """Return what is wrong with the folder of an export; it alone is read, no database.

    Checked are bytes and checksums, the rows of every file, that all formats hold the same, that
    the counts add up, and that the ranks follow from the choices.
    """
    try:
        manifest = read_manifest(folder)
    except ManifestUnreadable as error:
        return [str(error)]
    if not {table.name for table in TABLES} <= set(manifest.facts.get("counts", ())):
        return [f"{MANIFEST} is not that of a study's export"]
    faults = folder_faults(folder, manifest)
    # What cannot be read cannot be counted.
    return faults or [*_sum_faults(folder, manifest), *_rank_faults(folder, manifest)]


def _sum_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    for name, table in manifest.tables.items():
        counts = manifest.facts["counts"][name]
        accounted = counts["exported"] + sum(counts["excluded"].values())
        if counts["expected"] != accounted:
            yield f"{name}: {counts['expected']} rows expected, {accounted} accounted for"
        listed = Counter({tuple(by.values())[:-1]: by["rows"] for by in counts["exported_by"]})
        names = list(counts["exported_by"][0])[:-1] if counts["exported_by"] else []
        places = key_places(table, names)
        found = Counter(
            tuple(row[place] for place in places) for row in _rows(folder, manifest, table)
        )
        if found != listed or found.total() != counts["exported"]:
            yield f"{name}: the rows of the file are not those that are counted"


def _rank_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    items = _records(folder, manifest, "items")
    listed = _records(folder, manifest, "rankings")
    for expected, found in itertools.zip_longest(_ranks(items), listed):
        ranking = found and tuple(found[name] for name in ("participant", "action_id", "mid_rank"))
        if expected != ranking:
            yield f"rankings: {ranking} does not follow from the choices, {expected} does"
            return


def _ranks(items: Iterator[Record]) -> Iterator[tuple[str, str, float]]:
    """Yield the ranks of every cell with six choices or ties, from its items."""
    cells = itertools.groupby(items, key=lambda item: (item["participant"], item["scenario"]))
    for (participant, scenario), cell in cells:
        pairs = [
            (_number(item["left_id"]), _number(item["right_id"]), item["choice"])
            for item in cell
            if item["item_kind"] == ItemKind.JUDGMENT and item["choice"] != Choice.CANNOT_JUDGE
        ]
        if len(pairs) == len(PAIRS):
            ranks = mid_ranks(pairs)
            for number in range(N_ACTIONS):
                yield participant, f"{scenario}/{number}", ranks[number]


def _number(action_id: str) -> int:
    return int(action_id.rpartition("/")[2])


def _records(folder: Path, manifest: Manifest, name: str) -> Iterator[Record]:
    table = manifest.tables[name]
    names = [column.name for column in table.columns]
    for row in _rows(folder, manifest, table):
        yield dict(zip(names, row, strict=True))


def _rows(folder: Path, manifest: Manifest, table: FlatTable) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of the table's first file; the others have been seen to hold the same."""
    first = next(file for file in manifest.files if file.table == table.name)
    return read_rows(folder / first.name, table)
