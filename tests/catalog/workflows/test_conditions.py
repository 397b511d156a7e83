import pytest

from catalog.workflows.conditions import CONDITIONS, UnknownTask, find_condition
from catalog.workflows.factors import IllegalMask
from catalog.workflows.replay import replay
from catalog.workflows.sources import SOURCES
from catalog.workflows.versions import task_version


def test_ten_conditions_have_256_records():
    assert len(CONDITIONS) == 10
    assert sum(len(condition.masks) for condition in CONDITIONS.values()) == 256


@pytest.mark.parametrize("source", SOURCES.values(), ids=lambda source: source.name)
def test_the_stated_cohort_is_that_of_the_prepared_data(source):
    assert source.prepare().cohort == source.cohort


def test_an_unknown_slug_is_refused():
    with pytest.raises(UnknownTask, match="no task 'co3'"):
        find_condition("co3")


def test_a_mask_of_the_other_track_is_refused():
    with pytest.raises(IllegalMask):
        find_condition("nile").run("000000")
    with pytest.raises(IllegalMask):
        find_condition("co2__d6").run("0000")


@pytest.mark.parametrize("source", ["co2", "astronaut"])
def test_mask_abcd_is_mask_abcd00_of_the_paired_condition(source):
    four, six = find_condition(source), find_condition(f"{source}__d6")
    paired = [mask + "00" for mask in four.masks]
    for left, right in zip(replay(four), replay(six, paired), strict=True):
        assert left.utility == right.utility
        assert left.prediction_sha256 == right.prediction_sha256


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=lambda condition: condition.slug)
def test_the_code_shown_to_agents_is_complete_and_tells_no_answer(condition):
    code = condition.family.workflow_code()
    compile(code, condition.slug, "exec")
    assert "def run(" in code
    assert "def prepare(" in code
    assert condition.source.name not in code


def test_versions_differ_between_tasks_and_follow_data_and_code(monkeypatch):
    versions = {task_version(condition) for condition in CONDITIONS.values()}
    assert len(versions) == len(CONDITIONS)

    nile = find_condition("nile")
    before = task_version(nile)
    assert task_version(nile) == before
    family = type(nile.family)
    monkeypatch.setattr(family, "workflow_code", lambda self: "another line")
    assert task_version(nile) != before
