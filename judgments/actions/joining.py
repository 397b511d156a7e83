"""Joining a study: everything that a participant will see is drawn and stored at once."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db import transaction

from catalog.models import Action
from judgments.actions import audit, presence
from judgments.actions.material import material_of
from judgments.assignment import Assignment, assign
from judgments.links import digest, new_token, normalise_pid
from judgments.models import (
    Audience,
    Cell,
    Item,
    Participant,
    ParticipantKind,
    ProtocolVersion,
    Study,
)
from judgments.protocol import Protocol
from judgments.queries.coverage import served_orientations
from judgments.queries.launch import current_protocol, open_protocol
from judgments.queries.participants import is_blocked

log = structlog.get_logger(__name__)


class StudyNotOpen(Exception):
    """The study has no protocol, has not been opened, or is closed."""


class FormUsedUp(Exception):
    """The place that this form made was handed over: another form makes another one."""


class PidBlocked(Exception):
    """The platform id is on the study's list of those who may not take part."""


@dataclass(frozen=True)
class Joined:
    """Who joined. The token makes the personal link; somebody who came back keeps the old one."""

    participant: Participant
    token: str | None


def join_study(
    *,
    study_slug: str,
    seed: int,
    now: datetime,
    is_preview: bool = False,
    token: str | None = None,
    platform_pid: str = "",
    platform_session: str = "",
) -> Joined:
    """Return a new participant with all items, or who joined by this form or this platform id.

    A form makes the secret `token` of the personal link, the same however often it is sent; its
    digest is unique. Without a form one is drawn. Whom the study is for decides whether a person or
    a robot joined; a preview is staff's look at it. One joins at a time: the study's row is locked,
    so that counts and draws belong together. Who has joined comes back to a closed study too.

    Raises
    ------
    FormUsedUp, StudyNotOpen, PidBlocked
    QuotaUnmet, ChecksMisfit
        If the protocol cannot be played.
    """
    with transaction.atomic(durable=True):
        study = _lock_study(study_slug)
        if token and (same := _of_form(study, token)):
            return Joined(same, token)
        pid = normalise_pid(platform_pid)
        if pid and is_blocked(study, pid):
            raise PidBlocked
        if known := _known(study, pid):
            presence.welcome_back(known, now=now)
            audit.record("joined_again", study=study, participant_id=known.pk, now=now)
            return Joined(known, token=None)
        version = _open_protocol(study, is_preview=is_preview, now=now)
        token = token or new_token()
        protocol = Protocol.from_definition(version.definition)
        participant = Participant.objects.create(
            study=study,
            protocol=version,
            kind=_kind(study, is_preview=is_preview),
            token_sha256=digest(token),
            platform_pid=pid or None,
            platform_session=platform_session,
            seed=seed,
            joined_at=now,
            last_seen_at=now,
            hold_until=now + timedelta(seconds=protocol.hold_seconds),
        )
        assignment = assign(
            material_of(protocol.scenarios, served=served_orientations(study, now=now)),
            quotas=protocol.quotas,
            checks=protocol.checks,
            rng=random.Random(seed),  # noqa: S311 - a design to be drawn again, not a secret
        )
        _store(participant, assignment)
    log.info("participant_joined", study=study.slug, participant_id=str(participant.pk))
    return Joined(participant, token)


def _lock_study(slug: str) -> Study:
    # Without the key: other transactions add rows that refer to the study, and need not wait.
    study = Study.objects.select_for_update(no_key=True).filter(pk=slug).first()
    if study is None:
        raise StudyNotOpen
    return study


def _open_protocol(study: Study, *, is_preview: bool, now: datetime) -> ProtocolVersion:
    # Staff look at a study before it opens.
    version = current_protocol(study) if is_preview else open_protocol(study, now=now)
    if version is None:
        raise StudyNotOpen
    return version


def _kind(study: Study, *, is_preview: bool) -> ParticipantKind:
    if is_preview:
        return ParticipantKind.PREVIEW
    return ParticipantKind.ROBOT if study.audience == Audience.ROBOTS else ParticipantKind.PERSON


def _of_form(study: Study, token: str) -> Participant | None:
    """Return who joined when this form was sent before: by a second click, or after a lost reply.

    Raises
    ------
    FormUsedUp
    """
    same = Participant.objects.filter(study=study, token_sha256=digest(token)).first()
    if same and same.session_epoch:
        raise FormUsedUp
    return same


def _known(study: Study, pid: str) -> Participant | None:
    """Return who has this platform id, in whose own study only."""
    if not pid:
        return None
    row = Participant.objects.filter(study=study, platform_pid=pid).values_list("pk").first()
    return presence.lock(row[0]) if row else None


def _store(participant: Participant, assignment: Assignment) -> None:
    cells = {
        cell.slug: Cell(
            participant=participant,
            scenario_id=cell.slug,
            place=cell.place,
            orientation=cell.orientation,
        )
        for cell in assignment.cells
    }
    Cell.objects.bulk_create(cells.values())
    actions = {
        (slug, number): pk
        for slug, number, pk in Action.objects.filter(scenario__in=cells).values_list(
            "scenario", "number", "pk"
        )
    }
    items: dict[int, Item] = {}
    for planned in assignment.items:
        expected = None if planned.expected is None else actions[planned.slug, planned.expected]
        items[planned.position] = Item(
            participant=participant,
            cell=cells[planned.slug],
            position=planned.position,
            kind=planned.kind,
            left_id=actions[planned.slug, planned.left],
            right_id=actions[planned.slug, planned.right],
            expected_id=expected,
        )
    originals = {item.position: item.repeat_of for item in assignment.items if item.repeat_of}
    Item.objects.bulk_create(item for position, item in items.items() if position not in originals)
    for position, original in originals.items():
        items[position].repeat_of = items[original]
    Item.objects.bulk_create(items[position] for position in originals)
