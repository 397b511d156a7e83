"""What a design amounts to: coverage, sides, orders and checks of everybody who joins.

The same figures are taken of simulated people before a launch and of the rows after it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from scipy.stats import chi2_contingency

from judgments.assignment import CHECK_KINDS, JUDGMENTS_PER_CHECK, Assignment, ItemKind, PlannedItem
from scoring.ranks import PAIRS

# Fewer people than that do not fill the cells of a chi-square test.
MIN_PEOPLE_FOR_ORDER = 200
FACTORS = ("place of the scenario", "place of the pair", "pair", "side", "domain")


@dataclass(frozen=True)
class Association:
    """A chi-square test of independence of factors, one judgment drawn from each person."""

    factors: tuple[str, ...]
    statistic: float
    dof: int
    p_value: float


@dataclass(frozen=True)
class DesignFigures:
    """Figures of what people were given. Counts by value are pairs, ascending by the value.

    `better_left` counts people by how many of their judgments have the better action left, and
    `imbalance` counts actions by how far showings on the left and on the right differ over their
    raters. `sides` has, by place of the scenario in the session and of the pair in the scenario,
    how many judgments show the lower number left, and how many there are. `check_screens` has, by
    kind, how many checks stand at each screen; `check_places` after which judgment of a block of
    four. `n_misplaced` counts checks that are first, follow another one, or are not one a block.
    """

    n_people: int
    better_left: tuple[tuple[int, int], ...]
    imbalance: tuple[tuple[int, int], ...]
    sides: tuple[tuple[tuple[int, int], ...], ...]
    check_screens: Mapping[str, tuple[int, ...]]
    check_places: tuple[int, ...]
    expected_left: Mapping[str, tuple[tuple[int, int], ...]]
    n_misplaced: int
    associations: tuple[Association, ...]


@dataclass(frozen=True)
class Coverage:
    """How often scenarios were given: scenarios by count, and cells by domain, of one study.

    `spread` is the largest difference of two counts inside a domain.
    """

    scenarios: tuple[tuple[int, int], ...]
    domains: Mapping[str, int]
    spread: int


def coverage_of(counts: Mapping[str, int], domains: Mapping[str, str]) -> Coverage:
    """Return the coverage of scenarios that were given so often."""
    inside: dict[str, list[int]] = {}
    for slug, count in sorted(counts.items()):
        inside.setdefault(domains[slug], []).append(count)
    return Coverage(
        scenarios=ascending(Counter(counts.values())),
        domains={domain: sum(inside[domain]) for domain in sorted(inside)},
        spread=max((max(each) - min(each) for each in inside.values()), default=0),
    )


def describe(
    people: Sequence[Assignment],
    *,
    worth: Mapping[str, Sequence[int]],
    domains: Mapping[str, str],
    rng: random.Random,
) -> DesignFigures:
    """Return the figures of what these people were given; `rng` draws a judgment from each."""
    judgments = [_judgments(person) for person in people]
    return DesignFigures(
        n_people=len(people),
        better_left=ascending(Counter(_n_better_left(shown, worth) for shown in judgments)),
        imbalance=ascending(Counter(imbalances(people))),
        sides=_sides(judgments),
        check_screens=_check_screens(people),
        check_places=_check_places(people),
        expected_left=_expected_left(people),
        n_misplaced=sum(_n_misplaced(person) for person in people),
        associations=_associations(judgments, domains, rng),
    )


def _judgments(person: Assignment) -> list[PlannedItem]:
    return [item for item in person.items if item.kind == ItemKind.JUDGMENT]


def _n_better_left(shown: Iterable[PlannedItem], worth: Mapping[str, Sequence[int]]) -> int:
    return sum(
        worth[item.slug].index(item.left) < worth[item.slug].index(item.right) for item in shown
    )


def imbalances(people: Iterable[Assignment]) -> list[int]:
    """Return for every action that was shown how far its showings left and right differ."""
    difference: Counter[tuple[str, int]] = Counter()
    for person in people:
        for item in _judgments(person):
            difference[item.slug, item.left] += 1
            difference[item.slug, item.right] -= 1
    return [abs(number) for number in difference.values()]


def _sides(judgments: Iterable[Sequence[PlannedItem]]) -> tuple[tuple[tuple[int, int], ...], ...]:
    lefts: Counter[tuple[int, int]] = Counter()
    shown: Counter[tuple[int, int]] = Counter()
    for person in judgments:
        for index, item in enumerate(person):
            place = divmod(index, len(PAIRS))
            shown[place] += 1
            lefts[place] += item.left < item.right
    n_places = 1 + max((place for place, _ in shown), default=-1)
    return tuple(
        tuple((lefts[place, order], shown[place, order]) for order in range(len(PAIRS)))
        for place in range(n_places)
    )


def _check_screens(people: Sequence[Assignment]) -> dict[str, tuple[int, ...]]:
    n_screens = max((len(person.items) for person in people), default=0)
    counts = Counter((item.kind, item.position) for person in people for item in person.items)
    return {
        kind.value: tuple(counts[kind, position] for position in range(1, n_screens + 1))
        for kind in CHECK_KINDS
    }


def _check_places(people: Iterable[Assignment]) -> tuple[int, ...]:
    counts = Counter(place for person in people for place in _places_in_blocks(person))
    return tuple(counts[place] for place in range(1, JUDGMENTS_PER_CHECK + 1))


def _places_in_blocks(person: Assignment) -> list[int]:
    return [(n_before - 1) % JUDGMENTS_PER_CHECK + 1 for n_before in _judgments_before(person)]


def _judgments_before(person: Assignment) -> list[int]:
    """Return, for every check, how many judgments come before it."""
    before, n_judgments = [], 0
    for item in person.items:
        if item.kind == ItemKind.JUDGMENT:
            n_judgments += 1
        else:
            before.append(n_judgments)
    return before


def _n_misplaced(person: Assignment) -> int:
    n_first = int(bool(person.items) and person.items[0].kind != ItemKind.JUDGMENT)
    in_a_row = sum(
        one.kind != ItemKind.JUDGMENT != other.kind for one, other in pairwise(person.items)
    )
    before = _judgments_before(person)
    blocks = Counter((n_judgments - 1) // JUDGMENTS_PER_CHECK for n_judgments in before)
    return n_first + in_a_row + sum(number - 1 for number in blocks.values())


def _expected_left(people: Iterable[Assignment]) -> dict[str, tuple[tuple[int, int], ...]]:
    """Return by kind how many people have so many checks whose expected action is left."""
    found: dict[str, Counter[int]] = {kind.value: Counter() for kind in CHECK_KINDS[:2]}
    for person in people:
        for kind in CHECK_KINDS[:2]:
            lefts = [i.expected == i.left for i in person.items if i.kind == kind]
            found[kind.value][sum(lefts)] += 1
    return {kind: ascending(counts) for kind, counts in found.items()}


def _associations(
    judgments: Iterable[Sequence[PlannedItem]], domains: Mapping[str, str], rng: random.Random
) -> tuple[Association, ...]:
    """Return the tests, on one judgment a person: several of one person are not independent."""
    drawn = []
    for shown in judgments:
        if not shown:
            continue
        index = rng.randrange(len(shown))
        item = shown[index]
        place, order = divmod(index, len(PAIRS))
        pair = PAIRS.index((min(item.left, item.right), max(item.left, item.right)))
        drawn.append((place, order, pair, item.left < item.right, domains[item.slug]))
    if len(drawn) < MIN_PEOPLE_FOR_ORDER:
        return ()
    columns = dict(zip(FACTORS, zip(*drawn, strict=True), strict=True))
    return tuple(
        association
        for names in combinations(FACTORS, 2)
        if (association := _associate(names, [columns[name] for name in names]))
    )


def _associate(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> Association | None:
    first, second = (sorted(set(column)) for column in columns)
    if min(len(first), len(second)) < 2:
        return None
    counts = Counter(zip(*columns, strict=True))
    result = chi2_contingency([[counts[one, other] for other in second] for one in first])
    return Association(tuple(names), float(result.statistic), int(result.dof), float(result.pvalue))


def ascending(counts: Counter[int]) -> tuple[tuple[int, int], ...]:
    """Return values with their counts, ascending by the value."""
    return tuple(sorted(counts.items()))
