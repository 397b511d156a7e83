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


def prepare_stage(*, version: ProtocolVersion, now: datetime) -> Study:
    """Return an open robots' study with the protocol of the version, and nobody in it.

    A study has one, used again: what the robots of the last rehearsal left is erased.
    """
    study = version.study
    protocol = Protocol.from_definition(version.definition)
    stage = study.rehearsals.order_by("created_at").last()
    if stage is None:
        stage = studies.create_study(
            slug=f"rehearsal-{secrets.token_hex(6)}",
            title=study.title,
            protocol=protocol,
            staff=None,
            now=now,
            audience=Audience.ROBOTS,
            rehearsal_of=study,
        )
    else:
        _erase_robots(stage, now=now)
        publish_protocol(study=stage, protocol=protocol, staff=None, now=now)
    if not stage.is_open:
        stage = studies.open_study(slug=stage.pk, staff=None, now=now)
    return stage


def _erase_robots(stage: Study, *, now: datetime) -> None:
    with transaction.atomic(durable=True):
        n_erased = stage.participants.count()
        stage.participants.all().delete()
        audit.record("robots_erased", study=stage, now=now, n_robots=n_erased)


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
