"""Who sees what: scenarios, pairs, sides and checks of one participant, drawn at join and stored.

Actions are numbers inside their scenario, and left is A. Nothing here reads a table: whoever joins
brings the counts and a seeded source of chance, and gets plain values to store.
"""

import functools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from scoring.ranks import N_ACTIONS, PAIRS

JUDGMENTS_PER_CHECK = 4
# The three rounds of a scenario: each pairs off all four actions.
ROUNDS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
ALL_LEFT = (1 << len(PAIRS)) - 1

Pair = tuple[int, int]


class ItemKind(StrEnum):
    """What an item is for. The screen looks the same for all."""

    JUDGMENT = "judgment"
    INSTRUCTED = "instructed"  # names the label to choose: an attention check
    DOMINATED = "dominated"  # a design against the foil: gold, for analysis only
    REPEAT = "repeat"  # an earlier pair with sides swapped: consistency


CHECK_KINDS = (ItemKind.INSTRUCTED, ItemKind.DOMINATED, ItemKind.REPEAT)


_Item = TypeVar("_Item")


@dataclass(frozen=True, eq=False)
class _Draft:
    """An item before it has a position; drafts are told apart by identity."""

    slug: str
    kind: ItemKind
    left: int
    right: int
    expected: int | None = None
    original: "_Draft | None" = None


class QuotaUnmet(Exception):
    """A domain has fewer scenarios than a participant has to see."""


class ChecksMisfit(Exception):
    """The checks do not fit the judgments: one for every four."""


@dataclass(frozen=True)
class Material:
    """A scenario that can be given out.

    `served` has the orientations of its cells that count: completed usable ones and live holds.
    `worth` lists the four actions, the better first, so that no side is the better one; `gold` is
    the action that dominates the `foil`.
    """

    slug: str
    domain: str
    served: tuple[int, ...]
    worth: tuple[int, ...]
    gold: int
    foil: int


@dataclass(frozen=True)
class Cell:
    """A scenario given to a participant; bit k of the orientation puts the lower number left."""

    slug: str
    place: int
    orientation: int


@dataclass(frozen=True)
class PlannedItem:
    """One screen. `expected` is the action that passes the check, resolved after the sides."""

    position: int
    slug: str
    kind: ItemKind
    left: int
    right: int
    expected: int | None = None
    repeat_of: int | None = None


@dataclass(frozen=True)
class Assignment:
    """Everything a participant will see, in order; positions and places start at 1."""

    cells: tuple[Cell, ...]
    items: tuple[PlannedItem, ...]


_Maker = Callable[[Material, Sequence[_Draft]], _Draft]


def assign(
    material: Sequence[Material],
    *,
    quotas: Sequence[int],
    checks: Mapping[ItemKind, int],
    rng: random.Random,
) -> Assignment:
    """Draw the scenarios, pairs, sides and checks of the next participant.

    Raises
    ------
    QuotaUnmet, ChecksMisfit
    """
    chosen = choose_scenarios(material, quotas=quotas, rng=rng)
    cells = tuple(
        Cell(scenario.slug, place, choose_orientation(scenario, rng=rng))
        for place, scenario in enumerate(chosen, start=1)
    )
    judgments = [item for cell in cells for item in _judgments(cell, rng)]
    return Assignment(cells, _with_checks(judgments, chosen, checks, rng))


def require_playable(
    domains: Iterable[str], *, quotas: Sequence[int], checks: Mapping[ItemKind, int]
) -> None:
    """Refuse a design that cannot give everybody their scenarios and checks.

    `domains` has the domain of each scenario. Any of them may be the least served, so each must
    hold the largest quota.

    Raises
    ------
    QuotaUnmet, ChecksMisfit
    """
    counts = Counter(domains)
    _require_quotas(len(counts), quotas)
    for domain, n_scenarios in sorted(counts.items()):
        if n_scenarios < max(quotas):
            raise QuotaUnmet(f"{domain} has {n_scenarios} scenarios, not {max(quotas)}")
    _require_fitting(sum(quotas) * len(PAIRS), checks)


def _require_quotas(n_domains: int, quotas: Sequence[int]) -> None:
    if n_domains != len(quotas):
        raise QuotaUnmet(f"{len(quotas)} quotas for {n_domains} domains")
    if not sum(quotas):
        raise QuotaUnmet("quotas of 0 in every domain show nobody anything")


