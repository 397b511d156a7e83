"""What staff write down while a study runs: notes, and the platform's list of submissions."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.db import transaction

from judgments.actions import audit, presence
from judgments.models import PlatformSubmission, StaffNote, Study
from judgments.submissions import Submission

MAX_NOTE = 4000

log = structlog.get_logger(__name__)


class NoteUnusable(ValueError):
    """A note is empty or too long."""


def add_note(*, participant_id: UUID, staff: User, text: str, now: datetime) -> StaffNote:
    """Keep a note about a participant.

    Raises
    ------
    ParticipantNotFound, NoteUnusable
    """
    written = text.strip()
    if not written:
        raise NoteUnusable("Write something before you save the note.")
    if len(written) > MAX_NOTE:
        raise NoteUnusable(f"A note holds {MAX_NOTE} characters; this one has {len(written)}.")
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        note = StaffNote.objects.create(
            participant=participant, staff=staff, text=written, written_at=now
        )
        # The text stays out of the log, which outlives the participant.
        audit.record(
            "note_written",
            study=participant.study,
            participant_id=participant_id,
            staff=staff,
            now=now,
        )
    log.info("note_written", participant_id=str(participant_id), staff=staff.pk)
    return note


def store_submissions(
    *, study: Study, submissions: Sequence[Submission], staff: User, now: datetime
) -> int:
    """Put the platform's list in the place of the one before; return its number of lines."""
    with transaction.atomic(durable=True):
        # Two lists at once must not mix.
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        locked.submissions.all().delete()
        PlatformSubmission.objects.bulk_create(
            PlatformSubmission(
                study=locked,
                platform_pid=one.platform_pid,
                status=one.status,
                completion_code=one.completion_code,
                listed_at=now,
            )
            for one in submissions
        )
        audit.record(
            "platform_list_stored", study=locked, staff=staff, now=now, n_lines=len(submissions)
        )
    log.info("platform_list_stored", study=study.pk, n_lines=len(submissions), staff=staff.pk)
    return len(submissions)
