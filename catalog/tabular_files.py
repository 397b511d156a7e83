"""How flat tables become files: CSV, JSON Lines and Parquet, a block of rows at a time.

A file holds one table. Numbers keep every digit in each format. Rules of the cells:

- CSV follows RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe in front,
  and so does text that has one there already; remove one leading apostrophe from any text cell to
  undo it. A number is never touched. What is not known is an empty cell.
- JSON Lines has no NaN: what is undefined is null, like what is not known.
- Parquet keeps null and NaN apart, and text as it is.
"""

import codecs
import csv
import hashlib
import io
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

Cell = str | int | float | bool | None
Row = Sequence[Cell]
T = TypeVar("T")

MANIFEST = "manifest.json"
# Holds a block of rows in memory, and is large enough for a row group of Parquet.
BLOCK_ROWS = 8192
# Spreadsheets run a cell that starts with one of the first; some, with the full-width ones.
_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")


@dataclass(frozen=True)
class Column:
    """A column: its name, the type of its cells (any of them may be None), what it means.

    `source` names the field of a model that it is taken from, `codes` all values that there are.
    """

    name: str
    kind: type[str] | type[int] | type[float] | type[bool]
    meaning: str
    source: str = ""
    codes: tuple[str, ...] = ()

    def described(self) -> dict[str, object]:
        """Return the column as a manifest lists it."""
        known = {"name": self.name, "type": self.kind.__name__, "meaning": self.meaning}
        optional = {"source": self.source, "codes": list(self.codes)}
        return known | {key: value for key, value in optional.items() if value}


@dataclass(frozen=True)
class FlatTable:
    """The columns of a table; its rows come separately, since there may be many."""

    name: str
    title: str
    columns: tuple[Column, ...]


class BlockWriter(Protocol):
    """Turns a table into the bytes of a file: what comes first, blocks of rows, what comes last."""

    def begin(self) -> bytes: ...

    def block(self, rows: Sequence[Row]) -> bytes: ...

    def end(self) -> bytes: ...


@dataclass(frozen=True)
class FileFormat:
    """A way to write a table: the suffix of its files, their media type, and the writing."""

    suffix: str
    title: str
    media_type: str
    writer: Callable[[FlatTable], BlockWriter]

    def encode(self, table: FlatTable, rows: Iterable[Row]) -> Iterator[bytes]:
        """Yield a file piece by piece."""
        writer = self.writer(table)
        yield writer.begin()
        for block in _blocks(rows):
            yield writer.block(block)
        yield writer.end()


@dataclass(frozen=True)
class WrittenFile:
    """A file as the manifest lists it."""

    name: str
    table: str
    n_rows: int
    n_bytes: int
    sha256: str


def text_cell(text: str) -> str:
    """Return text that a spreadsheet shows and does not run."""
    return f"'{text}" if text.startswith(_RISKY) else text


class CsvWriter:
    """Writes CSV with a header; with a byte order mark, Excel takes it for UTF-8."""

    def __init__(self, table: FlatTable, *, mark: bytes = b"") -> None:
        self._columns, self._mark = table.columns, mark

    def begin(self) -> bytes:
        return self._mark + _csv_lines([[column.name for column in self._columns]])

    def block(self, rows: Sequence[Row]) -> bytes:
        return _csv_lines(
            [_csv_cell(column, cell) for column, cell in zip(self._columns, row, strict=True)]
            for row in rows
        )

    def end(self) -> bytes:
        return b""


