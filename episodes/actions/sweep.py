"""What becomes of jobs that have gone quiet: tried again, closed, or lost by our fault."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from episodes.actions import jobs, ledger
from episodes.models import Episode, PlayerJob
from episodes.queries.episodes import state_of
from episodes.states import EpisodeState, JobState

ATTEMPTS_CAUSE = "limit:attempts"

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Verdict:
    """What follows for a quiet job."""

    state: JobState
    cause: str = ""
    runs_again: bool = False


@dataclass(frozen=True)
class Swept:
    """What one sweep did."""

    n_done: int
    n_lost: int
    n_sent: int
    n_failed: int


def sweep_jobs(*, now: datetime, n_messages: int) -> Swept:
    """Settle every quiet job and send what has no message.

    Each job is a transaction of its own, so that one bad row does not stop the others.
    `n_messages` says how many messages wait in the broker: fewer than there are jobs that wait
    for one means that some were lost on the way.
    """
    unsent = _missing_a_message(now=now, n_messages=n_messages)
    states: list[JobState | None] = []
    n_failed = 0
    for job_id in list(_quiet(now).order_by("created_at").values_list("id", flat=True)):
        try:
            state = _settle(job_id, now=now)
        except Exception:
            log.exception("job_not_settled", job_id=str(job_id))
            n_failed += 1
            continue
        states.append(state)
        if state == JobState.QUEUED:
            unsent.append(job_id)
    return Swept(
        n_done=states.count(JobState.DONE),
        n_lost=states.count(JobState.LOST),
        n_sent=jobs.send_jobs(job_ids=unsent, now=now),
        n_failed=n_failed,
    )


def decide(job: PlayerJob, *, now: datetime) -> Verdict:
    """Return what follows for a job that no worker holds any more.

    A table that was delivered counts, whatever became of its worker. Without one, a limit that
    a player hits is ours: no agent is to blame for a machine that was away.
    """
    state = state_of(job.episode, now=now) if job.episode else EpisodeState.OPEN
    if state == EpisodeState.SUBMITTED:
        return Verdict(JobState.DONE)
    if state == EpisodeState.EXPIRED:
        # A restart is likely to help, but not for ever.
        again = job.run < settings.JOB_MAX_ATTEMPTS
        return Verdict(JobState.LOST, ledger.EXPIRY_CAUSE, runs_again=again)
    if state == EpisodeState.LOST:
        return Verdict(JobState.LOST, "episode lost")
    if job.attempt >= settings.JOB_MAX_ATTEMPTS:
        return Verdict(JobState.LOST, ATTEMPTS_CAUSE)
    return Verdict(JobState.QUEUED)


def _quiet(now: datetime) -> QuerySet[PlayerJob]:
    return PlayerJob.objects.filter(
        Q(state=JobState.RUNNING, lease_until__lte=now)
        | Q(state=JobState.QUEUED, sent_at__isnull=True)
    )


def _missing_a_message(*, now: datetime, n_messages: int) -> list[UUID]:
    """Return the jobs whose message was most likely lost: those that have waited longest."""
    sent = PlayerJob.objects.filter(state=JobState.QUEUED, sent_at__isnull=False)
    n_missing = max(0, sent.count() - n_messages)
    patience = timedelta(seconds=settings.JOB_LEASE_SECONDS)
    waiting = sent.filter(sent_at__lte=now - patience).order_by("sent_at")
    return list(waiting.values_list("id", flat=True)[:n_missing])


@transaction.atomic(durable=True)
def _settle(job_id: UUID, *, now: datetime) -> JobState | None:
    """Write what follows for a job; None if it is quiet no more or another sweep has it."""
    job = (
        _quiet(now)
        .filter(id=job_id)
        .select_related("episode")
        .select_for_update(skip_locked=True, of=("self",))
        .first()
    )
    if job is None:
        return None
    verdict = decide(job, now=now)
    if verdict.state == JobState.LOST:
        _lose_open_episode(job.episode, cause=verdict.cause, now=now)
    if verdict.runs_again:
        _run_again(job, now=now)
    _write(job, verdict, now=now)
    log.info(
        "job_settled", job_id=str(job_id), attempt=job.attempt, state=job.state, cause=job.cause
    )
    return verdict.state


def _write(job: PlayerJob, verdict: Verdict, *, now: datetime) -> None:
    if job.state == JobState.RUNNING:
        job.cause = "lease ran out"
    if verdict.cause:
        # The last failure stays readable behind the limit that it led to.
        job.cause = f"{verdict.cause} ({job.cause})"[:200] if job.cause else verdict.cause
    job.state = verdict.state
    job.lease_until = job.sent_at = None
    job.finished_at = None if verdict.state == JobState.QUEUED else now
    job.save(update_fields=["state", "cause", "lease_until", "sent_at", "finished_at"])


def _lose_open_episode(episode: Episode | None, *, cause: str, now: datetime) -> None:
    if episode is not None and episode.state == EpisodeState.OPEN:
        ledger.lose_episode(episode_id=episode.id, cause=cause, now=now)


def _run_again(job: PlayerJob, *, now: datetime) -> None:
    PlayerJob.objects.create(
        method=job.method,
        seed=job.seed,
        task_id=job.task_id,
        budget_credits=job.budget_credits,
        view=job.view,
        run=job.run + 1,
        created_at=now,
    )
