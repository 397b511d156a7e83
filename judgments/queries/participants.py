"""Who takes part, who counts, and how far a participant has come."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from judgments.links import digest, normalise_pid
from judgments.models import Consent, Exclusion, Participant, ParticipantKind, Study
from judgments.protocol import Protocol
from judgments.steps import NextStep, Progress, next_step


class ParticipantNotFound(Exception):
    """No participant of this study has this link or this session."""


def exclusions_in_force(participant: str = "pk") -> QuerySet[Exclusion]:
    """Return the exclusion in force of an outer query's participant, who is at this path."""
    return Exclusion.objects.filter(participant=OuterRef(participant), undone_at__isnull=True)


def counted_participants(*studies: Study) -> QuerySet[Participant]:
    """Return whose answers count: no preview, and nobody under an exclusion in force."""
    return (
        Participant.objects.filter(study__in=studies)
        .exclude(kind=ParticipantKind.PREVIEW)
        .exclude(Exists(exclusions_in_force()))
    )


def find_by_link(*, study_slug: str, token: str) -> Participant:
    """Return whose personal link this is.

    Raises
    ------
    ParticipantNotFound
    """
    found = Participant.objects.filter(study=study_slug, token_sha256=digest(token)).first()
    if found is None:
        raise ParticipantNotFound
    return found


def find_by_session(*, study_slug: str, participant_id: UUID, epoch: int) -> Participant:
    """Return whose session this is: of this study, and begun since the last hand-over.

    Raises
    ------
    ParticipantNotFound
    """
    found = (
        Participant.objects.select_related("study", "protocol")
        .filter(study=study_slug, pk=participant_id, session_epoch=epoch)
        .first()
    )
    if found is None:
        raise ParticipantNotFound
    return found


def is_blocked(study: Study, pid: str) -> bool:
    """Tell whether a platform id may not take part."""
    return study.blocked_pids.filter(platform_pid=normalise_pid(pid)).exists()


def is_known(study: Study, pid: str) -> bool:
    """Tell whether somebody has begun the study with this platform id."""
    return bool(pid) and study.participants.filter(platform_pid=normalise_pid(pid)).exists()


def protocol_of(participant: Participant) -> Protocol:
    """Return the protocol under which the participant joined."""
    return Protocol.from_definition(participant.protocol.definition)


def progress_of(participant: Participant, *, now: datetime) -> Progress:
    """Return what the participant has done so far."""
    protocol = protocol_of(participant)
    items = list(
        participant.items.order_by("position").values_list("cell__place", "judgment__choice")
    )
    answered = [choice is not None for _, choice in items]
    # Whoever has answered an item is past what comes before: nothing of it is asked for again.
    consented, comprehension = (True, [True]) if any(answered) else _entry_of(participant)
    return Progress(
        consented=consented,
        eligible=participant.is_eligible,
        read_instructions=participant.instructions_read_at is not None,
        comprehension=comprehension,
        answered=answered,
        places=[place for place, _ in items],
        breaks_after=protocol.breaks_after,
        breaks_taken=participant.breaks_taken,
        debriefed=participant.debriefed_at is not None,
        place_expired=now > participant.last_seen_at + timedelta(hours=protocol.resume_hours),
        study_over=is_over(participant.study, participant.kind),
    )


def is_over(study: Study, kind: str) -> bool:
    """Tell whether answers come too late, because results are public; staff can always look."""
    return study.published_at is not None and kind != ParticipantKind.PREVIEW


def _entry_of(participant: Participant) -> tuple[bool | None, list[bool]]:
    """Return what was answered to the consent text, and how each comprehension check ended."""
    consent = Consent.objects.filter(participant=participant).first()
    attempts = participant.comprehension_attempts.order_by("number")
    return consent.is_given if consent else None, list(attempts.values_list("is_passed", flat=True))


def step_of(participant: Participant, *, now: datetime) -> NextStep:
    """Return the page that is next for the participant."""
    return next_step(progress_of(participant, now=now))


def resume_until(participant: Participant) -> datetime:
    """Return until when the participant can come back, if the path has not ended."""
    return participant.last_seen_at + timedelta(hours=protocol_of(participant).resume_hours)
