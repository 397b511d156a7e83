"""What workers run for the studies, by the clock."""

from celery import shared_task
from django.utils import timezone

from judgments.actions import presence


@shared_task(name="judgments.note_expired_holds")  # type: ignore[untyped-decorator]  # no types
def note_expired_holds() -> None:
    """Write down which holds have run out, so that staff see who has gone quiet."""
    presence.note_expired_holds(now=timezone.now())
