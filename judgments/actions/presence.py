"""Holds: a present participant keeps the scenarios that are not finished."""

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import transaction

from judgments.actions import audit
from judgments.models import Participant
from judgments.queries.participants import ParticipantNotFound, protocol_of, step_of
from judgments.steps import ENDS, Step

log = structlog.get_logger(__name__)


def lock(participant_id: UUID) -> Participant:
    """Return the participant, whose other requests wait until this transaction ends.

    The study is read when it is needed, and so after the lock: whether its results are public by
    then is what counts (studies.publish_results).

    Raises
    ------
    ParticipantNotFound
        Also of somebody who left and was erased.
    """
    found = (
        Participant.objects.select_for_update(of=("self",))
        .select_related("protocol")
        .filter(pk=participant_id)
        .first()
    )
    if found is None:
        raise ParticipantNotFound
    return found


def keep_place(participant: Participant, *, now: datetime) -> None:
    """Hold the participant's scenarios from now on; who comes back gets the old ones."""
    if participant.hold_until <= now:
        gap = now - participant.last_seen_at
        audit.record(
            "participant_returned",
            study=participant.study,
            participant_id=participant.pk,
            now=now,
            gap_seconds=round(gap.total_seconds()),
        )
    participant.last_seen_at = now
    participant.hold_until = now + timedelta(seconds=protocol_of(participant).hold_seconds)
    participant.released_at = None
    participant.save(update_fields=["last_seen_at", "hold_until", "released_at"])


def welcome_back(participant: Participant, *, now: datetime) -> None:
    """Hold the scenarios again for somebody who came back; whose path has ended holds none."""
    step = step_of(participant, now=now).step
    if step is Step.LOST_PLACE:
        note_late_return(participant, now=now)
    elif step not in ENDS:
        keep_place(participant, now=now)


def note_late_return(participant: Participant, *, now: datetime) -> None:
    """Write down, the first time, who came back after the place was lost, and how late."""
    event = "returned_too_late"
    if participant.study.audit_entries.filter(participant_id=participant.pk, event=event).exists():
        return
    gap = now - participant.last_seen_at
    audit.record(
        event,
        study=participant.study,
        participant_id=participant.pk,
        now=now,
        gap_seconds=round(gap.total_seconds()),
    )


def release_place(participant: Participant, *, now: datetime) -> None:
    """Give the unfinished scenarios back at once."""
    participant.last_seen_at = participant.hold_until = participant.released_at = now
    participant.save(update_fields=["last_seen_at", "hold_until", "released_at"])


def note_expired_holds(*, now: datetime) -> int:
    """Write down which holds have run out; return how many.

    Coverage does not wait for it: a hold ends by its time (queries.coverage).
    """
    with transaction.atomic(durable=True):
        quiet = (
            Participant.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("study")
            .filter(hold_until__lte=now, released_at__isnull=True, completion_code__isnull=True)
        )
        for participant in quiet:
            participant.released_at = participant.hold_until
            participant.save(update_fields=["released_at"])
            audit.record(
                "hold_expired", study=participant.study, participant_id=participant.pk, now=now
            )
    if quiet:
        log.info("holds_expired", n_participants=len(quiet))
    return len(quiet)
