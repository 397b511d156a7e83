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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

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


@dataclass(frozen=True)
class FileFormat:
    """A way to write a table: the suffix of its files, their media type, and the writing."""

    suffix: str
    title: str
    media_type: str
    encode: Callable[[FlatTable, Iterable[Row]], Iterator[bytes]]


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


def encode_csv(table: FlatTable, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield a CSV file with a header."""
    header = [column.name for column in table.columns]
    cells = (
        [_csv_cell(column, cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in rows
    )
    for block in _blocks(itertools.chain([header], cells)):
        out = io.StringIO(newline="")
        csv.writer(out).writerows(block)
        yield out.getvalue().encode()


def encode_csv_with_mark(table: FlatTable, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield a CSV file that begins with a byte order mark, by which Excel knows UTF-8."""
    yield codecs.BOM_UTF8
    yield from encode_csv(table, rows)


def _csv_cell(column: Column, cell: Cell) -> str:
    if cell is None:
        return ""
    if column.kind is str:
        return text_cell(str(cell))
    # Python's shortest repr is read back as the same double.
    return str(cell).lower() if column.kind is bool else repr(column.kind(cell))


def encode_json_lines(table: FlatTable, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield a file with one JSON object a row."""
    names = [column.name for column in table.columns]
    objects = (dict(zip(names, map(_json_cell, row), strict=True)) for row in rows)
    for block in _blocks(objects):
        lines = (json.dumps(one, ensure_ascii=False, allow_nan=False) for one in block)
        yield "".join(f"{line}\n" for line in lines).encode()


def _json_cell(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def encode_parquet(table: FlatTable, rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield a Parquet file, one row group a block."""
    # Here, because pyarrow takes a quarter of a second and memory that nothing else needs.
    import pyarrow as pa
    from pyarrow import parquet

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema(
        [
            pa.field(column.name, types[column.kind], metadata={"meaning": column.meaning})
            for column in table.columns
        ]
    )
    sink = io.BytesIO()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for block in _blocks(rows):
            columns = zip(*block, strict=True)
            arrays = [
                pa.array(cells, field.type) for cells, field in zip(columns, schema, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            yield _drained(sink)
    yield _drained(sink)


def _drained(sink: io.BytesIO) -> bytes:
    # pyarrow counts the bytes that it wrote by itself, so the sink may start again at zero.
    piece = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return piece


def _blocks(rows: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(rows)
    while block := list(itertools.islice(remaining, BLOCK_ROWS)):
        yield block


FORMATS = {
    known.suffix: known
    for known in (
        FileFormat("csv", "CSV", "text/csv; charset=utf-8", encode_csv),
        FileFormat("jsonl", "JSON Lines", "application/jsonl; charset=utf-8", encode_json_lines),
        FileFormat("parquet", "Parquet", "application/vnd.apache.parquet", encode_parquet),
    )
}
CSV_WITH_MARK = replace(FORMATS["csv"], encode=encode_csv_with_mark)


def write_folder(
    folder: Path,
    tables: Mapping[FlatTable, Callable[[], Iterable[Row]]],
    *,
    facts: Mapping[str, object],
) -> list[WrittenFile]:
    """Write every table in every format, then the manifest, which begins with the facts.

    A folder with a manifest is complete: an old one is removed first, the new one comes last.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
    """Write every table in the formats; its rows are asked for once a format."""
    chosen = list(formats)
    return [
        _write_file(folder / f"{table.name}.{known.suffix}", table, known.encode, rows())
        for table, rows in tables.items()
        for known in chosen
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


def _write_file(
    path: Path,
    table: FlatTable,
    encode: Callable[[FlatTable, Iterable[Row]], Iterator[bytes]],
    rows: Iterable[Row],
) -> WrittenFile:
    counter, digest, n_bytes = itertools.count(), hashlib.sha256(), 0
    # zip asks the rows first: what the counter gives in the end is the number of rows.
    counted = (row for row, _ in zip(rows, counter, strict=False))
    with path.open("wb") as file:
        for piece in encode(table, counted):
            file.write(piece)
            digest.update(piece)
            n_bytes += len(piece)
    return WrittenFile(path.name, table.name, next(counter), n_bytes, digest.hexdigest())
