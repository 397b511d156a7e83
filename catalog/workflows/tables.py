"""The committed reference tables, one JSON file per condition, and what differs from them."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from catalog.workflows.environment import library_versions
from catalog.workflows.fragile_cells import FRAGILE_CELLS
from catalog.workflows.replay import Record
from catalog.workflows.source_files import DATA

FOLDER = DATA / "tables"


class MissingTable(LookupError):
    """Raised for a condition without a committed table."""


@dataclass(frozen=True)
class Table:
    """Utility, native value and prediction hash of every mask, and the versions that gave them.

    Attributes
    ----------
    task : str
        Slug of the task.
    utility, native_value : dict of str to float
        By mask, in ascending order; utilities in [0, 1].
    prediction_sha256 : dict of str to str
        By mask.
    versions : dict of str to str
        By library (`catalog.workflows.environment.library_versions`).
    """

    task: str
    utility: dict[str, float]
    native_value: dict[str, float]
    prediction_sha256: dict[str, str]
    versions: dict[str, str]


@dataclass(frozen=True)
class Comparison:
    """A record against its table: equal, fragile (it differs where that is known), different.

    Attributes
    ----------
    verdict : {"equal", "fragile", "different"}
        Fragile: the cell is in `FRAGILE_CELLS`.
    reasons : tuple of str
        What differs, and the cause of a fragile cell; empty if equal.
    """

    verdict: Literal["equal", "fragile", "different"]
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.verdict, "; ".join(self.reasons))))


def table_of(task: str, records: Iterable[Record]) -> Table:
    """Collect the records of one task in the order of their masks.

    Parameters
    ----------
    task : str
        The task's slug.
    records : iterable of Record
        One per mask.

    Returns
    -------
    Table

    Examples
    --------
    >>> table_of("nile", [Record("nile", "0000", 150.0, 0.5, "ab", 0.01)]).utility
    {'0000': 0.5}
    """
    ordered = sorted(records, key=lambda record: record.mask)
    return Table(
        task=task,
        utility={record.mask: record.utility for record in ordered},
        native_value={record.mask: record.native_value for record in ordered},
        prediction_sha256={record.mask: record.prediction_sha256 for record in ordered},
        versions=library_versions(),
    )


def read_table(task: str, folder: Path = FOLDER) -> Table:
    """Read the committed table of a task.

    Parameters
    ----------
    task : str
        The task's slug.
    folder : Path
        Where the tables lie.

    Returns
    -------
    Table

    Raises
    ------
    MissingTable
        If there is none.

    Examples
    --------
    >>> len(read_table("nile").utility)
    16
    """
    if not has_table(task, folder):
        raise MissingTable(
            f"{task} has no committed table: `manage.py replay --task {task} --write` makes it"
        )
    content: dict[str, Any] = json.loads((folder / f"{task}.json").read_text(encoding="utf-8"))
    return Table(**content)


def has_table(task: str, folder: Path = FOLDER) -> bool:
    """Tell whether a table of the task is committed.

    Parameters
    ----------
    task : str
        The task's slug.
    folder : Path
        Where the tables lie.

    Returns
    -------
    bool

    Examples
    --------
    >>> has_table("no_such_task")
    False
    """
    return (folder / f"{task}.json").exists()


def write_table(table: Table, folder: Path = FOLDER) -> None:
    """Write the table of a task, over one that is there.

    Parameters
    ----------
    table : Table
    folder : Path
        Where the tables lie.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(read_table("nile"), Path(folder))
    ...     read_table("nile", Path(folder)) == read_table("nile")
    True
    """
    content = json.dumps(vars(table), indent=1)
    (folder / f"{table.task}.json").write_text(content + "\n", encoding="utf-8")


def differences(record: Record, table: Table, *, tolerance: float = 1e-9) -> tuple[str, ...]:
    """Name what a computed record and the table disagree on; nothing if they are equal.

    Parameters
    ----------
    record : Record
        The computed record.
    table : Table
        The table of its task.
    tolerance : float
        Largest allowed distance of utilities, and relative distance of native values.

    Returns
    -------
    tuple of str
        One sentence part per field that differs.

    Examples
    --------
    >>> table = Table("t", {"0": 0.5}, {"0": 3.0}, {"0": "ab"}, {})
    >>> differences(Record("t", "0", 3.0, 0.6, "ab", 0.0), table)
    ('utility 0.6, table 0.5',)
    """
    mask = record.mask
    if mask not in table.utility:
        return ("mask not in the table",)
    found = []
    if not math.isclose(record.utility, table.utility[mask], rel_tol=0.0, abs_tol=tolerance):
        found.append(f"utility {record.utility!r}, table {table.utility[mask]!r}")
    expected = table.native_value[mask]
    if not math.isclose(record.native_value, expected, rel_tol=tolerance, abs_tol=tolerance):
        found.append(f"native value {record.native_value!r}, table {expected!r}")
    if record.prediction_sha256 != table.prediction_sha256[mask]:
        found.append("prediction hash")
    return tuple(found)


def compare(record: Record, table: Table, *, tolerance: float = 1e-9) -> Comparison:
    """Judge a computed record against the table, with what is known of fragile cells.

    Parameters
    ----------
    record, table, tolerance
        As for `differences`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> table = Table("t", {"0": 0.5}, {"0": 3.0}, {"0": "ab"}, {})
    >>> str(compare(Record("t", "0", 3.0, 0.5, "cd", 0.0), table))
    'different: prediction hash'
    """
    found = differences(record, table, tolerance=tolerance)
    if not found:
        return Comparison("equal")
    cause = FRAGILE_CELLS.get((record.task, record.mask))
    return Comparison("fragile", (*found, cause)) if cause else Comparison("different", found)


@dataclass(frozen=True)
class UtilityComparison:
    """A computed table against published utilities, with one line for each that differs.

    Attributes
    ----------
    n_equal : int
        Masks with equal utilities.
    fragile, different : tuple of str
        The others, by whether the difference is known.
    """

    n_equal: int
    fragile: tuple[str, ...]
    different: tuple[str, ...]


def compare_utilities(
    table: Table, published: Mapping[str, float], *, tolerance: float = 1e-9
) -> UtilityComparison:
    """Compare a computed table with utilities that come without predictions.

    Parameters
    ----------
    table : Table
        What was computed.
    published : mapping of str to float
        Utility by mask.
    tolerance : float
        Largest allowed distance.

    Returns
    -------
    UtilityComparison
        A mask that only one side has differs.

    Examples
    --------
    >>> computed = Table("t", {"0": 0.5, "1": 0.25}, {}, {}, {})
    >>> compare_utilities(computed, {"0": 0.5, "1": 0.75}).different
    ('t 1: utility 0.25, published 0.75',)
    """
    fragile, different = [], []
    for mask in sorted(table.utility.keys() | published.keys()):
        found, expected = table.utility.get(mask), published.get(mask)
        if found is not None and expected is not None and abs(found - expected) <= tolerance:
            continue
        line = f"{table.task} {mask}: utility {found}, published {expected}"
        cause = FRAGILE_CELLS.get((table.task, mask))
        if cause:
            fragile.append(f"{line} (fragile: {cause})")
        else:
            different.append(line)
    n_equal = len(table.utility.keys() | published.keys()) - len(fragile) - len(different)
    return UtilityComparison(n_equal, tuple(fragile), tuple(different))
