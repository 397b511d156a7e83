"""CSV, JSON Lines and Parquet say the same, hostile text too."""

import json

import pytest
from pyarrow import parquet

from catalog.tabular_files import CSV_WITH_MARK, FORMATS
from judgments import exports
from tests.judgments.exports.reading import HOSTILE, csv_records, export, played, records

pytestmark = pytest.mark.django_db(transaction=True)


def test_hostile_comments_are_the_same_in_every_format(study, tmp_path):
    played(study, comments=HOSTILE)
    export(study, tmp_path / "new")
    expected = [*HOSTILE, *[None] * (120 - len(HOSTILE))]
    assert [row["comment"] for row in records(tmp_path / "new", "items")] == expected
    read = parquet.read_table(tmp_path / "new" / "items.parquet")
    assert read.column("comment").to_pylist() == expected
    cells = [row["comment"] for row in csv_records(tmp_path / "new", "items")]
    assert [cell.removeprefix("'") or None for cell in cells] == expected
    risky = tuple("=+-@\t\r")
    assert not [cell for cell in cells if cell.startswith(risky)]
    assert exports.verify(tmp_path / "new") == []


def test_csv_text_and_numbers_are_those_of_json_lines(study, tmp_path):
    played(study, comments=HOSTILE)
    manifest = export(study, tmp_path / "new")
    for table in manifest["tables"]:
        lines, cells = (read(tmp_path / "new", table["name"]) for read in (records, csv_records))
        assert len(lines) == len(cells)
        for line, row in zip(lines, cells, strict=True):
            for column in table["columns"]:
                value, cell = line[column["name"]], row[column["name"]]
                if value is None:
                    assert cell == ""
                elif column["type"] == "str":
                    assert cell.removeprefix("'") == value
                else:
                    assert cell == json.dumps(value)


def test_a_byte_order_mark_is_an_option_and_parses_to_the_same(study, tmp_path):
    played(study, comments=HOSTILE)
    export(study, tmp_path / "plain", formats=[FORMATS["csv"]])
    export(study, tmp_path / "marked", formats=[CSV_WITH_MARK])
    plain, marked = ((tmp_path / name / "items.csv").read_bytes() for name in ("plain", "marked"))
    assert marked == b"\xef\xbb\xbf" + plain
    assert exports.verify(tmp_path / "marked") == []
