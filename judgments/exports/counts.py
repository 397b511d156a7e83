"""What there was, what is in a file, and what is left out for which reason: it has to add up."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from catalog.tabular_files import FlatTable, Row
from judgments.assignment import ItemKind
from judgments.exports.tables import TABLES, ExportTable
from judgments.models import Study
from judgments.queries import exports
from judgments.queries.exports import Fate

Key = tuple[Any, ...]


class ExportMismatch(Exception):
    """Files and database disagree about what should be in an export."""


@dataclass(frozen=True)
class TableCounts:
    """Rows that there were, and what became of them; `by_key` has those of the file."""

    table: ExportTable
    expected: int
    by_key: dict[Key, int]
    excluded: dict[Fate, int]

    @property
    def exported(self) -> int:
        return sum(self.by_key.values())

    @property
    def n_excluded(self) -> int:
        return sum(self.excluded.values())

    def described(self) -> dict[str, object]:
        """Return the counts as a manifest lists them."""
        return {
            "expected": self.expected,
            "exported": self.exported,
            "excluded": {fate.value: n for fate, n in self.excluded.items()},
            "exported_by": [
                {**dict(zip(self.table.counted_by, key, strict=True)), "rows": n}
                for key, n in sorted(self.by_key.items())
            ],
        }


def count(table: ExportTable, study: Study) -> TableCounts:
    """Return what should be in the file of a table, told by the fates of all rows."""
    fates = table.fates(study)
    by_key: Counter[Key] = Counter()
    excluded: Counter[Fate] = Counter()
    for (fate, *key), n in fates.items():
        if fate == Fate.EXPORTED:
            by_key[tuple(key)] += n * table.n_each
        else:
            excluded[Fate(fate)] += n * table.n_each
    n_people, n_answers = exports.withdrawals(study)
    gone = {"participants": n_people, "items": n_answers}.get(table.name, 0)
    if gone:
        excluded[Fate.WITHDRAWN] += gone
    expected = fates.total() * table.n_each + gone
    return TableCounts(table, expected, dict(by_key), dict(sorted(excluded.items())))


def count_tables(study: Study) -> list[TableCounts]:
    """Return what should be in every file."""
    return [count(table, study) for table in TABLES]


class Tally:
    """Counts the rows of each table as they are written."""

    def __init__(self) -> None:
        self.tables: dict[str, Counter[Key]] = {}

    def counted(self, table: ExportTable, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows and count them by the columns of the table's counts."""
        counter = self.tables[table.name] = Counter()
        places = key_places(table.flat, table.counted_by)
        for row in rows:
            counter[tuple(row[place] for place in places)] += 1
            yield row


def key_places(table: FlatTable, names: Iterable[str]) -> list[int]:
    """Return where in a row the named columns are."""
    every = [column.name for column in table.columns]
    return [every.index(name) for name in names]


def require_match(counts: Iterable[TableCounts], tally: Tally) -> None:
    """Refuse an export whose files do not hold what they should.

    Raises
    ------
    ExportMismatch
    """
    faults = [fault for one in counts for fault in _faults(one, tally.tables[one.table.name])]
    if faults:
        raise ExportMismatch("; ".join(faults))


def _faults(counts: TableCounts, written: Counter[Key]) -> Iterator[str]:
    name = counts.table.name
    for key in sorted({*counts.by_key, *written}):
        expected, found = counts.by_key.get(key, 0), written[key]
        if expected != found:
            yield f"{name} {_words(counts.table, key)}: {found} rows written, {expected} expected"
    if name == "items":
        unknown = {kind for _, kind in counts.by_key} - set(ItemKind)
        yield from (f"items of the unknown kind {kind!r}" for kind in sorted(unknown))


def _words(table: ExportTable, key: Key) -> str:
    pairs = zip(table.counted_by, key, strict=True)
    return ", ".join(f"{name} {value}" for name, value in pairs)
