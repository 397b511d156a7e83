"""What staff do: publish protocols, exclude people, undo it."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

import structlog
from django.contrib.auth.models import User
from django.db import transaction

from judgments.actions import audit, presence
from judgments.models import Audience, Exclusion, ProtocolVersion, Study
from judgments.protocol import Protocol
from judgments.queries.exports import platform_ids_among
from judgments.queries.launch import current_protocol
from judgments.redaction import hide_names, words_of
from judgments.screen import screen_sha256

log = structlog.get_logger(__name__)


class StudyOpen(Exception):
    """People are joining: close the study before its protocol changes."""


class AlreadyExcluded(Exception):
    """An exclusion of this participant is in force."""


class NotExcluded(Exception):
    """No exclusion of this participant is in force."""


class ReasonMissing(Exception):
    """An exclusion needs a reason."""


class VersionOutdated(Exception):
    """Another version was saved since the one that was edited."""


def publish_protocol(
    *,
    study: Study,
    protocol: Protocol,
    staff: User | None,
    now: datetime,
    based_on: int | None = None,
) -> ProtocolVersion:
    """Return the current version if it has this content, else a new one with the next number.

    The judgment screen as it is drawn now belongs to the content, whatever the protocol says. Who
    has joined keeps the version they joined under. `based_on` is the version that was edited, 0 for
    none: what somebody else saved since is not undone unseen.

    Raises
    ------
    VersionOutdated
    StudyOpen
        Of a people's study: a new version has to pass the launch checks before anybody joins it.
    """
    protocol = replace(protocol, screen=screen_sha256())
    with transaction.atomic(durable=True):
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        current = current_protocol(locked)
        if current and current.sha256 == protocol.sha256:
            return current
        if based_on not in {None, current.number if current else 0}:
            raise VersionOutdated
        if locked.is_open and locked.audience == Audience.PEOPLE:
            raise StudyOpen
        version = ProtocolVersion.objects.create(
            study=locked,
            number=current.number + 1 if current else 1,
            sha256=protocol.sha256,
            definition=protocol.definition(),
            created_at=now,
        )
        audit.record(
            "protocol_published", study=locked, staff=staff, now=now, number=version.number
        )
    log.info("protocol_published", study=study.pk, number=version.number)
    return version


def exclude_participant(
    *, participant_id: UUID, staff: User, reason: str, now: datetime
) -> Exclusion:
    """Leave a participant out of every result and of coverage from now on.

    Raises
    ------
    ParticipantNotFound, ReasonMissing, AlreadyExcluded
    """
    if not reason.strip():
        raise ReasonMissing
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        if participant.exclusions.filter(undone_at__isnull=True).exists():
            raise AlreadyExcluded
        exclusion = participant.exclusions.create(
            reason=reason.strip(), excluded_by=staff, excluded_at=now
        )
        audit.record(
            "participant_excluded",
            study=participant.study,
            participant_id=participant_id,
            staff=staff,
            reason=_unnamed(exclusion.reason, participant.study),
            now=now,
        )
    log.info("participant_excluded", participant_id=str(participant_id), staff=staff.pk)
    return exclusion


def undo_exclusion(*, participant_id: UUID, staff: User, reason: str, now: datetime) -> Exclusion:
    """Count a participant again.

    Raises
    ------
    ParticipantNotFound, NotExcluded
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        exclusion = participant.exclusions.filter(undone_at__isnull=True).first()
        if exclusion is None:
            raise NotExcluded
        exclusion.undone_by, exclusion.undone_at = staff, now
        exclusion.save(update_fields=["undone_by", "undone_at"])
        audit.record(
            "exclusion_undone",
            study=participant.study,
            participant_id=participant_id,
            staff=staff,
            reason=_unnamed(reason.strip(), participant.study),
            now=now,
        )
    log.info("exclusion_undone", participant_id=str(participant_id), staff=staff.pk)
    return exclusion


def _unnamed(reason: str, study: Study) -> str:
    """Return a reason as the log keeps it, which outlives whoever leaves and is erased."""
    return hide_names(reason, platform_ids=platform_ids_among(study, words_of(reason)))
