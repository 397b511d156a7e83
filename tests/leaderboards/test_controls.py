"""`manage.py run_controls`, and the pages that show its records."""

import csv
import dataclasses
import functools
import io
import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

import scoring
from catalog.models import Disclosure, Task, Track
from leaderboards import actions, control_plan, queries
from leaderboards.control_plan import Control, PlayedTask, Trajectory
from leaderboards.models import ControlRecord
from scoring.controls import METHODS, run_control
from scoring.masks import all_masks
from scoring.native_units import native_recovery
from tests.builders import default_truth, make_family, make_source, make_task

pytestmark = pytest.mark.django_db

N_FOUR = 4 * 24  # budgets 0, 4, 8, 14; 20 random orders and four other methods
TRUTHS = {"nile": default_truth(), "glass": [math.sqrt(u) for u in default_truth()]}


def run(**options: object) -> list[str]:
    out = io.StringIO()
    call_command("run_controls", stdout=out, **options)
    return out.getvalue().splitlines()


def get(path: str) -> str:
    response = Client().get(path)
    assert response.status_code == 200
    text: str = b"".join(response).decode()
    return text


@pytest.fixture
def tasks() -> list[Task]:
    """A sealed and an open four-factor task, of two families."""
    return [
        make_task("nile", truth=TRUTHS["nile"]),
        make_task(
            "glass",
            truth=TRUTHS["glass"],
            source=make_source("glass", family=make_family("classification")),
            disclosure=Disclosure.OPEN,
        ),
    ]


@functools.cache
def played(task: PlayedTask) -> list[Control]:
    found = control_plan.trajectories({task: control_plan.PLANS["d4"].record_keys()})
    return [control for trajectory in found for control in control_plan.play(trajectory)]


def played_alone(task: Task) -> list[Control]:
    """Return the controls of one task; for tests of what is stored, played once a session."""
    of_any = played(PlayedTask(0, tuple(TRUTHS[task.slug]), task.source.family_id))
    return [dataclasses.replace(control, task_id=task.pk) for control in of_any]


@pytest.fixture
def controls(tasks: list[Task]) -> list[Task]:
    """The tasks, and all their records."""
    for task in tasks:
        actions.record_controls(controls=played_alone(task))
    return tasks


def test_a_record_is_what_the_control_scores_alone(tasks):
    run()
    assert ControlRecord.objects.count() == 2 * N_FOUR
    for record in ControlRecord.objects.select_related("task__source"):
        alone = run_control(
            record.method, TRUTHS[record.task.slug], record.budget_credits, seed=record.seed
        )
        family = record.task.source.family_id
        assert record.effect_recovery == alone.score.effect_recovery
        assert record.strict["0.1"] == alone.score.strict[0.1]
        assert record.spent_credits == len(alone.purchased) == record.budget_credits
        expected = native_recovery(TRUTHS[record.task.slug], alone.prediction, family)
        assert record.native_recovery == expected


def test_a_second_run_adds_and_changes_nothing(controls):
    before = list(ControlRecord.objects.order_by("pk").values())
    assert run() == [f"{2 * N_FOUR} of {2 * N_FOUR} records stored"]
    assert list(ControlRecord.objects.order_by("pk").values()) == before


def test_a_run_that_was_stopped_plays_only_what_is_missing(controls, monkeypatch):
    whole = set(ControlRecord.objects.values_list("task", "method", "seed", "effect_recovery"))
    kept = ControlRecord.objects.filter(task__slug="nile", method="design_degree1")
    kept_keys = set(kept.values_list("pk", flat=True))
    ControlRecord.objects.filter(task__slug="nile", method="design_degree2").delete()
    ControlRecord.objects.filter(task__slug="glass", seed=7, budget_credits=8).delete()
    missing = [
        (trajectory.method, trajectory.seed, trajectory.budgets)
        for trajectory in queries.pending_controls()
    ]
    assert sorted(missing) == [("design_degree2", 0, (0, 4, 8, 14)), ("random_degree2", 7, (8,))]
    assert run()[-1] == f"{2 * N_FOUR} of {2 * N_FOUR} records stored"
    assert set(kept.values_list("pk", flat=True)) == kept_keys
    records = ControlRecord.objects.values_list("task", "method", "seed", "effect_recovery")
    assert set(records) == whole


