"""The life of a rehearsal: asked for, claimed by one worker, heard from, finished or lost.

Its rows are three launch checks of one protocol version. A message to a worker only hurries them.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from kombu.exceptions import OperationalError

from judgments.actions import audit, launch, studies
from judgments.actions.staff import publish_protocol
from judgments.models import (
    Audience,
    CheckKind,
    CheckStatus,
    LaunchCheck,
    ProtocolVersion,
    Study,
)
from judgments.protocol import Protocol
from judgments.queries.launch import current_protocol

log = structlog.get_logger(__name__)

# By name: an action must not import the door that calls it.
REHEARSE_STUDY = "judgments.rehearse_study"
KINDS = (CheckKind.ROBOTS, CheckKind.LEAK_CRAWL, CheckKind.EXPORT)
LOST = "The worker was lost before it had finished: run the check again."


class RehearsalRunning(Exception):
    """A rehearsal of this study is under way."""


class RehearsalLost(Exception):
    """The checks are no longer this worker's: they were given up, or are finished."""


class NothingToRehearse(Exception):
    """The study has no protocol, or is one of robots."""


@dataclass(frozen=True)
class Rehearsal:
    """The right of one worker to fill the checks of a version; ids by kind."""

    version: ProtocolVersion
    checks: dict[CheckKind, int]

    @property
    def owner(self) -> int:
        """What a stage is marked with: each request has a robots' check of its own."""
        return self.checks[CheckKind.ROBOTS]


def request_rehearsal(
    *, study_slug: str, staff: User | None, now: datetime
) -> tuple[LaunchCheck, ...]:
    """Return the three checks, waiting for a worker.

    Raises
    ------
    StudyNotFound, NothingToRehearse, RehearsalRunning
    """
    with transaction.atomic(durable=True):
        study = studies.lock_study(study_slug)
        version = current_protocol(study)
        if version is None or study.audience != Audience.PEOPLE:
            raise NothingToRehearse
        if _running(LaunchCheck.objects.filter(protocol__study=study)).exists():
            raise RehearsalRunning
        checks = tuple(
            LaunchCheck.objects.create(protocol=version, kind=kind, started_at=now)
            for kind in KINDS
        )
        audit.record("rehearsal_started", study=study, staff=staff, now=now, version=version.number)
    log.info("rehearsal_requested", study=study_slug, version=version.number)
    return checks


def send_rehearsal(*, study_slug: str) -> bool:
    """Send a message for the checks of a study that wait; without a broker the sweep does."""
    try:
        current_app.send_task(REHEARSE_STUDY, kwargs={"study_slug": study_slug})
    except OperationalError as error:
        log.warning("broker_away", study=study_slug, error=str(error))
        return False
    return True


@transaction.atomic(durable=True)
def claim_rehearsal(*, study_slug: str, now: datetime) -> Rehearsal | None:
    """Take the checks that wait for a worker; None if there are none or another has them."""
    waiting = _running(LaunchCheck.objects.filter(protocol__study=study_slug)).filter(heard_at=None)
    found = list(waiting.select_for_update(of=("self",)).select_related("protocol__study"))
    if not found:
        return None
    LaunchCheck.objects.filter(pk__in=[check.pk for check in found]).update(heard_at=now)
    checks = {CheckKind(check.kind): check.pk for check in found}
    log.info("rehearsal_claimed", study=study_slug)
    return Rehearsal(found[0].protocol, checks)


def hear_from(*, checks: Collection[int], now: datetime) -> None:
    """Write down that the worker is alive.

    Raises
    ------
    RehearsalLost
    """
    running = LaunchCheck.objects.filter(pk__in=checks, status=CheckStatus.RUNNING)
    if not running.update(heard_at=now):
        raise RehearsalLost


def prepare_stage(*, rehearsal: Rehearsal, now: datetime) -> Study:
    """Return an open robots' study with the protocol of the version, and nobody in it.

    A stage that is free is used again, and what the last robots left there is erased. One that is
    not belongs to a worker who was given up and may still play, and is left alone.
    """
    study = rehearsal.version.study
    protocol = Protocol.from_definition(rehearsal.version.definition)
    stage = _take_free_stage(study, rehearsal, now=now)
    if stage is None:
        stage = studies.create_study(
            slug=f"rehearsal-{secrets.token_hex(6)}",
            title=study.title,
            protocol=protocol,
            staff=None,
            now=now,
            audience=Audience.ROBOTS,
            rehearsal_of=study,
            staged_for=rehearsal.owner,
        )
    try:
        publish_protocol(study=stage, protocol=protocol, staff=None, now=now)
        if not stage.is_open:
            stage = studies.open_study(slug=stage.pk, staff=None, now=now)
    except studies.NotReady:
        free_stage(stage=stage, rehearsal=rehearsal, now=now)
        raise
    return stage


def free_stage(*, stage: Study, rehearsal: Rehearsal, now: datetime) -> None:
    """Close the stage of a rehearsal that is over, and let the next one have it.

    Only its owner does: by then the stage may be that of another rehearsal.
    """
    with transaction.atomic(durable=True):
        locked = studies.lock_study(stage.pk)
        if locked.staged_for_id != rehearsal.owner:
            return
        locked.staged_for = None
        if locked.is_open:
            locked.closed_at = now
            audit.record("study_closed", study=locked, now=now)
        locked.save(update_fields=["staged_for", "closed_at"])
    log.info("stage_freed", study=stage.pk)


def _take_free_stage(study: Study, rehearsal: Rehearsal, *, now: datetime) -> Study | None:
    """Mark a stage as the rehearsal's and erase its robots; None if none is free."""
    # Whose check has ended for longer than a task may run is gone.
    gone = now - timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT)
    is_free = Q(staged_for=None) | Q(staged_for__finished_at__lte=gone)
    with transaction.atomic(durable=True):
        stages = study.rehearsals.filter(is_free).order_by("-created_at")
        stage = stages.select_for_update(of=("self",), no_key=True).first()
        if stage is None:
            return None
        stage.staged_for_id = rehearsal.owner
        stage.save(update_fields=["staged_for"])
        n_erased = stage.participants.count()
        stage.participants.all().delete()
        audit.record("robots_erased", study=stage, now=now, n_robots=n_erased)
    return stage


def settle_quiet_checks(*, now: datetime) -> int:
    """Fail the checks whose worker has gone quiet, send those that wait again; return how many."""
    lease = timedelta(seconds=settings.JOB_LEASE_SECONDS)
    longest = timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT)
    running = LaunchCheck.objects.filter(status=CheckStatus.RUNNING)
    # A certificate is tried again (certificates.send_quiet_certificates) as long as it may take.
    quiet = running.filter(
        Q(kind__in=KINDS, heard_at__lte=now - lease)
        | Q(kind__in=KINDS, heard_at=None, started_at__lte=now - longest)
        | Q(kind=CheckKind.CERTIFICATE, started_at__lte=now - longest)
    )
    n_lost = 0
    for check_id in list(quiet.values_list("pk", flat=True)):
        try:
            launch.finish_check(
                check_id=check_id, is_passed=False, details={"faults": [LOST]}, now=now
            )
        except launch.CheckFinished:
            continue
        n_lost += 1
    waiting = _running(LaunchCheck.objects.filter(heard_at=None, started_at__lte=now - lease))
    for slug in waiting.values_list("protocol__study", flat=True).distinct().order_by():
        send_rehearsal(study_slug=slug)
    return n_lost


def _running(checks: QuerySet[LaunchCheck]) -> QuerySet[LaunchCheck]:
    return checks.filter(kind__in=KINDS, status=CheckStatus.RUNNING)
