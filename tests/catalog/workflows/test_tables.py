import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from catalog.workflows.conditions import CONDITIONS, conditions_of, find_condition
from catalog.workflows.fragile_cells import FRAGILE_CELLS
from catalog.workflows.replay import Record, replay
from catalog.workflows.source_files import DATA
from catalog.workflows.sources.importable import IMPORTABLE
from catalog.workflows.tables import (
    MissingTable,
    Table,
    compare,
    differences,
    read_table,
    table_of,
    write_table,
)
from tests.shared import SHARED, needs_shared

PUBLISHED = SHARED / "data" / "wwb" / "references"


@needs_shared
@pytest.mark.shared
@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.json")), ids=lambda path: path.stem)
def test_committed_utilities_equal_the_published_ones(path):
    if path.stem not in CONDITIONS:
        pytest.skip("no package ships the data of this source")
    reference, table = json.loads(path.read_text()), read_table(path.stem)
    assert table.utility == pytest.approx(reference["truth"], abs=1e-9, rel=0)
    if "native_value" in reference:
        assert table.native_value == pytest.approx(reference["native_value"], abs=1e-9)


@pytest.mark.parametrize("slug", CONDITIONS)
def test_a_committed_table_has_every_mask_and_utilities_in_the_unit_interval(slug):
    table, condition = read_table(slug), find_condition(slug)
    for column in (table.utility, table.native_value, table.prediction_sha256):
        assert tuple(column) == condition.masks
    assert all(0 <= utility <= 1 for utility in table.utility.values())


def test_there_is_a_table_for_every_condition_and_no_other():
    assert {path.stem for path in (DATA / "tables").glob("*.json")} == set(CONDITIONS)


@pytest.mark.parametrize("slug", [slug for slug in CONDITIONS if f"{slug}__d6" not in CONDITIONS])
def test_recomputed_records_equal_the_committed_table(slug):
    condition, table = find_condition(slug), read_table(slug)
    masks = condition.masks if slug == "nile" else condition.masks[:: len(condition.masks) // 3]
    comparisons = [compare(record, table) for record in replay(condition, masks)]
    assert [str(found) for found in comparisons if found.verdict == "different"] == []


def test_a_difference_is_forgiven_only_where_it_is_known():
    table = read_table("spambase")
    for mask, verdict in (("0011", "fragile"), ("0010", "different")):
        native_value = table.native_value[mask]
        known = Record("spambase", mask, native_value, table.utility[mask] + 1e-3, "ab", 0.1)
        assert compare(known, table).verdict == verdict


def test_fragile_cells_are_cells_of_the_catalogue_or_of_what_can_be_imported():
    importable = {
        condition.slug: condition
        for source in IMPORTABLE.values()
        for condition in conditions_of(source)
    }
    for slug, mask in FRAGILE_CELLS:
        assert mask in (CONDITIONS | importable)[slug].masks


def test_each_field_that_differs_is_named():
    table = Table("t", {"0": 0.5}, {"0": 3.0}, {"0": "ab"}, {})
    record = Record("t", "0", 3.0, 0.5, "ab", 0.1)
    assert differences(record, table) == ()
    assert differences(replace(record, utility=0.5 + 1e-10), table) == ()
    assert differences(replace(record, utility=0.5 + 2e-9), table)[0].startswith("utility")
    assert differences(replace(record, native_value=3.1), table)[0].startswith("native value")
    assert differences(replace(record, prediction_sha256="cd"), table) == ("prediction hash",)
    assert differences(replace(record, mask="1"), table) == ("mask not in the table",)


def test_a_written_table_is_read_back_in_mask_order(tmp_path):
    records = list(replay(find_condition("nile")))
    table = table_of("nile", reversed(records))
    write_table(table, tmp_path)
    assert read_table("nile", tmp_path) == table
    assert list(table.utility) == list(find_condition("nile").masks)


def test_a_missing_table_says_how_to_make_it(tmp_path):
    with pytest.raises(MissingTable, match="replay --task nile --write"):
        read_table("nile", tmp_path)


def test_the_command_reports_each_record_and_the_sum():
    output = StringIO()
    call_command("replay", "--task", "nile", "--jobs", "2", stdout=output)
    lines = output.getvalue().splitlines()
    assert sum(line.startswith("nile ") and line.endswith(" equal") for line in lines) == 16
    assert lines[-1] == "16 of 16 records equal"
    assert any(line.startswith("cpu ") for line in lines)
    assert any("openblas" in line and line.endswith("threads 1") for line in lines)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_report_has_every_record_with_what_it_was_computed_on(tmp_path, jobs):
    report = tmp_path / "replay.jsonl"
    report.write_text("of an earlier run")
    options = ("--task", "nile", "--jobs", jobs, "--report", str(report))
    call_command("replay", *options, stdout=StringIO())
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    table = read_table("nile")
    assert {line["mask"]: line["prediction_sha256"] for line in lines} == table.prediction_sha256
    for line in lines:
        assert line["task"] == "nile"
        assert line["utility"] == pytest.approx(table.utility[line["mask"]], abs=1e-9)
        assert line["native_value"] == pytest.approx(table.native_value[line["mask"]], rel=1e-9)
        assert (line["verdict"], line["reasons"]) == ("equal", [])
        assert line["seconds"] > 0
        assert line["versions"]["numpy"]
        assert line["cpu"]
        assert {pool["threads"] for pool in line["thread_pools"]} == {1}
        assert any(pool["kernel"] for pool in line["thread_pools"])


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("replay", "--task", "nile", "--report", str(tmp_path / "absent" / "file"))


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (["--task", "niles"], "no task 'niles'"),
        (["--task", ""], "no task ''"),
        (["--task", "nile", "--jobs", "0"], "--jobs: must be at least 1"),
    ],
)
def test_the_command_refuses_what_it_cannot_replay(options, refusal):
    with pytest.raises(CommandError, match=refusal):
        call_command("replay", *options)


def test_the_command_fails_on_a_different_record(monkeypatch):
    table = read_table("nile")
    changed = replace(table, utility=table.utility | {"0110": 0.5})
    monkeypatch.setattr("catalog.management.commands.replay.read_table", lambda _: changed)
    output = StringIO()
    with pytest.raises(CommandError, match="1 records differ"):
        call_command("replay", "--task", "nile", stdout=output)
    assert "nile 0110" in next(
        line for line in output.getvalue().splitlines() if "different:" in line
    )
    assert "15 of 16 records equal" in output.getvalue()