def choose_scenarios(
    material: Sequence[Material], *, quotas: Sequence[int], rng: random.Random
) -> tuple[Material, ...]:
    """Return the least-served scenarios of each domain in a random order.

    The smallest quota goes to the most-served domain; ties are drawn.

    Raises
    ------
    QuotaUnmet
        If a domain has fewer scenarios than its quota, there are not as many domains as quotas, or
        no quota is above 0.
    """
    domains: dict[str, list[Material]] = {}
    for scenario in material:
        domains.setdefault(scenario.domain, []).append(scenario)
    _require_quotas(len(domains), quotas)
    by_service = sorted(
        _shuffled(list(domains.values()), rng),
        key=lambda scenarios: sum(len(scenario.served) for scenario in scenarios),
    )
    chosen: list[Material] = []
    for scenarios, quota in zip(by_service, sorted(quotas, reverse=True), strict=True):
        if len(scenarios) < quota:
            raise QuotaUnmet(f"{scenarios[0].domain} has {len(scenarios)} scenarios, not {quota}")
        # The sort is stable, so scenarios served alike keep the drawn order.
        chosen += sorted(_shuffled(scenarios, rng), key=lambda s: len(s.served))[:quota]
    return tuple(_shuffled(chosen, rng))


def choose_orientation(scenario: Material, *, rng: random.Random) -> int:
    """Return the complement of an orientation that has none yet, else a new balanced one."""
    counts = Counter(scenario.served)
    lonely = [
        orientation
        for orientation in scenario.served
        if counts[orientation] > counts[complement(orientation)]
    ]
    if lonely:
        return complement(lonely[0])
    return rng.choice(balanced_orientations(scenario.worth))


def complement(orientation: int) -> int:
    """Return the orientation with every pair the other way round."""
    return ALL_LEFT ^ orientation


@functools.cache
def balanced_orientations(worth: tuple[int, ...]) -> tuple[int, ...]:
    """Return the orientations that favour no action and no side.

    Of the 64, 24 show each action on the left once or twice of three times. Of these, 10 have the
    better action on the left in three pairs of six, and with an orientation its complement: so
    over 48 pairs the better one is left exactly 24 times.
    """
    return tuple(
        orientation
        for orientation in range(ALL_LEFT + 1)
        if is_even(orientation) and _better_left(orientation, worth) * 2 == len(PAIRS)
    )


def is_even(orientation: int) -> bool:
    """Tell whether each action is on the left once or twice of its three showings."""
    lefts = Counter(place_sides(pair, orientation)[0] for pair in PAIRS)
    return all(lefts[action] in (1, 2) for action in range(N_ACTIONS))


def place_sides(pair: Pair, orientation: int) -> Pair:
    """Return a pair of ascending numbers as left and right."""
    lower, higher = pair
    return pair if orientation >> PAIRS.index(pair) & 1 else (higher, lower)


def _better_left(orientation: int, worth: Sequence[int]) -> int:
    sides = [place_sides(pair, orientation) for pair in PAIRS]
    return sum(int(worth.index(left) < worth.index(right)) for left, right in sides)


def _judgments(cell: Cell, rng: random.Random) -> list[_Draft]:
    """Return the six pairs of a cell: rounds shuffled, and the two pairs inside each."""
    pairs = [pair for pairs in _shuffled(ROUNDS, rng) for pair in _shuffled(pairs, rng)]
    return [
        _Draft(cell.slug, ItemKind.JUDGMENT, *place_sides(pair, cell.orientation)) for pair in pairs
    ]


def _with_checks(
    judgments: Sequence[_Draft],
    chosen: Sequence[Material],
    checks: Mapping[ItemKind, int],
    rng: random.Random,
) -> tuple[PlannedItem, ...]:
    scenarios = {scenario.slug: scenario for scenario in chosen}
    makers = _makers(checks, rng)
    drafts: list[_Draft] = []
    kinds = place_checks(len(judgments), checks=checks, rng=rng)
    for n_shown, judgment in enumerate(judgments, start=1):
        drafts.append(judgment)
        if kind := kinds.get(n_shown):
            first = n_shown - (n_shown - 1) % len(PAIRS) - 1
            shown = judgments[first:n_shown]
            drafts.append(makers[kind](scenarios[judgment.slug], shown))
    return _numbered(drafts)


