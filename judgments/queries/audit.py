"""The log of a study, as staff filter it."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import QuerySet

from judgments.models import AuditEntry, Study


@dataclass(frozen=True)
class AuditFilter:
    """What to keep of the log; an empty part keeps everything."""

    event: str = ""
    staff: str = ""
    participant: UUID | None = None
    since: date | None = None
    until: date | None = None
    only_staff: bool = False


def audit_entries(study: Study, wanted: AuditFilter) -> QuerySet[AuditEntry]:
    """Return the entries that pass the filter, the newest first."""
    entries = AuditEntry.objects.filter(study=study).select_related("staff")
    exact = {
        "event": wanted.event,
        "staff__username": wanted.staff,
        "participant_id": wanted.participant,
        "at__date__gte": wanted.since,
        "at__date__lte": wanted.until,
    }
    entries = entries.filter(**{name: value for name, value in exact.items() if value})
    if wanted.only_staff:
        entries = entries.filter(staff__isnull=False)
    return entries.order_by("-pk")


def audit_events(study: Study) -> list[str]:
    """Return the events that the log of a study has."""
    entries = AuditEntry.objects.filter(study=study).order_by("event")
    return list(entries.values_list("event", flat=True).distinct())


def audit_staff(study: Study) -> list[str]:
    """Return who of the staff is in the log of a study."""
    entries = AuditEntry.objects.filter(study=study, staff__isnull=False)
    names = entries.order_by("staff__username").values_list("staff__username", flat=True)
    return list(names.distinct())
