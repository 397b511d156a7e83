"""Real workers that are asked to stop, or meet a time limit (C53, C55)."""

from contextlib import contextmanager

import pytest
import redis
from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from episodes.actions import jobs
from episodes.actions.sweep import sweep_jobs
from episodes.models import Episode, Measurement, PlayerJob
from leaderboards.models import Board, EpisodeScore
from tests.builders import make_task
from tests.players import buy_as_attempt, claim, make_job
from tests.workers import (
    assert_every_episode_ended_once,
    environment_of_test,
    log_of,
    wait_for_jobs,
    wait_until,
    worker,
)

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

LIMIT_SECONDS = 2
RECOMPUTE = "leaderboards.recompute_stale_boards"


@pytest.fixture(autouse=True)
def _empty_broker():
    redis.from_url(settings.REDIS_URL).flushdb()


def test_a_worker_that_is_asked_to_stop_ends_what_it_began_and_leaves_the_rest_to_the_next(
    tmp_path,
):
    task = make_task()
    players = [make_job(task, method="random_degree2", seed=seed) for seed in range(6)]
    jobs.send_jobs(job_ids=[job.id for job in players], now=timezone.now())

    # Neither clock nor sweep: nothing but the messages can bring a job to a worker.
    with worker(environment_of_test(), tmp_path, queues="players", clock=False) as process:
        wait_for_jobs(1, state="running")
        process.terminate()
        assert process.wait() == 0
    states = [*PlayerJob.objects.values_list("state", flat=True)]
    assert {"done", "queued"} == {*states}, states

    with worker(environment_of_test(), tmp_path, queues="players", clock=False):
        wait_for_jobs(len(players), state="done")
    assert_every_episode_ended_once()
    assert {*PlayerJob.objects.values_list("attempt", flat=True)} == {1}


def test_a_limit_met_in_set_up_purchase_delivery_or_scoring_is_ours_and_that_part_is_done_again(
    tmp_path,
):
    task, now = make_task(), timezone.now()
    players = [make_job(task, method="random_degree2", seed=seed) for seed in range(3)]
    set_up, buying, delivering = players
    for job, n_purchases in ((buying, 3), (delivering, 8)):
        claimed = claim(job, now=now)
        buy_as_attempt(job, claimed, n_purchases, now=now)
        jobs.fail_job(claim=claimed, cause="")

    with worker(environment_of_test(), tmp_path, queues="players,default", clock=False):
        with waiting_for_locks_on(Episode):
            for job in players:
                send(jobs.PLAY_JOB, soft_time_limit=LIMIT_SECONDS, job_id=str(job.id))
            wait_for_jobs(3, state="queued", cause="limit:soft_time")
            assert PlayerJob.objects.get(id=set_up.id).episode is None
            assert Measurement.objects.count() == 3 + 8
        sweep_jobs(now=timezone.now(), n_messages=0)
        wait_for_jobs(3, state="done")
        assert_every_episode_ended_once()
        attempts = PlayerJob.objects.order_by("seed").values_list("attempt", flat=True)
        assert list(attempts) == [2, 3, 3]

        with waiting_for_locks_on(EpisodeScore):
            send(RECOMPUTE, soft_time_limit=LIMIT_SECONDS)
            wait_until(lambda: "SoftTimeLimitExceeded" in log(tmp_path), lambda: log(tmp_path))
            assert not EpisodeScore.objects.exists()
        send(RECOMPUTE)  # as the clock does
        wait_until(Board.objects.exclude(current=None).exists, lambda: log(tmp_path))
    assert EpisodeScore.objects.count() == 3
    assert {*Episode.objects.values_list("state", "cause")} == {("submitted", "")}


@contextmanager
def waiting_for_locks_on(model):
    """Let whoever writes such a row wait, however short the time is that they have."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {model._meta.db_table} IN SHARE MODE")
        yield


def send(name, *, soft_time_limit=None, **arguments):
    current_app.send_task(name, kwargs=arguments, soft_time_limit=soft_time_limit)


def log(tmp_path):
    return log_of(tmp_path).read_text()
