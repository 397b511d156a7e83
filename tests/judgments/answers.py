"""Answers to every item of a study at once, for tests of what is made of them."""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import timedelta

from judgments.assignment import ItemKind
from judgments.models import Cell, Choice, Item, Judgment, Participant
from scoring.ranks import PAIRS, code_of
from tests.builders import NOW

Choose = Callable[[Item], Choice]


def coin(seed: int) -> Choose:
    rng = random.Random(seed)
    return lambda item: rng.choice((Choice.LEFT, Choice.RIGHT))


def answer_everything(
    participants: Iterable[Participant], choose: Choose, *, comments: Iterable[str] = ()
) -> list[Judgment]:
    """Store an answer to every item at once; the comments are those of the first items."""
    items = list(
        Item.objects.filter(participant__in=participants)
        .select_related("left", "right")
        .order_by("participant__joined_at", "participant", "position")
    )
    every_comment = itertools.chain(comments, itertools.repeat(""))
    judgments = [
        _judgment(item, choose(item), comment)
        for item, comment in zip(items, every_comment, strict=False)
    ]
    Judgment.objects.bulk_create(judgments)
    _complete_cells(judgments)
    return judgments


def _judgment(item: Item, choice: Choice, comment: str) -> Judgment:
    return Judgment(
        item=item,
        participant_id=item.participant_id,
        choice=choice,
        chosen_id={Choice.LEFT: item.left_id, Choice.RIGHT: item.right_id}.get(choice),
        answered_at=NOW + timedelta(seconds=12 * item.position),
        active_ms=9_000 + item.position,
        focus_losses=0,
        layout="side-by-side",
        viewport_width=1280,
        viewport_height=720,
        is_fast=False,
        has_impossible_timing=False,
        comment=comment,
    )


def _complete_cells(judgments: Iterable[Judgment]) -> None:
    by_cell: dict[int, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        if judgment.item.kind == ItemKind.JUDGMENT:
            by_cell[judgment.item.cell_id].append(judgment)
    cells = []
    for pk, pairs in by_cell.items():
        cell = Cell(pk=pk, completed_at=max(one.answered_at for one in pairs))
        choices = [one.choice for one in pairs]
        cell.is_usable = Choice.CANNOT_JUDGE not in choices
        if cell.is_usable and Choice.EQUAL not in choices:
            lower = {_pair(one): _lower_chosen(one) for one in pairs}
            cell.code = code_of([lower[pair] for pair in PAIRS])
        cells.append(cell)
    Cell.objects.bulk_update(cells, ["completed_at", "is_usable", "code"])


def _pair(judgment: Judgment) -> tuple[int, int]:
    left, right = judgment.item.left.number, judgment.item.right.number
    return min(left, right), max(left, right)


def _lower_chosen(judgment: Judgment) -> bool:
    is_left_lower = judgment.item.left.number < judgment.item.right.number
    return is_left_lower == (judgment.choice == Choice.LEFT)
