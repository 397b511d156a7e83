"""Showing an item and storing its answer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import structlog
from django.db import transaction

from judgments.actions import audit, presence
from judgments.actions.path import NotNext, TooLate, require_step
from judgments.assignment import ItemKind
from judgments.models import Cell, Choice, Item, Judgment, Layout, Participant, Revision
from judgments.protocol import Protocol
from judgments.queries.participants import protocol_of, step_of
from judgments.screen import screen_sha256
from judgments.steps import TOO_LATE, NextStep, Step
from scoring.ranks import PAIRS, code_of

# A browser's clock ticks otherwise than ours.
CLOCK_TOLERANCE = timedelta(seconds=2)

log = structlog.get_logger(__name__)


class ChoiceNotOffered(Exception):
    """The protocol does not have this choice."""


class AnswerFinal(Exception):
    """The item is answered, and the answer can no longer be changed."""


class Outcome(StrEnum):
    """What became of an answer that was sent."""

    STORED = "stored"
    REPEATED = "repeated"  # the same answer was stored before
    REVISED = "revised"


@dataclass(frozen=True)
class ClientReport:
    """What the browser says of an answer; nothing without JavaScript."""

    active_ms: int | None = None
    focus_losses: int | None = None
    layout: Layout = Layout.UNKNOWN
    viewport_width: int | None = None
    viewport_height: int | None = None


@dataclass(frozen=True)
class Recorded:
    """The judgment as it stands, and what this request did to it."""

    judgment: Judgment
    outcome: Outcome


def show_item(*, participant_id: UUID, position: int, now: datetime) -> Item:
    """Return the item, with the time when it was shown first.

    Raises
    ------
    NotNext
        If another page is next.
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        require_step(participant, NextStep(Step.ITEM, position=position), now=now)
        item = _find_item(participant, position, "cell__scenario", "left", "right")
        if item.shown_at is None:
            item.shown_at = now
            item.save(update_fields=["shown_at"])
            _note_other_screen(participant, now=now)
        presence.keep_place(participant, now=now)
    return item


def record_judgment(
    *,
    participant_id: UUID,
    position: int,
    choice: Choice,
    comment: str = "",
    report: ClientReport = ClientReport(),
    now: datetime,
) -> Recorded:
    """Store the answer to an item once, however often it is sent.

    Another choice for an item that is answered is a revision while it is the last answer and its
    scenario has a pair to come; afterwards it is refused, and the stored answer stands. The
    comment may be rewritten as long, which is no revision.

    Raises
    ------
    ParticipantNotFound, NotNext, TooLate, ChoiceNotOffered, AnswerFinal
    """
    with transaction.atomic(durable=True):
        participant = presence.lock(participant_id)
        _require_offered(protocol_of(participant), choice)
        item = _find_item(participant, position)
        judgment = getattr(item, "judgment", None)
        if judgment is None:
            judgment = _store(participant, item, choice, comment, report, now=now)
            recorded = Recorded(judgment, Outcome.STORED)
        elif (judgment.choice, judgment.comment) == (choice, comment):
            recorded = Recorded(judgment, Outcome.REPEATED)
        else:
            _revise(participant, judgment, choice, comment, now=now)
            recorded = Recorded(judgment, Outcome.REVISED)
    log.info(
        "judgment_recorded",
        participant_id=str(participant_id),
        position=position,
        outcome=recorded.outcome,
    )
    return recorded


def _note_other_screen(participant: Participant, *, now: datetime) -> None:
    """Write down, the first time, that items are shown on another screen than their version's.

    No row has the time of a deploy, and without it answers before and after would look the same.
    """
    drawn, own = screen_sha256(), protocol_of(participant).screen
    if own in ("", drawn):
        return
    event, study, version = "screen_changed", participant.study, participant.protocol.number
    details = {"version": version, "screen": drawn}
    if not study.audit_entries.filter(event=event, details=details).exists():
        audit.record(event, study=study, now=now, version=version, screen=drawn)


def _store(
    participant: Participant,
    item: Item,
    choice: Choice,
    comment: str,
    report: ClientReport,
    *,
    now: datetime,
) -> Judgment:
    require_step(participant, NextStep(Step.ITEM, position=item.position), now=now)
    shown_at = item.shown_at or now
    passed = now - shown_at
    active = timedelta(milliseconds=report.active_ms or 0)
    judgment = Judgment.objects.create(
        item=item,
        participant=participant,
        choice=choice,
        chosen_id=_chosen(item, choice),
        comment=comment,
        answered_at=now,
        active_ms=report.active_ms,
        focus_losses=report.focus_losses,
        layout=report.layout,
        viewport_width=report.viewport_width,
        viewport_height=report.viewport_height,
        is_fast=passed < timedelta(milliseconds=protocol_of(participant).fast_answer_ms),
        has_impossible_timing=active > passed + CLOCK_TOLERANCE,
    )
    presence.keep_place(participant, now=now)
    if item.kind == ItemKind.JUDGMENT:
        _complete_cell(item.cell, now=now)
    return judgment


def _revise(
    participant: Participant, judgment: Judgment, choice: Choice, comment: str, *, now: datetime
) -> None:
    item = judgment.item
    last = participant.judgments.order_by("-item__position").first()
    if item.cell.completed_at is not None or last is None or last.pk != judgment.pk:
        raise AnswerFinal
    # Else a change would bring back a place that is lost, or move results that are public.
    if step_of(participant, now=now).step in TOO_LATE:
        raise TooLate
    if judgment.choice != choice:
        Revision.objects.create(
            judgment=judgment, choice_before=judgment.choice, choice_after=choice, revised_at=now
        )
    judgment.choice, judgment.chosen_id = choice, _chosen(item, choice)
    judgment.comment = comment
    judgment.save(update_fields=["choice", "chosen", "comment"])
    presence.keep_place(participant, now=now)


def _complete_cell(cell: Cell, *, now: datetime) -> None:
    """Close the cell when its six pairs are answered; forced choices get their code."""
    answers = list(
        Judgment.objects.filter(item__cell=cell, item__kind=ItemKind.JUDGMENT).values_list(
            "choice", "chosen__number", "item__left__number", "item__right__number"
        )
    )
    if len(answers) < len(PAIRS):
        return
    cell.completed_at = now
    cell.is_usable = all(choice != Choice.CANNOT_JUDGE for choice, *_ in answers)
    if all(chosen is not None for _, chosen, *_ in answers):
        winners = {(min(pair), max(pair)): chosen for _, chosen, *pair in answers}
        cell.code = code_of([winners[pair] == pair[0] for pair in PAIRS])
    cell.save(update_fields=["completed_at", "is_usable", "code"])


def _chosen(item: Item, choice: Choice) -> int | None:
    return {Choice.LEFT: item.left_id, Choice.RIGHT: item.right_id}.get(choice)


def _find_item(participant: Participant, position: int, *shown: str) -> Item:
    """Return an item with its answer, if there is one, and the parts that are to be shown."""
    items = participant.items.select_related("cell", "judgment", *shown)
    item = items.filter(position=position).first()
    if item is None:
        raise NotNext
    return item


def _require_offered(protocol: Protocol, choice: Choice) -> None:
    offered = {Choice.LEFT, Choice.RIGHT}
    if protocol.allows_equal:
        offered.add(Choice.EQUAL)
    if protocol.allows_cannot_judge:
        offered.add(Choice.CANNOT_JUDGE)
    if choice not in offered:
        raise ChoiceNotOffered
