"""Runs of the launch checks, written down as they start and end."""

from collections.abc import Mapping
from datetime import datetime

import structlog
from django.contrib.auth.models import User
from django.db import transaction

from judgments.actions import audit
from judgments.actions.studies import lock_study
from judgments.models import CheckKind, CheckStatus, LaunchCheck, ProtocolVersion

log = structlog.get_logger(__name__)


class CheckFinished(Exception):
    """The run has ended before."""


def start_check(
    *,
    version: ProtocolVersion,
    kind: CheckKind,
    staff: User | None,
    now: datetime,
    plan: Mapping[str, object] | None = None,
) -> LaunchCheck:
    """Return a new run, which from now on is the one that counts; `plan` is what it will try."""
    with transaction.atomic(durable=True):
        study = lock_study(version.study_id)
        check = LaunchCheck.objects.create(
            protocol=version, kind=kind, started_at=now, details=dict(plan or {})
        )
        audit.record(
            "check_started",
            study=study,
            staff=staff,
            now=now,
            kind=kind.value,
            version=version.number,
        )
    return check


def finish_check(
    *, check_id: int, is_passed: bool, details: Mapping[str, object], now: datetime
) -> LaunchCheck:
    """Write down how a run ended, with its figures. It ends once.

    Raises
    ------
    CheckFinished
    """
    status = CheckStatus.PASSED if is_passed else CheckStatus.FAILED
    with transaction.atomic(durable=True):
        check = LaunchCheck.objects.select_related("protocol").get(pk=check_id)
        study = lock_study(check.protocol.study_id)
        running = LaunchCheck.objects.filter(pk=check_id, status=CheckStatus.RUNNING)
        if not running.update(status=status, details=dict(details), finished_at=now):
            raise CheckFinished(str(check))
        audit.record(
            "check_finished",
            study=study,
            now=now,
            kind=check.kind,
            version=check.protocol.number,
            status=status.value,
        )
    log.info("check_finished", study=study.pk, kind=check.kind, status=status.value)
    check.refresh_from_db()
    return check
