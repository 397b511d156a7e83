"""Studies with answers of a known order, written without walking through every page."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from catalog.models import Action, Scenario
from catalog.scenario_truth import ActionMetric
from judgments.assignment import ItemKind
from judgments.models import (
    Cell,
    Choice,
    Item,
    Judgment,
    Participant,
    ParticipantKind,
    ProtocolVersion,
    Study,
)
from scoring.ranks import PAIRS, code_of
from tests.builders import NOW
from tests.judgments.studies import get_ready, join

Choose = Callable[[Item], Choice]

LATER = NOW + timedelta(minutes=20)
# Action numbers of the pair, in order of PAIRS: whether the lower one wins.
ORDER, REVERSE = 0b111111, 0
FIRST_THEN_CIRCLE = code_of([True, True, True, True, False, True])  # wins 3, 1, 1, 1
TWO_AND_TWO = code_of([True, True, False, True, True, True])  # wins 2, 2, 1, 1


def oracle(item: Item) -> Choice:
    """Choose what is worth more: the lower number in the scenarios of the tests."""
    return Choice.LEFT if item.left.number < item.right.number else Choice.RIGHT


def reverse(item: Item) -> Choice:
    return Choice.RIGHT if oracle(item) == Choice.LEFT else Choice.LEFT


def always_left(item: Item) -> Choice:
    return Choice.LEFT


def add_person(
    study: Study,
    *,
    kind: ParticipantKind = ParticipantKind.PERSON,
    protocol: ProtocolVersion | None = None,
) -> Participant:
    """Return somebody who was given nothing."""
    return Participant.objects.create(
        study=study,
        protocol=protocol or study.protocols.get(number=1),
        kind=kind,
        token_sha256=uuid.uuid4().hex,
        seed=1,
        joined_at=NOW,
        last_seen_at=NOW,
        hold_until=NOW,
    )


def rank(
    person: Participant, codes: Iterable[tuple[str, int]], *, with_choices: bool = True
) -> None:
    """Give a person complete cells with their choices: (scenario, code of the six choices).

    The lower number stands left and right in turn, so nobody gets one-sided by their order.
    """
    given = list(codes)
    actions = {
        (slug, number): pk
        for slug, number, pk in Action.objects.filter(
            scenario__in=[slug for slug, _ in given]
        ).values_list("scenario", "number", "pk")
    }
    first = person.cells.count()
    cells = Cell.objects.bulk_create(
        Cell(
            participant=person,
            scenario_id=slug,
            place=first + number + 1,
            orientation=0b101010,
            completed_at=LATER,
            is_usable=True,
            code=code,
        )
        for number, (slug, code) in enumerate(given)
    )
    if not with_choices:
        return
    items, choices = [], []
    for cell in cells:
        for number, pair in enumerate(PAIRS):
            lower, higher = (actions[cell.scenario_id, action] for action in pair)
            sides = (higher, lower) if number % 2 else (lower, higher)
            position = 6 * (cell.place - 1) + number + 1
            items.append(_item(person, cell, position, sides))
            choices.append(lower if (cell.code or 0) >> number & 1 else higher)
    Item.objects.bulk_create(items)
    Judgment.objects.bulk_create(
        _judgment(item, Choice.LEFT if chosen == item.left_id else Choice.RIGHT)
        for item, chosen in zip(items, choices, strict=True)
    )


def _item(person: Participant, cell: Cell, position: int, sides: tuple[int, int]) -> Item:
    return Item(
        cell=cell,
        participant=person,
        position=position,
        kind=ItemKind.JUDGMENT,
        left_id=sides[0],
        right_id=sides[1],
    )


def _judgment(item: Item, choice: Choice) -> Judgment:
    return Judgment(
        item=item,
        participant_id=item.participant_id,
        choice=choice,
        chosen_id={Choice.LEFT: item.left_id, Choice.RIGHT: item.right_id}.get(choice),
        answered_at=LATER,
        is_fast=False,
        has_impossible_timing=False,
    )


def set_metric(slug: str, values: Sequence[float]) -> None:
    for number, value in enumerate(values):
        ActionMetric.objects.filter(action__scenario=slug, action__number=number).update(
            rate=value, ungated_rate=value
        )


def scenarios() -> list[str]:
    return sorted(Scenario.objects.values_list("slug", flat=True))


def play(study: Study, choose: Choose, *, n_pairs: int = 10**6) -> Participant:
    """Let somebody join and answer by a rule; with `n_pairs` only so many pairs, in order."""
    person = get_ready(join(study).participant)
    items = list(person.items.select_related("left", "right", "cell"))
    answered = items[: _place_of_pair(items, n_pairs)]
    Judgment.objects.bulk_create(_judgment(item, choose(item)) for item in answered)
    for cell in person.cells.all():
        _complete(cell)
    return person


def _place_of_pair(items: Sequence[Item], n_pairs: int) -> int:
    places = [index for index, item in enumerate(items) if item.kind == ItemKind.JUDGMENT]
    return len(items) if n_pairs > len(places) - 1 else places[n_pairs]


def _complete(cell: Cell) -> None:
    answers = Judgment.objects.filter(item__cell=cell, item__kind=ItemKind.JUDGMENT)
    rows = list(
        answers.values_list("choice", "chosen__number", "item__left__number", "item__right__number")
    )
    if len(rows) < len(PAIRS):
        return
    cell.completed_at = LATER
    cell.is_usable = all(choice != Choice.CANNOT_JUDGE for choice, *_ in rows)
    if all(chosen is not None for _, chosen, *_ in rows):
        winner = {(min(pair), max(pair)): chosen for _, chosen, *pair in rows}
        cell.code = code_of([winner[pair] == pair[0] for pair in PAIRS])
    cell.save()
