import inspect

import pytest

from catalog.workflows.conditions import CONDITIONS, UnknownTask, find_condition
from catalog.workflows.factors import IllegalMask
from catalog.workflows.registry import FAMILIES
from catalog.workflows.sources import SOURCES
from catalog.workflows.stages import compute
from catalog.workflows.tables import read_table
from catalog.workflows.versions import task_version
from tests.catalog import first_release


def test_the_first_release_has_36_conditions_on_30_sources_and_1248_records():
    conditions = [find_condition(slug) for slug in first_release.SLUGS]
    assert len(conditions) == 36
    assert len({condition.source.name for condition in conditions}) == 30
    assert sum(len(condition.masks) for condition in conditions) == 1248
    assert {condition.family.name for condition in conditions} == set(FAMILIES)


@pytest.mark.parametrize(
    ("name", "sizes"),
    # workflows.md, "Cohort sizes" and "Our own sources"
    [
        ("spambase", {"raw": 4601, "used": 4210, "train": 2947, "evaluation": 1263}),
        ("ionosphere", {"raw": 351, "used": 350, "train": 245, "evaluation": 105}),
        ("breast_diagnostic", {"raw": 569, "used": 569, "train": 398, "evaluation": 171}),
        ("concrete", {"raw": 1030, "used": 1005, "train": 702, "evaluation": 303}),
        ("wine", {"used": 178}),
        ("glass", {"raw": 214, "used": 213, "classes": 6}),
        ("penguins", {"used": 342}),
        ("pendigits", {"features": 16, "classes": 10}),
        ("graph_lesmis", {"nodes": 77, "edges": 254, "observed": 152}),
        ("graph_lesmis", {"calibration": 102, "test": 102}),
        ("drosophila_mushroom_body", {"nodes": 209, "edges": 5559}),
        ("ecg_208", {"samples": 108000}),
    ],
)
def test_the_sizes_of_the_specification_are_met(name, sizes):
    assert SOURCES[name].cohort.items() >= sizes.items()


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


PAIRED = [source.name for source in SOURCES.values() if source.n_factors == (4, 6)]


@pytest.mark.parametrize("source", PAIRED)
def test_mask_abcd_is_mask_abcd00_of_the_paired_condition(source):
    four, six = read_table(source), read_table(f"{source}__d6")
    for mask in four.utility:
        assert four.utility[mask] == six.utility[f"{mask}00"]
        assert four.prediction_sha256[mask] == six.prediction_sha256[f"{mask}00"]


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_the_code_shown_to_agents_has_every_function_of_ours_that_runs(family):
    compile(family.workflow_code(), family.name, "exec")
    assert {family.prepare, family.run} <= set(family.code)
    for function in family.code:
        called = (function.__globals__.get(name) for name in function.__code__.co_names)
        ours = {
            value
            for value in called
            if inspect.isfunction(value) and value.__module__.startswith("catalog.workflows")
        }
        assert ours - {compute} <= set(family.code)


@pytest.mark.parametrize("source", SOURCES.values(), ids=lambda source: source.name)
def test_the_code_shown_to_agents_names_no_source(source):
    assert source.name not in FAMILIES[source.family].workflow_code()


def test_versions_differ_between_tasks_and_follow_data_and_code(monkeypatch):
    versions = {task_version(condition) for condition in CONDITIONS.values()}
    assert len(versions) == len(CONDITIONS)

    nile = find_condition("nile")
    before = task_version(nile)
    assert task_version(nile) == before
    family = type(nile.family)
    monkeypatch.setattr(family, "workflow_code", lambda self: "another line")
    assert task_version(nile) != before
