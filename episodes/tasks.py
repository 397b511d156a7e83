"""What workers run. A message only hurries a row: every task looks at the rows first."""

from uuid import UUID

import structlog
from celery import current_app, shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import connection
from django.utils import timezone

from episodes.actions import jobs, ledger, sweep
from episodes.actions.jobs import Claim, LeaseLost
from episodes.actions.play import play_job as play_claimed_job

log = structlog.get_logger(__name__)


@shared_task(name=jobs.PLAY_JOB)  # type: ignore[untyped-decorator]  # celery has no types
def play_job(*, job_id: str) -> None:
    """Play one job, unless another worker has it or it is over."""
    with structlog.contextvars.bound_contextvars(job_id=job_id):
        claim = jobs.claim_job(job_id=UUID(job_id), now=timezone.now())
        if claim is None:
            log.info("job_not_claimable")
            return
        with structlog.contextvars.bound_contextvars(attempt=claim.attempt):
            try:
                _play(claim)
            except LeaseLost:
                log.warning("lease_lost")


@shared_task(name="episodes.sweep")  # type: ignore[untyped-decorator]  # celery has no types
def sweep_quiet() -> None:
    """Settle whatever has gone quiet: overdue episodes, lapsed leases, lost messages."""
    now = timezone.now()
    ledger.expire_episodes(now=now)
    sweep.sweep_jobs(now=now, n_messages=_n_waiting_messages())


def _n_waiting_messages() -> int:
    """Return how many messages no worker has taken yet."""
    queue = settings.CELERY_TASK_ROUTES[jobs.PLAY_JOB]["queue"]
    with current_app.connection_for_read() as connection:
        # A declaration is the broker-neutral question for a queue's length.
        declared = connection.default_channel.queue_declare(queue, durable=True, auto_delete=False)
    return int(declared.message_count)


def _play(claim: Claim) -> None:
    """Play, or give the job back with the reason."""
    try:
        play_claimed_job(claim=claim, clock=timezone.now)
    except LeaseLost:
        raise
    except SoftTimeLimitExceeded:
        connection.close()  # the limit may have struck in the middle of a query
        jobs.fail_job(claim=claim, cause="limit:soft_time")
    except Exception as error:
        # Whatever it was: the job must not wait for its lease to run out. The progress page is
        # public and shows the cause, so what the error says stays in the log.
        log.exception("play_failed")
        jobs.fail_job(claim=claim, cause=type(error).__name__)