def test_processes_find_what_one_process_finds(tasks):
    alone = played_alone(tasks[0])
    run(task="nile", jobs=2)
    records = {(r.method, r.seed, r.budget_credits): r for r in ControlRecord.objects.all()}
    assert len(records) == len(alone) == N_FOUR
    for control in alone:
        record = records[control.method, control.seed, control.budget]
        assert record.effect_recovery == control.score.effect_recovery
        assert record.grid_mae == control.score.grid_mae


def test_the_progress_is_told_a_method(tasks):
    # Two tasks, four budgets; 20 orders of the random method.
    assert run() == [
        "design_degree1: 8 records, 8 of 192 records stored",
        "design_degree2: 8 records, 16 of 192 records stored",
        "random_degree2: 160 records, 176 of 192 records stored",
        "gp_grid_variance: 8 records, 184 of 192 records stored",
        "gp_effect_variance: 8 records, 192 of 192 records stored",
        "192 of 192 records stored",
    ]


def test_a_method_that_looks_at_no_observation_is_played_once_for_all_tasks(tasks):
    n_tasks = Counter(
        (trajectory.method, len(trajectory.tasks)) for trajectory in queries.pending_controls()
    )
    assert n_tasks == {
        ("design_degree1", 2): 1,
        ("design_degree2", 2): 1,
        ("random_degree2", 2): 20,
        ("gp_grid_variance", 1): 2,
        ("gp_effect_variance", 1): 2,
    }


def test_a_record_exists_once(controls):
    record = ControlRecord.objects.first()
    record.pk = None
    with pytest.raises(IntegrityError, match="control_once"), transaction.atomic():
        record.save()


def test_another_scoring_version_is_another_record_and_not_shown_with_this_one(controls):
    ControlRecord.objects.update(scoring_version="0.9.0")
    assert [table.n_records for table in queries.control_tables()] == [0]
    actions.record_controls(controls=played_alone(controls[0]))
    assert ControlRecord.objects.filter(task=controls[0]).count() == 2 * N_FOUR


@pytest.mark.parametrize("options", [{"task": "atlantis"}, {"jobs": 0}])
def test_what_cannot_be_run_is_refused(tasks, options):
    with pytest.raises(CommandError):
        run(**options)


def test_tasks_are_played_together_only_where_masks_are_equal_in_both():
    """Methods that read code merge masks by the family's guards."""
    for slug, family in (("concrete", "regression"), ("wine", "clustering")):
        source = make_source(slug, family=make_family(family))
        track = Track.SIX_FACTOR_PAIRED
        make_task(f"{slug}__d6", truth=default_truth(6), source=source, track=track)
    for trajectory in queries.pending_controls():
        together = trajectory.method in ("design_degree1", "design_degree2", "random_degree2")
        assert len(trajectory.tasks) == (2 if together else 1)


def test_a_paired_task_is_played_with_its_familys_guards():
    make_task(
        "concrete__d6",
        truth=default_truth(6),
        source=make_source("concrete", family=make_family("regression")),
        track=Track.SIX_FACTOR_PAIRED,
    )
    found = queries.pending_controls()
    assert sum(len(trajectory.budgets) for trajectory in found) == 7 * 27
    [code] = [t for t in found if t.method == "gp_code_effect_variance"]
    # Classes less anchors: after these nothing unknown is left to buy.
    assert [control.spent for control in control_plan.play(code)] == [0, 4, 8, 14, 20, 32, 36 - 2]


def test_a_figure_is_the_family_macro_mean_and_counts_are_of_tasks(controls):
    [table] = queries.control_tables()
    assert (table.track, table.n_tasks, table.n_planned) == (Track.FOUR_FACTOR, 2, 2 * N_FOUR)
    cell = dict(table.rows)["random_degree2"][2]
    runs = {
        slug: [run_control("random_degree2", truth, 8, seed=seed).score for seed in range(20)]
        for slug, truth in TRUTHS.items()
    }
    means = [statistics.fmean(s.effect_recovery for s in scores) for scores in runs.values()]
    assert cell.recovery_score == pytest.approx(statistics.fmean(means), rel=1e-14)
    n_exact = sum(s.exact_choice for scores in runs.values() for s in scores)
    assert cell.exact_count == n_exact / 20
    assert list(cell.strict_counts or ()) == ["0.025", "0.05", "0.1", "0.2", "0.4"]


