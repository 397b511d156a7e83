"""Certificates whose worker, or whose message, was lost."""

from datetime import datetime, timedelta

import structlog
from celery import current_app
from django.conf import settings
from django.db.models import Q
from kombu.exceptions import OperationalError

from judgments.models import CheckKind, CheckStatus, LaunchCheck

log = structlog.get_logger(__name__)

# By name: an action must not import the door that calls it.
CERTIFY_DESIGN = "judgments.certify_design"


def send_quiet_certificates(*, now: datetime) -> int:
    """Send the certificates that nobody was heard of for a lease again; return how many.

    Two workers may then try the same plan: with its seed both find the same, and it ends once.
    """
    quiet_since = now - timedelta(seconds=settings.JOB_LEASE_SECONDS)
    quiet = LaunchCheck.objects.filter(
        Q(heard_at__lte=quiet_since) | Q(heard_at=None, started_at__lte=quiet_since),
        kind=CheckKind.CERTIFICATE,
        status=CheckStatus.RUNNING,
    )
    n_sent = 0
    for check_id, plan in list(quiet.values_list("pk", "details")):
        # Once a lease, whoever sweeps.
        if plan and quiet.filter(pk=check_id).update(heard_at=now):
            try:
                current_app.send_task(CERTIFY_DESIGN, kwargs={"check_id": check_id, **plan})
            except OperationalError as error:
                log.warning("broker_away", check_id=check_id, error=str(error))
                break
            log.info("certificate_sent_again", check_id=check_id)
            n_sent += 1
    return n_sent
