"""Answered items in a few statements, for tests that look at many of them.

The rows are those that record_judgment writes, one request each (test_flags holds them equal).
"""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from judgments.actions import path
from judgments.assignment import ItemKind
from judgments.models import Cell, Choice, Item, Judgment, Layout, Participant, Study
from scoring.ranks import PAIRS, code_of
from tests.builders import NOW
from tests.judgments.studies import PROTOCOL, better_side, join_ready, later


def attentive(item: Item) -> Choice:
    """Follow the order of the actions, and the instructions."""
    if item.kind == ItemKind.INSTRUCTED:
        return Choice.LEFT if item.expected_id == item.left_id else Choice.RIGHT
    return better_side(item)


def always_left(item: Item) -> Choice:
    return Choice.LEFT


def play(
    participant: Participant,
    choose: Callable[[Item], Choice] = attentive,
    *,
    seconds: float = 30,
    active_ms: int | None = 25_000,
    n_items: int = 60,
    start: datetime = NOW,
    layout: Layout = Layout.UNKNOWN,
) -> Participant:
    """Answer the first items with a side, at one pace, and go past the breaks between them."""
    participant.refresh_from_db()
    related = participant.items.select_related("cell", "left", "right")
    items = list(related.order_by("position")[:n_items])
    pace, judgments = timedelta(seconds=seconds), []
    outcomes: dict[Cell, dict[tuple[int, int], bool]] = defaultdict(dict)
    for number, item in enumerate(items):
        item.shown_at, choice = start + number * pace, choose(item)
        chosen, other = (
            (item.left, item.right) if choice == Choice.LEFT else (item.right, item.left)
        )
        judgments.append(
            Judgment(
                item=item,
                participant=participant,
                choice=choice,
                chosen=chosen,
                answered_at=item.shown_at + pace,
                active_ms=active_ms,
                layout=layout,
                is_fast=pace < timedelta(milliseconds=PROTOCOL.fast_answer_ms),
                has_impossible_timing=timedelta(milliseconds=active_ms or 0)
                > pace + timedelta(seconds=2),
            )
        )
        pairs = outcomes[item.cell]
        if item.kind == ItemKind.JUDGMENT:
            lower, higher = sorted((chosen.number, other.number))
            pairs[lower, higher] = chosen.number == lower
            if len(pairs) == len(PAIRS):
                item.cell.completed_at, item.cell.is_usable = item.shown_at + pace, True
                item.cell.code = code_of([pairs[pair] for pair in PAIRS])
                item.cell.save()
    Judgment.objects.bulk_create(judgments)
    Item.objects.bulk_update(items, ["shown_at"])
    if items:
        last = items[-1].cell.place
        participant.breaks_taken = sum(place < last for place in PROTOCOL.breaks_after)
        participant.last_seen_at = start + n_items * pace
        participant.hold_until = participant.last_seen_at + timedelta(seconds=PROTOCOL.hold_seconds)
        participant.save()
    return participant


def finished(
    study: Study, choose: Callable[[Item], Choice] = attentive, **arguments: Any
) -> Participant:
    """Return somebody new who answered everything and has the code."""
    participant = play(join_ready(study, **arguments), choose)
    return path.finish(participant_id=participant.pk, now=later(minutes=40))
