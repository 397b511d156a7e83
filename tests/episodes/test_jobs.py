"""The life of a job: one worker at a time, and none that is late."""

from datetime import timedelta

import pytest

from episodes.actions.jobs import (
    LeaseLost,
    claim_job,
    fail_job,
    finish_job,
    open_episode,
    renew_lease,
    send_jobs,
)
from episodes.models import Episode, PlayerJob
from tests.builders import NOW, make_task
from tests.players import claim, give_to_newer_attempt, make_job
from tests.races import at_once

LATER = NOW + timedelta(seconds=30)


@pytest.fixture
def job(db):
    return make_job(make_task())


@pytest.mark.django_db(transaction=True)
def test_of_eight_workers_that_claim_at_once_one_gets_the_job():
    job = make_job(make_task())
    claims = at_once([lambda: claim_job(job_id=job.id, now=NOW)] * 8)
    job.refresh_from_db()
    assert sum(won is not None for won in claims) == 1
    assert (job.state, job.attempt) == ("running", 1)


def test_a_second_message_for_a_running_job_claims_nothing(job):
    claim(job)
    assert claim_job(job_id=job.id, now=LATER) is None


@pytest.mark.parametrize("state", ["done", "lost"])
def test_a_job_that_is_over_cannot_be_claimed(job, state):
    PlayerJob.objects.update(state=state)
    assert claim_job(job_id=job.id, now=NOW) is None


def test_a_claim_raises_the_attempt_and_holds_the_job_for_one_lease(job, settings):
    settings.JOB_LEASE_SECONDS = 60
    assert claim(job).attempt == 1
    job.refresh_from_db()
    assert job.lease_until == NOW + timedelta(seconds=60)


def test_a_renewed_lease_counts_from_the_renewal(job, settings):
    settings.JOB_LEASE_SECONDS = 60
    renew_lease(claim=claim(job), now=LATER)
    job.refresh_from_db()
    assert job.lease_until == NOW + timedelta(seconds=90)


@pytest.mark.parametrize(
    "write",
    [
        lambda late: renew_lease(claim=late, now=LATER),
        lambda late: finish_job(claim=late, now=LATER),
        lambda late: fail_job(claim=late, cause="late"),
        lambda late: open_episode(claim=late, now=LATER),
    ],
    ids=["renew", "finish", "fail", "open_episode"],
)
def test_an_overtaken_worker_writes_nothing(job, write):
    late = claim(job)
    assert give_to_newer_attempt(job).attempt == 2
    before = PlayerJob.objects.values().get()

    with pytest.raises(LeaseLost):
        write(late)

    assert PlayerJob.objects.values().get() == before
    assert not Episode.objects.exists()


def test_a_worker_whose_job_the_sweep_took_back_writes_nothing(job):
    late = claim(job)
    PlayerJob.objects.update(state="queued", lease_until=None)
    with pytest.raises(LeaseLost):
        renew_lease(claim=late, now=LATER)


def test_every_attempt_of_a_job_plays_the_same_episode(job):
    first = open_episode(claim=claim(job), now=NOW)
    again = open_episode(claim=give_to_newer_attempt(job), now=LATER)
    assert again == first
    assert Episode.objects.count() == 1
    assert (first.agent.name, first.budget_credits, first.view) == ("design_degree1", 8, "full")


def test_a_job_that_was_given_back_keeps_the_reason_and_waits_for_the_sweep(job):
    send_jobs(job_ids=[job.id], now=NOW)
    fail_job(claim=claim(job), cause="OperationalError")
    job.refresh_from_db()
    assert (job.state, job.lease_until, job.sent_at) == ("queued", None, None)
    assert job.cause == "OperationalError"


def test_a_finished_job_forgets_earlier_failures(job):
    fail_job(claim=claim(job), cause="OperationalError")
    finish_job(claim=claim(job), now=LATER)
    job.refresh_from_db()
    assert (job.state, job.cause, job.finished_at) == ("done", "", LATER)


def test_sending_says_when_and_touches_only_jobs_that_wait(job):
    other = make_job(job.task, method="design_degree2")
    claim(other)
    assert send_jobs(job_ids=[job.id, other.id], now=NOW) == 2
    job.refresh_from_db()
    other.refresh_from_db()
    assert (job.sent_at, other.sent_at) == (NOW, None)
