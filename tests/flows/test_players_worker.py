"""Real Celery workers, killed and doubled: every episode ends once (C52, C53; acceptance 5)."""

import json
import subprocess
import sys
from datetime import timedelta
from math import fsum
from statistics import stdev

import numpy as np
import pytest
import redis
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from episodes.actions import jobs, ledger
from episodes.actions.sweep import sweep_jobs
from episodes.models import PlayerJob
from scoring.controls import run_control
from scoring.masks import all_masks, index_of
from scoring.surfaces import grade
from tests.builders import default_truth, make_family, make_source, make_task
from tests.players import buy_as_attempt, claim, make_job
from tests.shared import SHARED, needs_shared
from tests.workers import (
    assert_every_episode_ended_once,
    environment_of_test,
    wait_for_jobs,
    worker,
)

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

FAMILIES = {"co2": "forecasting", "astronaut": "image_restoration"}
METHODS = (
    "design_degree1",
    "design_degree2",
    "random_degree2",
    "gp_grid_variance",
    "gp_effect_variance",
)


@pytest.fixture(autouse=True)
def _empty_broker():
    redis.from_url(settings.REDIS_URL).flushdb()


@pytest.fixture
def environment():
    """That of a worker with short delays."""
    return environment_of_test(JOB_LEASE_SECONDS="2", SWEEP_SECONDS="1")


def make_published_task(slug):
    """Return the task of a published table, and the table as a surface."""
    table = json.loads((SHARED / f"data/wwb/references/{slug}.json").read_text())["truth"]
    truth = [table[mask] for mask in all_masks(4)]
    source = make_source(slug, family=make_family(FAMILIES[slug]))
    make_task(slug, truth=truth, source=source)
    return truth


def score(job, truth):
    """Grade what a job delivered, its measured cells overwritten as the spec says."""
    delivered = np.array(list(job.episode.prediction.table.values()))
    for bought in job.episode.measurements.all():
        delivered[index_of(bought.mask, 4)] = bought.utility
    return grade(truth, delivered)


def mean(values):
    return fsum(values) / len(values)


@needs_shared
def test_killed_and_doubled_players_meet_every_recorded_cell(environment, tmp_path):
    truths = {slug: make_published_task(slug) for slug in FAMILIES}
    call_command("run_players", "--budget", "8")
    n_jobs = 2 * (4 + 20)
    now = timezone.now()
    assert jobs.send_jobs(job_ids=PlayerJob.objects.values_list("id", flat=True), now=now) == n_jobs

    with worker(environment, tmp_path):
        wait_for_jobs(n_jobs // 3, state="done")
        wait_for_jobs(1, state="running", episode__spent_credits__in=[1, 2, 3, 4])
    with worker(environment, tmp_path):
        wait_for_jobs(n_jobs, state="done")

    assert_every_episode_ended_once()
    cells = json.loads((SHARED / "data/wwb/recorded_controls.json").read_text())["recorded"]
    recorded = [
        cell
        for cell in cells
        if cell["condition"] in truths and cell["method"] in METHODS and cell["budget"] == 8
    ]
    assert len(recorded) == 2 * len(METHODS)
    for cell in recorded:
        played = PlayerJob.objects.filter(
            task__slug=cell["condition"], method=cell["method"]
        ).select_related("episode__prediction")
        scores = [score(job, truths[cell["condition"]]) for job in played.order_by("seed")]
        recoveries = [one.effect_recovery for one in scores]
        assert len(scores) == cell["records"]
        assert mean(recoveries) == pytest.approx(cell["effect_recovery"], abs=1e-12)
        for field, name in (
            ("effect_mae", "effect_mae"),
            ("interaction_mae", "interaction_mae"),
            ("grid_mae", "grid_mae"),
            ("selection_regret", "support_regret"),
        ):
            values = [getattr(one, field) for one in scores]
            assert mean(values) == pytest.approx(cell[name], abs=1e-12)
        assert sum(one.exact_choice for one in scores) == cell["exact_count"]
        assert sum(one.strict[0.1] for one in scores) == cell["strict_count"]
        if len(scores) > 1:
            assert stdev(recoveries) == pytest.approx(cell["recovery_sample_sd"], abs=1e-12)


def test_a_job_is_finished_once_from_each_state_that_a_killed_worker_leaves(environment, tmp_path):
    task = make_task()
    _never_sent, message_lost, claimed, opened, bought, delivered = players = [
        make_job(task, method="random_degree2", seed=seed) for seed in range(6)
    ]
    now = timezone.now()
    long_ago = now - timedelta(minutes=2)
    jobs.send_jobs(job_ids=[message_lost.id], now=long_ago)
    redis.from_url(settings.REDIS_URL).flushdb()
    claim(claimed, now=long_ago)
    buy_as_attempt(opened, claim(opened, now=long_ago), 0, now=now)
    buy_as_attempt(bought, claim(bought, now=long_ago), 3, now=now)
    episode = buy_as_attempt(delivered, claim(delivered, now=long_ago), 8, now=now)
    table = dict.fromkeys(all_masks(4), 0.5)
    ledger.submit_prediction(agent=episode.agent, episode_id=episode.id, predictions=table, now=now)

    with worker(environment, tmp_path):
        wait_for_jobs(len(players), state="done")

    assert_every_episode_ended_once()
    for job in PlayerJob.objects.select_related("episode"):
        masks = job.episode.measurements.values_list("mask", flat=True)
        run = run_control("random_degree2", default_truth(), 8, seed=job.seed)
        assert tuple(masks) == run.purchased
    attempts = PlayerJob.objects.order_by("seed").values_list("attempt", flat=True)
    # The delivered table needed no second worker, the others that were claimed did.
    assert list(attempts) == [1, 1, 2, 2, 2, 1]


def test_players_asked_for_while_the_broker_is_away_wait_for_the_sweep(environment, tmp_path):
    make_task()
    nowhere = environment | {"REDIS_URL": f"unix://{tmp_path / 'nowhere.sock'}"}
    command = [sys.executable, "manage.py", "run_players", "--budget", "8", "--seeds", "1"]
    subprocess.run(command, env=nowhere, cwd=settings.BASE_DIR, check=True, capture_output=True)
    assert PlayerJob.objects.filter(state="queued", sent_at=None).count() == 5
    assert sweep_jobs(now=timezone.now(), n_messages=0).n_sent == 5