def test_a_figure_waits_for_all_its_records(controls):
    ControlRecord.objects.filter(method="random_degree2", budget_credits=8, seed=3).delete()
    [table] = queries.control_tables()
    cell = dict(table.rows)["random_degree2"][2]
    assert (cell.n_records, cell.n_planned, cell.recovery_score) == (38, 40, None)
    page = get("/leaderboards/controls/")
    assert "38 of 40" in page
    assert f"{2 * N_FOUR - 2} of {2 * N_FOUR} records" in page


def test_page_csv_and_api_show_the_same_digits(controls):
    page = get("/leaderboards/controls/")
    rows = list(csv.DictReader(io.StringIO(get("/leaderboards/controls.csv"))))
    [table] = json.loads(get("/api/v1/controls/"), parse_float=str)
    assert len(table["cells"]) == len(rows) == 5 * 4
    for cell, row in zip(table["cells"], rows, strict=True):
        digits = cell["recovery_score"]
        assert row["recovery_score"] == digits
        assert row["native_recovery_score"] == cell["native_recovery_score"]
        assert row["strict_count_0.1"] == cell["strict_counts"]["0.1"]
        assert f'<data value="{digits}">{float(digits):.3f}</data>' in page


def test_the_papers_figures_are_shown_as_the_papers(controls):
    text = " ".join(re.sub("<[^>]+>", " ", get("/leaderboards/controls/")).split())
    [table] = queries.control_tables()
    ours = dict(table.rows)["design_degree2"][2]
    expected = f"design_degree2 8 {ours.recovery.rounded} 0.612 {ours.native.rounded} 0.633"
    assert expected in text
    assert "The paper's figures belong to its own 36 tables" in text


def pages_of_records() -> Iterator[Any]:
    address = "/api/v1/controls/records/?limit=100"
    while address:
        reply = json.loads(get(address))
        yield from reply["results"]
        address = reply["next"]


def test_every_record_is_served_with_scores_and_without_masks(controls):
    rows = list(csv.DictReader(io.StringIO(get("/leaderboards/controls/records.csv"))))
    records = list(pages_of_records())
    assert len(rows) == len(records) == 2 * N_FOUR
    for row, record in zip(rows, records, strict=True):
        assert (row["task"], row["version"]) == (record["task"], record["version"])
        assert float(row["effect_recovery"]) == record["effect_recovery"]
        assert row["strict_0.1"] == str(record["strict"]["0.1"]).lower()
        assert row["scoring_version"] == scoring.VERSION
        texts = {*row.values(), *map(str, record.values())}
        assert not texts & set(all_masks(4))


def test_scores_of_a_sealed_task_are_served_rounded_and_of_an_open_one_in_full(controls):
    stored = ControlRecord.objects.order_by("pk").values_list("effect_mae", flat=True)
    for record, effect_mae in zip(pages_of_records(), stored, strict=True):
        expected = round(effect_mae, 3) if record["task"] == "nile" else effect_mae
        assert record["effect_mae"] == expected


def test_without_tasks_the_page_says_what_would_fill_it():
    assert "manage.py load_catalog" in get("/leaderboards/controls/")


def test_a_trajectory_is_played_once_for_all_its_budgets():
    keys = [("design_degree1", 0, 4), ("random_degree2", 2, 0), ("design_degree1", 0, 8)]
    task = PlayedTask(1, tuple(default_truth()), "forecasting")
    found = control_plan.trajectories({task: keys})
    assert found == [
        Trajectory("design_degree1", 0, (4, 8), (task,)),
        Trajectory("random_degree2", 2, (0,), (task,)),
    ]
    played: list[Control] = control_plan.play(found[0])
    assert [(c.method, c.budget, c.spent) for c in played] == [
        ("design_degree1", 4, 4),
        ("design_degree1", 8, 8),
    ]


def test_the_plan_knows_every_method():
    assert set(control_plan.PLANS["d6-paired"].methods) == set(METHODS)
