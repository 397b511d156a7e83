"""The life of a player's job: sent, claimed, renewed, given back, finished."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from kombu.exceptions import OperationalError

from episodes.actions import ledger
from episodes.models import Agent, Episode, PlayerJob
from episodes.states import JobState

log = structlog.get_logger(__name__)

# By name: an action must not import the door that calls it.
PLAY_JOB = "episodes.play_job"


@dataclass(frozen=True)
class Claim:
    """The right of one worker to act on a job, until a newer attempt takes it."""

    job_id: UUID
    attempt: int


class LeaseLost(Exception):
    """The job is no longer this attempt's: a newer one, or the sweep, has taken it."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(f"Attempt {claim.attempt} of job {claim.job_id} was overtaken.")


def send_jobs(*, job_ids: Iterable[UUID], now: datetime) -> int:
    """Send a message for each queued job and return how many went; the sweep sends the others."""
    n_sent = 0
    for job_id in job_ids:
        try:
            current_app.send_task(PLAY_JOB, kwargs={"job_id": str(job_id)})
        except OperationalError as error:
            log.warning("broker_away", n_sent=n_sent, error=str(error))
            break
        # After the message: a crash in between makes a second message, never none.
        PlayerJob.objects.filter(id=job_id, state=JobState.QUEUED).update(sent_at=now)
        n_sent += 1
    return n_sent


@transaction.atomic(durable=True)
def claim_job(*, job_id: UUID, now: datetime) -> Claim | None:
    """Take a queued job, or return None if another worker has it or it is over."""
    attempt = (
        PlayerJob.objects.filter(id=job_id, state=JobState.QUEUED)
        .values_list("attempt", flat=True)
        .first()
    )
    if attempt is None:
        return None
    n_claimed = PlayerJob.objects.filter(id=job_id, state=JobState.QUEUED, attempt=attempt).update(
        state=JobState.RUNNING, attempt=attempt + 1, lease_until=_lease_until(now)
    )
    if n_claimed != 1:
        return None
    log.info("job_claimed", job_id=str(job_id), attempt=attempt + 1)
    return Claim(job_id, attempt + 1)


@transaction.atomic(durable=True)
def open_episode(*, claim: Claim, now: datetime) -> Episode:
    """Return the episode of the claimed job, started by the first attempt that gets here.

    Raises
    ------
    LeaseLost
        If the job is no longer this attempt's.
    """
    job = _claimed(claim).select_for_update(of=("self",)).select_related("task", "episode").first()
    if job is None:
        raise LeaseLost(claim)
    if job.episode is None:
        job.episode = ledger.start_episode(
            agent=Agent.objects.get(name=job.method),
            task=job.task,
            budget=job.budget_credits,
            view=job.view,
            now=now,
        )
        job.save(update_fields=["episode"])
    return job.episode


def renew_lease(*, claim: Claim, now: datetime) -> None:
    """Keep the job for another lease.

    Raises
    ------
    LeaseLost
        If the job is no longer this attempt's.
    """
    _update_claimed(claim, lease_until=_lease_until(now))


def finish_job(*, claim: Claim, now: datetime) -> None:
    """Close a job whose episode was submitted.

    Raises
    ------
    LeaseLost
        If the job is no longer this attempt's.
    """
    _update_claimed(claim, state=JobState.DONE, lease_until=None, finished_at=now, cause="")
    log.info("job_done", job_id=str(claim.job_id), attempt=claim.attempt)


def fail_job(*, claim: Claim, cause: str) -> None:
    """Give a job back with the reason; the sweep decides whether it is tried again.

    No message is sent here, so that a job which fails at once is not retried at once.

    Raises
    ------
    LeaseLost
        If the job is no longer this attempt's.
    """
    _update_claimed(claim, state=JobState.QUEUED, lease_until=None, sent_at=None, cause=cause)
    log.warning("job_given_back", job_id=str(claim.job_id), attempt=claim.attempt, cause=cause)


def _update_claimed(claim: Claim, **values: object) -> None:
    if _claimed(claim).update(**values) != 1:
        raise LeaseLost(claim)


def _claimed(claim: Claim) -> QuerySet[PlayerJob]:
    return PlayerJob.objects.filter(id=claim.job_id, state=JobState.RUNNING, attempt=claim.attempt)


def _lease_until(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.JOB_LEASE_SECONDS)