def _csv_lines(lines: Iterable[list[str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(lines)
    return out.getvalue().encode()


def _csv_cell(column: Column, cell: Cell) -> str:
    if cell is None:
        return ""
    if column.kind is str:
        return text_cell(str(cell))
    # Python's shortest repr is read back as the same double.
    return str(cell).lower() if column.kind is bool else repr(column.kind(cell))


class JsonLinesWriter:
    """Writes one JSON object a row."""

    def __init__(self, table: FlatTable) -> None:
        self._names = [column.name for column in table.columns]

    def begin(self) -> bytes:
        return b""

    def block(self, rows: Sequence[Row]) -> bytes:
        objects = (dict(zip(self._names, map(_json_cell, row), strict=True)) for row in rows)
        lines = (json.dumps(one, ensure_ascii=False, allow_nan=False) for one in objects)
        return "".join(f"{line}\n" for line in lines).encode()

    def end(self) -> bytes:
        return b""


def _json_cell(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


class ParquetWriter:
    """Writes Parquet, one row group a block."""

    def __init__(self, table: FlatTable) -> None:
        # Here, because pyarrow takes a quarter of a second and memory that nothing else needs.
        import pyarrow as pa
        from pyarrow import parquet

        types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
        self._arrow = pa
        self._schema = pa.schema(
            [
                pa.field(column.name, types[column.kind], metadata={"meaning": column.meaning})
                for column in table.columns
            ]
        )
        self._sink = io.BytesIO()
        self._file = parquet.ParquetWriter(self._sink, self._schema, compression="zstd")

    def begin(self) -> bytes:
        return self._drained()

    def block(self, rows: Sequence[Row]) -> bytes:
        columns = zip(zip(*rows, strict=True), self._schema, strict=True)
        arrays = [self._arrow.array(cells, field.type) for cells, field in columns]
        self._file.write_batch(self._arrow.record_batch(arrays, schema=self._schema))
        return self._drained()

    def end(self) -> bytes:
        self._file.close()
        return self._drained()

    def _drained(self) -> bytes:
        # pyarrow counts the bytes that it wrote by itself, so the sink may start again at zero.
        piece = self._sink.getvalue()
        self._sink.seek(0)
        self._sink.truncate()
        return piece


def _blocks(rows: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(rows)
    while block := list(itertools.islice(remaining, BLOCK_ROWS)):
        yield block


FORMATS = {
    known.suffix: known
    for known in (
        FileFormat("csv", "CSV", "text/csv; charset=utf-8", CsvWriter),
        FileFormat("jsonl", "JSON Lines", "application/jsonl; charset=utf-8", JsonLinesWriter),
        FileFormat("parquet", "Parquet", "application/vnd.apache.parquet", ParquetWriter),
    )
}
CSV_WITH_MARK = replace(FORMATS["csv"], writer=partial(CsvWriter, mark=codecs.BOM_UTF8))


class FolderInUse(Exception):
    """The folder holds files that no earlier export wrote; some could have the names of ours."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(f"{folder} holds other files, such as {name}: take a new or empty folder.")


def write_folder(
    folder: Path,
    tables: Mapping[FlatTable, Callable[[], Iterable[Row]]],
    *,
    facts: Mapping[str, object],
) -> list[WrittenFile]:
    """Write every table in every format, then the manifest, which begins with the facts.

    A folder with a manifest is complete: an old one is removed first, the new one comes last.

    Raises
    ------
    FolderInUse
    """
    folder.mkdir(parents=True, exist_ok=True)
    ours = {MANIFEST, *(f"{table.name}.{suffix}" for table in tables for suffix in FORMATS)}
    if others := {file.name for file in folder.iterdir()} - ours:
        raise FolderInUse(folder, min(others))
    (folder / MANIFEST).unlink(missing_ok=True)
    written = write_tables(folder, tables, formats=FORMATS.values())
    write_manifest(folder, tables, written, facts=facts)
    return written


def write_tables(
    folder: Path,
    tables: Mapping[FlatTable, Callable[[], Iterable[Row]]],
    *,
    formats: Iterable[FileFormat],
) -> list[WrittenFile]:
    """Write every table in the formats; its rows are asked for once, and not kept."""
    chosen = list(formats)
    return [
        file for table, rows in tables.items() for file in _write(folder, table, rows(), chosen)
    ]


def write_manifest(
    folder: Path,
    tables: Iterable[FlatTable],
    written: Iterable[WrittenFile],
    *,
    facts: Mapping[str, object],
) -> None:
    """Write what a reader needs: the facts, the rules of the cells, the columns, the files."""
    content = {
        **facts,
        "cells": __doc__.partition("\n\n")[2].strip(),
        "tables": [
            {
                "name": table.name,
                "title": table.title,
                "columns": [column.described() for column in table.columns],
            }
            for table in tables
        ],
        "files": [asdict(file) for file in written],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def _write(
    folder: Path, table: FlatTable, rows: Iterable[Row], formats: Sequence[FileFormat]
) -> list[WrittenFile]:
    with ExitStack() as stack:
        files = [
            _GrowingFile(
                stack.enter_context((folder / f"{table.name}.{known.suffix}").open("wb")),
                known.writer(table),
            )
            for known in formats
        ]
        n_rows = 0
        for block in _blocks(rows):
            n_rows += len(block)
            for file in files:
                file.add(file.writer.block(block))
        for file in files:
            file.add(file.writer.end())
    return [file.written(table, n_rows) for file in files]


class _GrowingFile:
    """A file with the digest of what has been written so far."""

    def __init__(self, file: BinaryIO, writer: BlockWriter) -> None:
        self._file, self.writer = file, writer
        self._digest, self._n_bytes = hashlib.sha256(), 0
        self.add(writer.begin())

    def add(self, piece: bytes) -> None:
        self._file.write(piece)
        self._digest.update(piece)
        self._n_bytes += len(piece)

    def written(self, table: FlatTable, n_rows: int) -> WrittenFile:
        name = Path(self._file.name).name
        return WrittenFile(name, table.name, n_rows, self._n_bytes, self._digest.hexdigest())
