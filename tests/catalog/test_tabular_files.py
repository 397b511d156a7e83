"""Flat tables as files: each format is read back by an independent reader."""

import csv
import hashlib
import io
import json
import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from catalog.tabular_files import (
    BLOCK_ROWS,
    FORMATS,
    MANIFEST,
    Column,
    FlatTable,
    text_cell,
    write_folder,
)

TABLE = FlatTable(
    "measurements",
    "Measurements",
    (
        Column("name", str, "what was measured"),
        Column("count", int, "how often"),
        Column("value", float, "in seconds"),
        Column("kept", bool, "whether it counts"),
    ),
)
ROWS = [("a", 1, -0.1, True), ('b "two", three', -2, 1e-300, False), (None, None, None, None)]


def csv_of(rows) -> str:
    return b"".join(FORMATS["csv"].encode(TABLE, rows)).decode()


def test_csv_follows_rfc_4180_and_touches_no_number():
    assert csv_of(ROWS) == (
        'name,count,value,kept\r\na,1,-0.1,true\r\n"b ""two"", three",-2,1e-300,false\r\n,,,\r\n'
    )


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "'quoted", "\uff1dA1"]
)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert text_cell(text) == f"'{text}"


def test_other_text_stays_as_it_is():
    assert text_cell("walker = 1") == "walker = 1"


@given(st.text())
def test_one_leading_apostrophe_is_the_way_back(text):
    cell = text_cell(text)
    assert cell.removeprefix("'") == text


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False)), max_size=20))
def test_csv_gives_text_and_every_digit_back(pairs):
    written = csv_of([(text, 0, value, True) for text, value in pairs])
    read = list(csv.reader(io.StringIO(written, newline="")))[1:]
    assert [(row[0].removeprefix("'"), float(row[2])) for row in read] == [
        (text_cell(text).removeprefix("'"), value) for text, value in pairs
    ]


def test_json_lines_keep_types_and_write_what_is_undefined_as_null():
    lines = b"".join(
        FORMATS["jsonl"].encode(TABLE, [("=é\n", 3, math.nan, False), ROWS[0]])
    ).decode()
    assert [json.loads(line) for line in lines.splitlines()] == [
        {"name": "=é\n", "count": 3, "value": None, "kept": False},
        {"name": "a", "count": 1, "value": -0.1, "kept": True},
    ]


def test_parquet_keeps_types_null_and_nan_apart():
    content = b"".join(FORMATS["parquet"].encode(TABLE, [*ROWS, ("=x", 4, math.nan, True)]))
    read = parquet.read_table(io.BytesIO(content))
    assert [str(field.type) for field in read.schema] == ["string", "int64", "double", "bool"]
    assert read.schema.field("value").metadata == {b"meaning": b"in seconds"}
    values = read.column("value").to_pylist()
    assert values[:3] == [-0.1, 1e-300, None]
    assert math.isnan(values[3])
    assert read.column("name").to_pylist()[3] == "=x"


def test_parquet_of_several_blocks_is_whole():
    rows = [(f"row {i}", i, i / 7, i % 2 == 0) for i in range(2 * BLOCK_ROWS + 5)]
    content = b"".join(FORMATS["parquet"].encode(TABLE, rows))
    read = parquet.read_table(io.BytesIO(content))
    assert parquet.ParquetFile(io.BytesIO(content)).num_row_groups == 3
    assert list(zip(*read.to_pydict().values(), strict=True)) == rows


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_table_without_rows_is_a_file(suffix):
    content = b"".join(FORMATS[suffix].encode(TABLE, []))
    assert (content == b"") == (suffix == "jsonl")


@pytest.mark.parametrize("suffix", FORMATS)
def test_many_rows_take_no_more_memory_than_few(suffix):
    def peak(n_rows: int) -> int:
        rows = ((f"row {i}", i, i / 7, True) for i in range(n_rows))
        tracemalloc.start()
        for _ in FORMATS[suffix].encode(TABLE, rows):
            pass
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(10)  # imports
    assert peak(8 * BLOCK_ROWS) < 1.5 * peak(2 * BLOCK_ROWS)


def test_a_folder_lists_rows_bytes_and_checksums_and_what_the_columns_mean(tmp_path):
    written = write_folder(tmp_path / "new", {TABLE: lambda: ROWS}, facts={"made_at": "today"})
    manifest = json.loads((tmp_path / "new" / MANIFEST).read_text())
    assert [file.name for file in written] == [
        "measurements.csv",
        "measurements.jsonl",
        "measurements.parquet",
    ]
    for file in manifest["files"]:
        content = (tmp_path / "new" / file["name"]).read_bytes()
        assert file["table"] == "measurements"
        assert file["n_rows"] == 3
        assert file["n_bytes"] == len(content)
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["made_at"] == "today"
    assert "remove one leading apostrophe" in manifest["cells"]
    assert manifest["tables"][0]["columns"][2] == {
        "name": "value",
        "type": "float",
        "meaning": "in seconds",
    }


def test_a_folder_that_was_not_finished_has_no_manifest(tmp_path):
    write_folder(tmp_path, {TABLE: lambda: ROWS}, facts={})

    def broken():
        yield ROWS[0]
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_folder(tmp_path, {TABLE: broken}, facts={})
    assert not (tmp_path / MANIFEST).exists()


def test_the_same_rows_give_the_same_bytes(tmp_path):
    first, second = (
        write_folder(tmp_path / name, {TABLE: lambda: ROWS}, facts={}) for name in ("a", "b")
    )
    assert first == second
