"""What a participant does before and after the items: consent, checks, breaks, debrief, end."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import structlog
from django.db import transaction

from judgments.actions import audit, presence
from judgments.links import new_completion_code
from judgments.models import (
    ComprehensionAttempt,
    Consent,
    DeletionReceipt,
    Participant,
    ParticipantKind,
    PlatformSubmission,
)
from judgments.queries.participants import protocol_of, step_of
from judgments.steps import MAX_COMPREHENSION_ATTEMPTS, TOO_LATE, NextStep, Step

log = structlog.get_logger(__name__)


class NotNext(Exception):
    """Another step is next for the participant; the page shows that one."""


class TooLate(NotNext):
    """The place is lost, or the results are public: what came is not stored."""


def give_consent(
    *, participant_id: UUID, is_given: bool, text_sha256: str, locale: str, now: datetime
) -> Consent:
    """Store the answer to the consent text; the first one stands. A refusal frees the place.

    Raises
    ------
    TooLate
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        consent = Consent.objects.filter(participant=participant).first()
        if consent is None:
            require_step(participant, NextStep(Step.CONSENT), now=now)
            consent = Consent.objects.create(
                participant=participant,
                is_given=is_given,
                text_sha256=text_sha256,
                locale=locale,
                answered_at=now,
            )
            _keep_or_release(participant, keeps=is_given, now=now)
    return consent


def require_step(participant: Participant, wanted: NextStep, *, now: datetime) -> None:
    """Refuse what is not next.

    Raises
    ------
    NotNext, TooLate
    """
    due = step_of(participant, now=now)
    if due.step in TOO_LATE:
        raise TooLate
    if due != wanted:
        raise NotNext


def answer_eligibility(*, participant_id: UUID, is_eligible: bool, now: datetime) -> Participant:
    """Store whether the participant may take part; the first answer stands.

    Raises
    ------
    NotNext
        Before consent.
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        if participant.is_eligible is None:
            require_step(participant, NextStep(Step.ELIGIBILITY), now=now)
            participant.is_eligible = is_eligible
            participant.save(update_fields=["is_eligible"])
            audit.record(
                "eligibility_answered",
                study=participant.study,
                participant_id=participant.pk,
                now=now,
                is_eligible=is_eligible,
            )
            _keep_or_release(participant, keeps=is_eligible, now=now)
    return participant


def read_instructions(*, participant_id: UUID, now: datetime) -> Participant:
    """Store that the participant has gone through the instructions.

    Raises
    ------
    NotNext
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        if participant.instructions_read_at is None:
            require_step(participant, NextStep(Step.INSTRUCTIONS), now=now)
            participant.instructions_read_at = now
            participant.save(update_fields=["instructions_read_at"])
            presence.keep_place(participant, now=now)
    return participant


def answer_comprehension(
    *, participant_id: UUID, number: int, answers: Mapping[str, str], now: datetime
) -> ComprehensionAttempt:
    """Store an attempt at the comprehension check; a repeated number returns the stored one.

    The second failure frees the place.

    Raises
    ------
    NotNext
        If the check is not open, or another attempt is next.
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        attempts = list(participant.comprehension_attempts.order_by("number"))
        for attempt in attempts:
            if attempt.number == number:
                return attempt
        require_step(participant, NextStep(Step.COMPREHENSION), now=now)
        if number != len(attempts) + 1:
            raise NotNext
        attempt = ComprehensionAttempt.objects.create(
            participant=participant,
            number=number,
            answers=dict(answers),
            is_passed=protocol_of(participant).right_answers(answers),
            answered_at=now,
        )
        keeps = attempt.is_passed or number < MAX_COMPREHENSION_ATTEMPTS
        _keep_or_release(participant, keeps=keeps, now=now)
    return attempt


def take_break(*, participant_id: UUID, after_place: int, now: datetime) -> Participant:
    """Go on after a break card; one that lies behind changes nothing.

    Raises
    ------
    NotNext
        If that break is still ahead.
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        behind = protocol_of(participant).breaks_after[: participant.breaks_taken]
        if after_place not in behind:
            require_step(participant, NextStep(Step.BREAK, after_place=after_place), now=now)
            participant.breaks_taken += 1
            participant.save(update_fields=["breaks_taken"])
            audit.record(
                "break_taken",
                study=participant.study,
                participant_id=participant.pk,
                now=now,
                after_place=after_place,
            )
            presence.keep_place(participant, now=now)
    return participant


def finish(*, participant_id: UUID, closing_comment: str = "", now: datetime) -> Participant:
    """Return the participant with a completion code, made now or before; a repeat changes nothing.

    Raises
    ------
    NotNext
        While a required answer is missing.
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        if participant.completion_code is None:
            require_step(participant, NextStep(Step.DEBRIEF), now=now)
            participant.debriefed_at = now
            participant.closing_comment = closing_comment
            participant.completion_code = new_completion_code()
            participant.save(update_fields=["debriefed_at", "closing_comment", "completion_code"])
            log.info("participant_finished", participant_id=str(participant.pk))
    return participant


def open_link(*, participant_id: UUID, now: datetime) -> Participant:
    """Note that the personal link was opened: the next answers may come from another device."""
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        audit.record("link_opened", study=participant.study, participant_id=participant.pk, now=now)
    return participant


def note_late_return(*, participant_id: UUID, now: datetime) -> Participant:
    """Note that somebody came back after the place was lost; a repeat changes nothing."""
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        presence.note_late_return(participant, now=now)
    return participant


def hand_over(*, participant_id: UUID, now: datetime) -> Participant:
    """End every session of the participant; only the personal link or the platform leads back."""
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        participant.session_epoch += 1
        participant.save(update_fields=["session_epoch"])
        audit.record("handed_over", study=participant.study, participant_id=participant.pk, now=now)
    return participant


def leave_and_delete(*, participant_id: UUID, now: datetime) -> DeletionReceipt:
    """Erase the participant with every row, which frees the place; return a receipt.

    The receipt of a preview is shown and not kept: nobody who took part was erased.

    Raises
    ------
    ParticipantNotFound
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        receipt = DeletionReceipt(
            study=participant.study, deleted_at=now, n_judgments=participant.judgments.count()
        )
        if participant.kind != ParticipantKind.PREVIEW:
            receipt.save(force_insert=True)
            audit.record("participant_erased", study=participant.study, now=now)
        # The platform's list names them too.
        PlatformSubmission.objects.filter(
            study=participant.study, platform_pid=participant.platform_pid
        ).delete()
        participant.delete()
    log.info("participant_erased", receipt=str(receipt.pk))
    return receipt


def _keep_or_release(participant: Participant, *, keeps: bool, now: datetime) -> None:
    if keeps:
        presence.keep_place(participant, now=now)
    else:
        presence.release_place(participant, now=now)
