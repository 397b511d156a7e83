"""What must be found stored of each robot: the design and its decisions leave no other way.

Only one statement rests on chance: that a robot which always chooses the left agrees with nothing.
It is refused where that is likely once in ten thousand rehearsals.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from judgments.assignment import balanced_orientations, place_sides
from judgments.robots.decisions import READERS, Robot, RobotName
from judgments.robots.plans import STOPS_AFTER
from scoring.agreement import within_scenario
from scoring.ranks import N_ACTIONS, PAIRS, doubled_mid_ranks

STANDARD_ERRORS = 4.0  # a normal mean is as far from 0 as this once in 16,000
EXACT = 1e-12
FEWEST_PAIRS = 12  # of fewer, not even all on one side are far from even

Order = tuple[int, ...]  # numbers of the four actions, the best first


@dataclass(frozen=True)
class Outcome:
    """What is stored of one robot; checks as (passed, answered).

    `agreements` has the correlation of its ranks with the order in each complete scenario, nan
    where it is undefined. `n_asked_left` counts answered instructed checks that ask for A.
    """

    robot: Robot
    n_items: int = 0
    n_answered: int = 0
    n_pairs: int = 0
    n_left: int = 0
    n_better_left: int = 0
    n_revisions: int = 0
    n_asked_left: int = 0
    instructed: tuple[int, int] = (0, 0)
    dominated: tuple[int, int] = (0, 0)
    repeats: tuple[int, int] = (0, 0)
    agreements: tuple[float, ...] = ()
    has_code: bool = False
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Finding:
    """One statement about what was stored: what it must be, what it is."""

    statement: str
    expected: str
    found: str
    holds: bool


@dataclass(frozen=True)
class _Expected:
    """What follows from a robot's way of answering. None: chance decides, nothing is expected."""

    instructed: Callable[[Outcome], int] | None = None
    dominated: Callable[[Outcome], int] | None = None
    repeats: Callable[[Outcome], int] | None = None
    agreement: float | None = None
    raised: frozenset[str] = frozenset()
    clear: frozenset[str] = frozenset()


def _all(kind: str) -> Callable[[Outcome], int]:
    return lambda outcome: int(getattr(outcome, kind)[1])


def _none(outcome: Outcome) -> int:
    return 0


CARELESS_FLAGS = frozenset({"failed-checks", "circular-triads", "one-sided"})
_FOLLOWER = _Expected(
    instructed=_all("instructed"),
    dominated=_all("dominated"),
    repeats=_all("repeats"),
    agreement=1.0,
    clear=CARELESS_FLAGS,
)
_EXPECTED: dict[RobotName, _Expected] = {
    **dict.fromkeys(READERS, _FOLLOWER),
    RobotName.REVERSE: _Expected(
        instructed=_all("instructed"),
        dominated=_none,
        repeats=_all("repeats"),
        agreement=-1.0,
        clear=CARELESS_FLAGS,
    ),
    RobotName.ALWAYS_LEFT: _Expected(
        instructed=lambda outcome: outcome.n_asked_left,
        repeats=_none,
        agreement=0.0,
        raised=frozenset({"failed-checks", "one-sided"}),
    ),
    RobotName.COIN: _Expected(),
    RobotName.SPEEDER: _Expected(),
    RobotName.EQUAL_ALWAYS: _Expected(
        instructed=_none,
        dominated=_none,
        repeats=_all("repeats"),  # equal twice is the same answer
        agreement=math.nan,
        raised=frozenset({"failed-checks"}),
    ),
}


def judge(outcome: Outcome) -> Iterator[Finding]:
    """Yield what must hold of one robot."""
    robot, expected = outcome.robot, _EXPECTED[outcome.robot.name]
    n_answers = n_answers_of(robot, outcome.n_items)
    is_through = n_answers == outcome.n_items
    yield _count("items answered", n_answers, outcome.n_answered)
    yield _count("answers changed", 0, outcome.n_revisions)
    yield _count("completion code", int(is_through), int(outcome.has_code))
    for kind in ("instructed", "dominated", "repeats"):
        rule = getattr(expected, kind)
        passed, n = getattr(outcome, kind)
        if rule is not None:
            yield _count(f"{kind} passed of {n}", rule(outcome), passed)
    if robot.name is RobotName.ALWAYS_LEFT:
        yield _count("left chosen", outcome.n_pairs, outcome.n_left)
    if is_through:
        yield _count("better one on the left", outcome.n_pairs // 2, outcome.n_better_left)
        yield from _flags(outcome, expected)
    if expected.agreement is not None:
        yield _agreement(outcome.agreements, expected.agreement)


def n_answers_of(robot: Robot, n_items: int) -> int:
    """Return how many items a robot answers."""
    if robot.name is not RobotName.QUITTER:
        return n_items
    return min(n_items, STOPS_AFTER if robot.stops_after is None else robot.stops_after)


def _count(statement: str, expected: int, found: int) -> Finding:
    return Finding(statement, str(expected), str(found), holds=expected == found)


def _flags(outcome: Outcome, expected: _Expected) -> Iterator[Finding]:
    if named := expected.raised | expected.clear:
        raised = expected.raised & _possible_flags(outcome)
        found = outcome.flags & named
        yield Finding("flags of care", _listed(raised), _listed(found), holds=found == raised)


def _possible_flags(outcome: Outcome) -> set[str]:
    """Return the flags that a design of this size can raise at all (judgments.flags)."""
    kinds = (outcome.instructed, outcome.repeats)
    n_failed = sum(n - passed for passed, n in kinds)
    possible = {"circular-triads"}
    if outcome.n_pairs >= FEWEST_PAIRS:
        possible.add("one-sided")
    if n_failed >= max(2, sum(n for _, n in kinds) / 4):
        possible.add("failed-checks")
    return possible


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _agreement(agreements: Sequence[float], expected: float) -> Finding:
    defined = [one for one in agreements if not math.isnan(one)]
    found = math.fsum(defined) / len(defined) if defined else math.nan
    words = f"agreement with the order, mean of {len(defined)}"
    if math.isnan(expected):
        return Finding(words, "undefined", _number(found), holds=not defined)
    if not defined:
        return Finding(words, _number(expected), "undefined", holds=not agreements)
    bound = EXACT
    if expected == 0:
        bound = STANDARD_ERRORS * always_left_sd() / math.sqrt(len(defined))
    shown = f"{_number(expected)} ± {bound:.3f}" if expected == 0 else _number(expected)
    return Finding(words, shown, _number(found), holds=abs(found - expected) <= bound)


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


@cache
def always_left_sd() -> float:
    """Return the standard deviation of the agreement of one scenario chosen always left.

    Over the orientations that may be drawn; their mean is 0, as the complement has the negative.
    """
    order = tuple(range(N_ACTIONS))
    ranks = []
    for orientation in balanced_orientations(order):
        lefts = Counter(place_sides(pair, orientation)[0] for pair in PAIRS)
        ranks.append(doubled_mid_ranks([lefts[action] for action in order]))
    return float(np.nanstd(agreement_with(ranks, [order] * len(ranks))))


def agreement_with(doubled_ranks: Sequence[object], orders: Sequence[Order]) -> tuple[float, ...]:
    """Return the rank correlation of each complete scenario with its order; nan if undefined."""
    if not orders:
        return ()
    worth = [[-order.index(action) for action in range(N_ACTIONS)] for order in orders]
    correlations = within_scenario(np.array(doubled_ranks) / 2, np.array(worth, dtype=float))
    return tuple(float(one) for one in correlations)
