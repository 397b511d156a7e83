"""What robots know beforehand, and what is stored of those that played."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F

from catalog.models import Action
from judgments.assignment import ItemKind
from judgments.models import Choice, Item, Participant, ParticipantKind, Revision, Study
from judgments.protocol import Protocol
from judgments.queries.behind import orders_by_metric
from judgments.queries.flags import flags_of
from judgments.robots.decisions import Robot, RobotName
from judgments.robots.expectations import Order, Outcome, agreement_with
from judgments.robots.plans import Plan
from judgments.robots.player import Knowledge
from scoring.ranks import PAIRS, doubled_mid_ranks, doubled_wins


class PlanMisfit(Exception):
    """The plan cannot be played under the study's protocol; the message says why."""


def orders_for(plan: Plan, protocol: Protocol) -> dict[str, Order]:
    """Return the order of the four actions that robots follow in each scenario.

    Raises
    ------
    PlanMisfit
        If the plan orders too few scenarios, or has a robot that the protocol leaves no answer.
    """
    names = {entry.name for entry in plan.entries}
    if RobotName.EQUAL_ALWAYS in names and not protocol.allows_equal:
        raise PlanMisfit("equal-always cannot play: the protocol does not offer equal")
    if isinstance(plan.order, str):
        return orders_by_metric(protocol.scenarios)
    if missing := sorted(set(protocol.scenarios) - set(plan.order)):
        raise PlanMisfit(f"order: {', '.join(missing[:5])} missing of {len(missing)} scenarios")
    return dict(plan.order)


def knowledge_of(protocol: Protocol, orders: Mapping[str, Order]) -> Knowledge:
    """Return where every text stands that robots may be shown; the foil is below the others."""
    actions = Action.objects.filter(scenario__in=protocol.scenarios)
    places = {
        " ".join(text.split()): orders[slug].index(number)
        if number in orders[slug]
        else len(orders[slug])
        for slug, number, text in actions.values_list("scenario", "number", "text")
    }
    return Knowledge(places, protocol.comprehension)


def outcomes_of(
    study: Study, robots: Iterable[Robot], orders: Mapping[str, Order]
) -> list[Outcome]:
    """Return what is stored of each robot, nothing for one that has not begun."""
    by_pid = {robot.platform_pid: robot for robot in robots}
    found = Participant.objects.filter(
        study=study, kind=ParticipantKind.ROBOT, platform_pid__in=by_pid
    )
    people = {person.platform_pid: person for person in found}
    rows = _rows([person.pk for person in people.values()])
    worth = orders_by_metric(list(orders))
    n_revisions = _n_revisions(study)
    flags = flags_of(study)
    return [
        _outcome(
            robot,
            rows[person.pk],
            orders=orders,
            worth=worth,
            n_revisions=n_revisions.get(person.pk, 0),
            has_code=bool(person.completion_code),
            flags=frozenset(flag.rule.value for flag in flags.get(person.pk, ())),
        )
        if (person := people.get(pid))
        else Outcome(robot)
        for pid, robot in by_pid.items()
    ]


@dataclass(frozen=True)
class _Row:
    """One item: actions by their numbers; None where there is none."""

    participant: UUID
    kind: str
    slug: str
    left_number: int
    right_number: int
    expected_number: int | None
    choice: str | None
    chosen: int | None
    original_choice: str | None
    original_chosen: int | None

    @property
    def pair(self) -> tuple[int, int]:
        lower, higher = sorted((self.left_number, self.right_number))
        return lower, higher

    @property
    def share(self) -> float:
        """1 where the lower number was chosen, 0 for the other, half for equal."""
        if self.choice == Choice.CANNOT_JUDGE:
            return math.nan
        return 1 / 2 if self.choice == Choice.EQUAL else float(self.chosen == self.pair[0])

    @property
    def is_as_before(self) -> bool:
        """Whether a repeat got the answer of the original: the same action, or the same code."""
        if self.chosen is None:
            return self.original_choice == self.choice
        return self.original_chosen == self.chosen


def _rows(participants: Sequence[UUID]) -> dict[UUID, list[_Row]]:
    rows: dict[UUID, list[_Row]] = defaultdict(list)
    items = Item.objects.filter(participant__in=participants).order_by("position")
    for values in items.values(
        "kind",
        "participant",
        slug=F("cell__scenario"),
        left_number=F("left__number"),
        right_number=F("right__number"),
        expected_number=F("expected__number"),
        choice=F("judgment__choice"),
        chosen=F("judgment__chosen__number"),
        original_choice=F("repeat_of__judgment__choice"),
        original_chosen=F("repeat_of__judgment__chosen__number"),
    ):
        row = _Row(**values)
        rows[row.participant].append(row)
    return rows


def _n_revisions(study: Study) -> dict[UUID, int]:
    counts = Revision.objects.filter(judgment__participant__study=study)
    return dict(
        counts.values("judgment__participant")
        .annotate(n=Count("pk"))
        .values_list("judgment__participant", "n")
    )


def _outcome(
    robot: Robot,
    rows: Sequence[_Row],
    *,
    orders: Mapping[str, Order],
    worth: Mapping[str, Order],
    n_revisions: int,
    has_code: bool,
    flags: frozenset[str],
) -> Outcome:
    answered = [row for row in rows if row.choice is not None]
    pairs = [row for row in answered if row.kind == ItemKind.JUDGMENT]
    instructed = [row for row in answered if row.kind == ItemKind.INSTRUCTED]
    dominated = [row for row in answered if row.kind == ItemKind.DOMINATED]
    repeats = [row for row in answered if row.kind == ItemKind.REPEAT]
    return Outcome(
        robot,
        n_items=len(rows),
        n_answered=len(answered),
        n_pairs=len(pairs),
        n_left=sum(row.choice == Choice.LEFT for row in pairs),
        n_better_left=sum(
            worth[row.slug].index(row.left_number) < worth[row.slug].index(row.right_number)
            for row in pairs
        ),
        n_revisions=n_revisions,
        n_asked_left=sum(row.expected_number == row.left_number for row in instructed),
        instructed=(sum(row.chosen == row.expected_number for row in instructed), len(instructed)),
        dominated=(sum(row.chosen == row.expected_number for row in dominated), len(dominated)),
        repeats=(sum(row.is_as_before for row in repeats), len(repeats)),
        agreements=_agreements(pairs, orders),
        has_code=has_code,
        flags=flags,
    )


def _agreements(pairs: Sequence[_Row], orders: Mapping[str, Order]) -> tuple[float, ...]:
    """Return the agreement of each complete scenario with its order."""
    complete = {}
    for slug, group in itertools.groupby(pairs, key=lambda row: row.slug):
        shares = {row.pair: row.share for row in group}
        if len(shares) == len(PAIRS) and not any(map(math.isnan, shares.values())):
            complete[slug] = [shares[pair] for pair in PAIRS]
    if not complete:
        return ()
    ranks = doubled_mid_ranks(doubled_wins(list(complete.values())))
    return agreement_with(list(ranks), [orders[slug] for slug in complete])
