"""That somebody exported a study is part of its log, and of the export itself."""

from collections.abc import Iterable
from datetime import datetime

import structlog
from django.contrib.auth.models import User
from django.db import transaction

from judgments.actions import audit
from judgments.models import AuditEntry, Study

log = structlog.get_logger(__name__)


def note_export(
    *, study: Study, staff: User | None, formats: Iterable[str], now: datetime
) -> AuditEntry:
    """Write down who asks for an export, before it is made; without staff it is the command."""
    with transaction.atomic(durable=True):
        entry = audit.record(
            "export_requested", study=study, staff=staff, now=now, formats=sorted(formats)
        )
    log.info("export_requested", study=study.slug, staff=staff and staff.pk)
    return entry
