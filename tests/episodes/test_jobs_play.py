"""A player at work: what it delivers, and that a second start repeats nothing (C52, C53)."""

import signal
from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from episodes import tasks
from episodes.actions.jobs import LeaseLost
from episodes.actions.play import play_job
from episodes.actions.sweep import sweep_jobs
from episodes.models import Episode, Measurement, PlayerJob, Purchase
from episodes.states import EpisodeClosed
from scoring.controls import run_control
from scoring.masks import all_masks
from tests.builders import NOW, default_truth, make_task
from tests.players import buy_as_attempt, claim, give_to_newer_attempt, make_job

METHODS = ["design_degree1", "design_degree2", "random_degree2", "gp_effect_variance"]


def play(job, *, now=NOW):
    play_job(claim=claim(job), clock=lambda: now)


def purchased():
    return tuple(Measurement.objects.order_by("position").values_list("mask", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("method", METHODS)
def test_a_player_buys_and_delivers_what_its_method_gives_on_the_known_surface(method):
    job = make_job(make_task(), method=method)
    play(job)
    job.refresh_from_db()
    expected = run_control(method, default_truth(), 8)
    assert purchased() == expected.purchased
    assert job.episode.prediction.table == dict(
        zip(all_masks(4), expected.prediction.tolist(), strict=True)
    )
    assert (job.state, job.episode.state, job.episode.spent_credits) == ("done", "submitted", 8)


@pytest.mark.django_db
def test_every_purchase_carries_the_job_and_its_number():
    job = make_job(make_task(), budget=2)
    play(job)
    keys = Purchase.objects.values_list("idempotency_key", flat=True)
    assert list(keys) == [f"{job.id}:1", f"{job.id}:2"]


@pytest.mark.django_db
@pytest.mark.parametrize("n_purchases", [0, 1, 5, 8])
def test_a_second_attempt_goes_on_where_the_first_was_killed(n_purchases):
    job = make_job(make_task())
    buy_as_attempt(job, claim(job), n_purchases)

    play_job(claim=give_to_newer_attempt(job), clock=lambda: NOW)

    assert purchased() == run_control("design_degree1", default_truth(), 8).purchased
    assert Purchase.objects.count() == 8
    assert Episode.objects.get().spent_credits == 8


@pytest.mark.django_db
def test_a_worker_that_is_overtaken_between_two_purchases_stops():
    job = make_job(make_task())
    late = claim(job)
    buy_as_attempt(job, late, 3)
    newer = give_to_newer_attempt(job)

    with pytest.raises(LeaseLost):
        play_job(claim=late, clock=lambda: NOW)
    assert Purchase.objects.count() == 3

    play_job(claim=newer, clock=lambda: NOW)
    assert Purchase.objects.count() == 8


@pytest.mark.django_db
def test_a_purchase_that_two_attempts_make_is_charged_once():
    job = make_job(make_task())
    late = claim(job)
    buy_as_attempt(job, late, 3)
    newer = give_to_newer_attempt(job)
    buy_as_attempt(job, newer, 5)
    assert Episode.objects.get().spent_credits == 5
    assert Purchase.objects.count() == 5


@pytest.mark.django_db
def test_an_attempt_that_finds_a_delivered_table_only_closes_the_job():
    job = make_job(make_task())
    play(job)
    PlayerJob.objects.update(state="queued", finished_at=None)
    play(job, now=NOW + timedelta(days=1))
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("done", 2)


@pytest.mark.django_db
def test_a_player_buys_nothing_after_the_deadline():
    job = make_job(make_task())
    claimed = claim(job)
    buy_as_attempt(job, claimed, 2)
    with pytest.raises(EpisodeClosed):
        play_job(claim=claimed, clock=lambda: NOW + timedelta(days=1))
    assert Purchase.objects.count() == 2


@pytest.mark.django_db
def test_the_task_plays_a_job_once_however_often_it_is_delivered():
    job = make_job(make_task())
    tasks.play_job(job_id=str(job.id))
    tasks.play_job(job_id=str(job.id))
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("done", 1)
    assert Episode.objects.get().spent_credits == 8


@pytest.mark.django_db
def test_a_fault_of_ours_gives_the_job_back_until_attempts_run_out(settings):
    settings.JOB_MAX_ATTEMPTS = 2
    bare = make_task()  # copied without its outcomes, as if the catalogue was loaded in part
    bare.pk, bare.slug = None, "bare"
    bare.save()
    job = make_job(bare)
    for _ in range(settings.JOB_MAX_ATTEMPTS):
        tasks.play_job(job_id=str(job.id))
        sweep_jobs(now=timezone.now(), n_messages=0)
    job.refresh_from_db()
    assert (job.state, job.episode.state, job.episode.spent_credits) == ("lost", "lost", 0)
    assert job.cause == "limit:attempts (OutcomeMissing)"  # public, so without the error's words


@pytest.mark.django_db(transaction=True)
def test_at_the_soft_time_limit_a_job_goes_back_to_the_queue_and_keeps_its_purchases():
    job = make_job(
        make_task("co2__d6", truth=default_truth(6)), method="gp_grid_variance", budget=62
    )

    def limit(_number, _frame):  # what Celery's process pool does
        raise SoftTimeLimitExceeded

    before = signal.signal(signal.SIGALRM, limit)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        tasks.play_job(job_id=str(job.id))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    job.refresh_from_db()
    assert (job.state, job.cause, job.episode.state) == ("queued", "limit:soft_time", "open")
    assert job.episode.spent_credits == Measurement.objects.count() < 62

    tasks.play_job(job_id=str(job.id))
    job.refresh_from_db()
    assert (job.state, job.attempt, job.episode.spent_credits) == ("done", 2, 62)