def place_checks(
    n_judgments: int, *, checks: Mapping[ItemKind, int], rng: random.Random
) -> dict[int, ItemKind]:
    """Return which kind of check follows which judgment, counted from 1.

    One follows a drawn judgment of every four, so none is first and no two are in a row. A repeat
    needs an earlier pair of the same scenario that is not the one just shown. After the first pair
    of a scenario there is none; at most two thirds of the places are like that.

    Raises
    ------
    ChecksMisfit
        If there is not one check for every four judgments, or more than a third are repeats.
    """
    _require_fitting(n_judgments, checks)
    places = [
        block + rng.randint(1, JUDGMENTS_PER_CHECK)
        for block in range(0, n_judgments, JUDGMENTS_PER_CHECK)
    ]
    repeatable = [place for place in places if place % len(PAIRS) != 1]
    repeats = rng.sample(repeatable, checks[ItemKind.REPEAT])
    # Sorted, because a protocol that was stored has its checks in another order.
    kinds = [kind for kind in sorted(checks) for _ in range(checks[kind])]
    others = _shuffled([kind for kind in kinds if kind is not ItemKind.REPEAT], rng)
    rest = [place for place in places if place not in repeats]
    return dict.fromkeys(repeats, ItemKind.REPEAT) | dict(zip(rest, others, strict=True))


def _require_fitting(n_judgments: int, checks: Mapping[ItemKind, int]) -> None:
    n_checks = sum(checks.values())
    if n_checks * JUDGMENTS_PER_CHECK != n_judgments:
        needed, rest = divmod(n_judgments, JUDGMENTS_PER_CHECK)
        advice = "choose an even number of scenarios" if rest else f"give {needed} of all kinds"
        raise ChecksMisfit(
            f"{n_checks} checks for {n_judgments} judgments, not one for every four: {advice}"
        )
    if checks[ItemKind.REPEAT] * 3 > n_checks:
        raise ChecksMisfit("more than a third of the checks are repeats")


def _makers(checks: Mapping[ItemKind, int], rng: random.Random) -> dict[ItemKind, _Maker]:
    """Return how a check of each kind is made; the side to choose is left in half of them."""
    asked_left = iter(_even_sides(checks[ItemKind.INSTRUCTED], rng))
    gold_left = iter(_even_sides(checks[ItemKind.DOMINATED], rng))

    def instructed(scenario: Material, shown: Sequence[_Draft]) -> _Draft:
        just_shown = {shown[-1].left, shown[-1].right}
        pair = rng.choice([pair for pair in PAIRS if set(pair) != just_shown])
        left, right = _shuffled(pair, rng)
        expected = left if next(asked_left) else right
        return _Draft(scenario.slug, ItemKind.INSTRUCTED, left, right, expected)

    def dominated(scenario: Material, shown: Sequence[_Draft]) -> _Draft:
        sides = (scenario.gold, scenario.foil)
        left, right = sides if next(gold_left) else sides[::-1]
        return _Draft(scenario.slug, ItemKind.DOMINATED, left, right, scenario.gold)

    def repeat(scenario: Material, shown: Sequence[_Draft]) -> _Draft:
        earlier = rng.choice(shown[:-1])
        return _Draft(scenario.slug, ItemKind.REPEAT, earlier.right, earlier.left, original=earlier)

    return {
        ItemKind.INSTRUCTED: instructed,
        ItemKind.DOMINATED: dominated,
        ItemKind.REPEAT: repeat,
    }


def _even_sides(n: int, rng: random.Random) -> list[bool]:
    """Return n sides, half of them left; of an odd number the last is drawn."""
    sides = [True, False] * (n // 2) + [rng.random() < 1 / 2] * (n % 2)
    return _shuffled(sides, rng)


def _numbered(drafts: Sequence[_Draft]) -> tuple[PlannedItem, ...]:
    positions = {draft: position for position, draft in enumerate(drafts, start=1)}
    return tuple(
        PlannedItem(
            position=position,
            slug=draft.slug,
            kind=draft.kind,
            left=draft.left,
            right=draft.right,
            expected=draft.expected,
            repeat_of=positions[draft.original] if draft.original else None,
        )
        for draft, position in positions.items()
    )


def _shuffled(items: Iterable[_Item], rng: random.Random) -> list[_Item]:
    shuffled = list(items)
    rng.shuffle(shuffled)
    return shuffled
