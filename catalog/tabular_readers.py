"""How a folder of flat tables is read back and checked; nothing but the folder is needed.

The rules of the cells are in catalog.tabular_files.
"""

import csv
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.tabular_files import MANIFEST, Cell, Column, FlatTable, WrittenFile

KINDS: dict[str, type[str] | type[int] | type[float] | type[bool]] = {
    kind.__name__: kind for kind in (str, int, float, bool)
}
_PIECE_BYTES = 1 << 20


class ManifestUnreadable(Exception):
    """A folder has no manifest, or one of another make: it is not a finished export."""


class CellUnreadable(ValueError):
    """A file has a cell, a row or a header that the manifest does not describe."""


@dataclass(frozen=True)
class Manifest:
    """What a manifest says of its tables and files, and whatever else it says."""

    tables: dict[str, FlatTable]
    files: tuple[WrittenFile, ...]
    facts: dict[str, Any]


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder.

    Raises
    ------
    ManifestUnreadable
    """
    try:
        facts = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        tables = [
            FlatTable(one["name"], one["title"], tuple(map(_column, one["columns"])))
            for one in facts.pop("tables")
        ]
        files = tuple(WrittenFile(**one) for one in facts.pop("files"))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        msg = f"{MANIFEST} cannot be read: {type(error).__name__}: {error}"
        raise ManifestUnreadable(msg) from error
    return Manifest({table.name: table for table in tables}, files, facts)


def _column(described: dict[str, Any]) -> Column:
    return Column(described["name"], KINDS[described["type"]], described["meaning"])


def undo_text_cell(cell: str) -> str | None:
    """Return the text behind a text cell of a CSV file; an empty cell is not known."""
    return cell.removeprefix("'") or None


def read_rows(path: Path, table: FlatTable) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of a file of any format, typed; little of it is in memory at a time.

    Raises
    ------
    CellUnreadable
        Or another ValueError, if the file is not of its format.
    """
    return _READERS[path.suffix.removeprefix(".")](path, table)


def _read_csv(path: Path, table: FlatTable) -> Iterator[tuple[Cell, ...]]:
    # utf-8-sig drops a byte order mark if there is one.
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, strict=True)
        _require_names(next(lines, []), table)
        for cells in lines:
            yield tuple(
                _csv_value(column, cell) for column, cell in zip(table.columns, cells, strict=True)
            )


def _csv_value(column: Column, cell: str) -> Cell:
    if column.kind is str:
        return undo_text_cell(cell)
    if not cell:
        return None
    if column.kind is not bool:
        return column.kind(cell)
    if cell not in ("true", "false"):
        raise CellUnreadable(f"{column.name} is {cell!r}, neither true nor false")
    return cell == "true"


def _read_json_lines(path: Path, table: FlatTable) -> Iterator[tuple[Cell, ...]]:
    # Only \n ends a line: text may have the other separators of Unicode.
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            row = json.loads(line)
            _require_names(row, table)
            yield tuple(row.values())


def _read_parquet(path: Path, table: FlatTable) -> Iterator[tuple[Cell, ...]]:
    # Here, because pyarrow takes a quarter of a second and memory that nothing else needs.
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        _require_names(file.schema_arrow.names, table)
        for batch in file.iter_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _require_names(names: Iterable[str], table: FlatTable) -> None:
    if list(names) != [column.name for column in table.columns]:
        raise CellUnreadable(f"the columns are not those of {table.name} in {MANIFEST}")


_READERS: dict[str, Callable[[Path, FlatTable], Iterator[tuple[Cell, ...]]]] = {
    "csv": _read_csv,
    "jsonl": _read_json_lines,
    "parquet": _read_parquet,
}


def folder_faults(folder: Path, manifest: Manifest) -> list[str]:
    """Return what is wrong with the files: other bytes, other rows, other content by format."""
    listed = {file.name for file in manifest.files}
    present = {path.name for path in folder.iterdir()} - {MANIFEST}
    faults = [f"{name}: not in {MANIFEST}" for name in sorted(present - listed)]
    faults += [f"{name}: missing" for name in sorted(listed - present)]
    by_table = itertools.groupby(
        (file for file in manifest.files if file.name in present), key=lambda file: file.table
    )
    for name, files in by_table:
        faults += _table_faults(folder, manifest.tables.get(name), list(files))
    return faults


def _table_faults(folder: Path, table: FlatTable | None, files: list[WrittenFile]) -> list[str]:
    if table is None:
        return [f"{file.name}: its table is not in {MANIFEST}" for file in files]
    faults = [fault for file in files for fault in _byte_faults(folder / file.name, file)]
    first, digest = files[0], ""
    for file in files:
        try:
            n_rows, content = _content(read_rows(folder / file.name, table))
        except (ValueError, TypeError, AttributeError, KeyError, csv.Error) as error:
            faults.append(f"{file.name}: {type(error).__name__}: {error}")
            continue
        if n_rows != file.n_rows:
            faults.append(f"{file.name}: {n_rows} rows, not {file.n_rows}")
        digest = digest or content
        if content != digest:
            faults.append(f"{file.name}: its rows are not those of {first.name}")
    return faults


def _byte_faults(path: Path, file: WrittenFile) -> list[str]:
    digest, n_bytes = hashlib.sha256(), 0
    with path.open("rb") as content:
        while piece := content.read(_PIECE_BYTES):
            digest.update(piece)
            n_bytes += len(piece)
    if n_bytes != file.n_bytes:
        return [f"{file.name}: {n_bytes} bytes, not {file.n_bytes}"]
    return [] if digest.hexdigest() == file.sha256 else [f"{file.name}: another SHA-256"]


def _content(rows: Iterable[tuple[Cell, ...]]) -> tuple[int, str]:
    """Return the number of rows and a digest of them: equal rows in equal order, equal digests."""
    digest, n_rows = hashlib.sha256(), 0
    for row in rows:
        # JSON has no NaN.
        known = [None if cell != cell else cell for cell in row]  # noqa: PLR0124
        digest.update(repr(known).encode())
        n_rows += 1
    return n_rows, digest.hexdigest()
