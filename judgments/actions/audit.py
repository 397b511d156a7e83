"""The log of who did what; written inside the transaction of the deed."""

from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User

from judgments.models import AuditEntry, Study


def record(
    event: str,
    *,
    study: Study,
    now: datetime,
    participant_id: UUID | None = None,
    staff: User | None = None,
    reason: str = "",
    **details: object,
) -> AuditEntry:
    """Add one entry."""
    return AuditEntry.objects.create(
        study=study,
        at=now,
        staff=staff,
        participant_id=participant_id,
        event=event,
        reason=reason,
        details=details,
    )
