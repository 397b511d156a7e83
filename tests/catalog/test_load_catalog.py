"""manage.py load_catalog: whole, idempotent, and never another outcome under the same version."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from catalog.management.commands import load_catalog
from catalog.models import Disclosure, Family, Release, Source, Task, Track
from catalog.truth import Outcome, surface
from catalog.workflows.conditions import CONDITIONS, find_condition
from catalog.workflows.sources import SOURCES
from catalog.workflows.tables import Table, read_table

pytestmark = pytest.mark.django_db


def load() -> str:
    out = StringIO()
    call_command("load_catalog", stdout=out)
    return out.getvalue()


@pytest.fixture
def tables(monkeypatch):
    """Let a test change committed tables: slug to table."""
    changed: dict[str, Table] = {}
    monkeypatch.setattr(
        load_catalog, "read_table", lambda slug: changed.get(slug) or read_table(slug)
    )
    return changed


N_TASKS = len(CONDITIONS)
N_OUTCOMES = sum(len(condition.masks) for condition in CONDITIONS.values())


def test_every_condition_is_a_task_with_all_its_outcomes():
    assert load() == f"wwbsite-1: {N_TASKS} tasks, {N_OUTCOMES} outcomes\ng1: 30 research states\n"
    assert Task.objects.filter(is_current=True).count() == N_TASKS
    assert Outcome.objects.count() == N_OUTCOMES
    assert set(Source.objects.values_list("slug", flat=True)) == set(SOURCES)
    assert Family.objects.count() == 8
    assert set(Task.objects.values_list("release", flat=True)) == {"wwbsite-1"}


def test_loaded_outcomes_are_those_of_the_committed_tables():
    load()
    for slug in CONDITIONS:
        task = Task.objects.get(slug=slug)
        assert surface(task).tolist() == list(read_table(slug).utility.values())


def test_only_the_open_tasks_show_their_surface():
    load()
    shown = Task.objects.filter(open_surface__isnull=False)
    # docs/decisions/0003-disclosure.md: one a family
    assert {task.slug for task in shown} == {
        "digits",
        "diabetes",
        "penguins",
        "nile",
        "rocket",
        "debtags",
        "simulated_sinus__d6",
        "karate__d6",
    }
    assert len({task.source.family_id for task in shown}) == 8
    assert all(task.disclosure == Disclosure.OPEN for task in shown)
    assert Task.objects.get(slug="nile").open_surface == read_table("nile").utility


def test_anchors_and_tracks_follow_the_number_of_factors():
    load()
    paired = Task.objects.get(slug="co2__d6")
    assert paired.track == Track.SIX_FACTOR_PAIRED
    assert set(paired.anchors) == {"000000", "111111"}
    assert [factor["letter"] for factor in paired.factors] == list("ABCDEF")
    assert Task.objects.get(slug="co2").track == Track.FOUR_FACTOR


def test_a_second_load_changes_no_row():
    load()
    before = list(Task.objects.values().order_by("pk"))
    load()
    assert list(Task.objects.values().order_by("pk")) == before
    assert Outcome.objects.count() == N_OUTCOMES


def test_a_second_load_takes_less_than_one_query_an_outcome(django_assert_max_num_queries):
    load()
    with django_assert_max_num_queries(N_OUTCOMES // 2):
        load()


@pytest.mark.parametrize("column", ["utility", "native_value"])
def test_a_changed_table_under_the_same_version_is_refused_and_names_task_and_mask(tables, column):
    load()
    co2 = read_table("co2")
    values = getattr(co2, column) | {"0101": 0.123456}
    tables["co2"] = replace(co2, **{column: values})
    with pytest.raises(
        CommandError, match=r"co2: the outcome of mask 0101 changed .* version"
    ) as e:
        load()
    assert "\n" not in str(e.value)
    assert "0.123456" not in str(e.value)


def test_a_refused_load_leaves_nothing_behind(tables):
    co2 = read_table("co2")
    tables["rocket"] = replace(co2, task="rocket", utility={"0000": 0.5})
    with pytest.raises(CommandError, match="rocket: the table and the task disagree on mask 0001"):
        load()
    assert not Task.objects.exists()
    assert not Release.objects.exists()


def test_changed_words_under_the_same_version_are_refused(monkeypatch):
    load()
    nile = find_condition("nile")
    reworded = replace(nile, source=replace(nile.source, question="Which options help?"))
    monkeypatch.setitem(CONDITIONS, "nile", reworded)
    with pytest.raises(CommandError, match="nile: question changed under the same version"):
        load()


def test_a_changed_version_becomes_current_and_the_old_one_stays(monkeypatch):
    load()
    old = Task.objects.get(slug="nile")
    monkeypatch.setattr("catalog.actions.tasks.task_version", lambda condition: "f" * 64)
    load()
    assert Task.objects.get(slug="nile", is_current=True).version == "f" * 64
    old.refresh_from_db()
    assert not old.is_current
    assert len(surface(old)) == 16


def test_going_back_to_an_old_version_makes_it_current_again(monkeypatch):
    load()
    with monkeypatch.context() as patch:
        patch.setattr("catalog.actions.tasks.task_version", lambda condition: "f" * 64)
        load()
    load()
    assert Task.objects.count() == 2 * N_TASKS
    assert "f" * 64 not in Task.objects.filter(is_current=True).values_list("version", flat=True)
