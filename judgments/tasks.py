"""What workers do for a study: what staff asked for, and what the clock does."""

import structlog
from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.utils import timezone

from judgments.actions import certificates, presence, rehearsals
from judgments.actions.design import try_design
from judgments.actions.launch import CheckFinished, finish_check
from judgments.assignment import ChecksMisfit, QuotaUnmet
from judgments.models import LaunchCheck
from judgments.rehearsing import give_up, rehearse

log = structlog.get_logger(__name__)


@shared_task(name=certificates.CERTIFY_DESIGN)  # type: ignore[untyped-decorator]  # celery has no types
def certify_design(*, check_id: int, n_people: int, n_studies: int, seed: int) -> None:
    """Simulate the design that a running check is about, and write down how it fared."""
    check = LaunchCheck.objects.select_related("protocol").get(pk=check_id)
    try:
        rehearsals.hear_from(checks=[check_id], now=timezone.now())
    except rehearsals.RehearsalLost:
        log.info("check_not_running", check_id=check_id)
        return
    try:
        certificate = try_design(
            version=check.protocol, n_people=n_people, n_studies=n_studies, seed=seed
        )
        details, faults = certificate.details(), certificate.faults
    except (QuotaUnmet, ChecksMisfit) as error:
        faults = (str(error),)
        details = {"faults": faults}
    except Exception as error:  # else the check would be running until the longest time of a task
        log.exception("certificate_failed", check_id=check_id)
        if isinstance(error, SoftTimeLimitExceeded):
            connection.close()  # the limit may have struck in the middle of a query
        faults = (f"The certificate broke off: {type(error).__name__}. Its log says more.",)
        details = {"faults": faults}
    try:
        finish_check(check_id=check_id, is_passed=not faults, details=details, now=timezone.now())
    except CheckFinished:  # a message that came twice
        log.info("check_not_running", check_id=check_id)


@shared_task(name="judgments.note_expired_holds")  # type: ignore[untyped-decorator]  # no types
def note_expired_holds() -> None:
    """Write down which holds have run out, so that staff see who has gone quiet."""
    presence.note_expired_holds(now=timezone.now())


@shared_task(name=rehearsals.REHEARSE_STUDY)  # type: ignore[untyped-decorator]  # no types
def rehearse_study(*, study_slug: str) -> None:
    """Play the rehearsal that waits for a worker, unless another one has it."""
    rehearsal = rehearsals.claim_rehearsal(study_slug=study_slug, now=timezone.now())
    if rehearsal is None:
        log.info("rehearsal_not_claimable", study=study_slug)
        return
    try:
        rehearse(rehearsal, clock=timezone.now)
    except rehearsals.RehearsalLost:
        log.warning("rehearsal_lost", study=study_slug)
    except Exception as error:
        log.exception("rehearsal_failed", study=study_slug)
        if isinstance(error, SoftTimeLimitExceeded):
            connection.close()  # the limit may have struck in the middle of a query
        cause = f"The rehearsal broke off: {type(error).__name__}. Its log says more."
        give_up(rehearsal, cause=cause, now=timezone.now())


@shared_task(name="judgments.settle_quiet_checks")  # type: ignore[untyped-decorator]  # no types
def settle_quiet_checks() -> None:
    """Fail the launch checks whose worker was lost, or send them again, and those that wait."""
    rehearsals.settle_quiet_checks(now=timezone.now())
    certificates.send_quiet_certificates(now=timezone.now())
