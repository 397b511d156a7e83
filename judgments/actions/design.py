"""The design of a study, tried out before the launch and read from the rows after it.

Both need the hidden order of the actions, to tell whether sides favour the better one; nothing of
it is in the figures.
"""

import random
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from judgments.actions.material import material_of
from judgments.assignment import Assignment, Cell, ItemKind, PlannedItem
from judgments.certificates import Certificate, certify
from judgments.design import Coverage, DesignFigures, coverage_of, describe
from judgments.models import Cell as CellRow
from judgments.models import Item, ProtocolVersion
from judgments.protocol import Protocol
from judgments.queries.coverage import coverage
from judgments.queries.participants import counted_participants


@dataclass(frozen=True)
class Realised:
    """What the people of one protocol version were given; coverage is that of the whole study."""

    coverage: Coverage
    figures: DesignFigures


def try_design(
    *, version: ProtocolVersion, n_people: int, n_studies: int, seed: int
) -> Certificate:
    """Return how the version fares in simulated studies; nothing is stored.

    Raises
    ------
    QuotaUnmet, ChecksMisfit
    """
    protocol = Protocol.from_definition(version.definition)
    return certify(
        material_of(protocol.scenarios),
        quotas=protocol.quotas,
        checks=protocol.checks,
        n_people=n_people,
        n_studies=n_studies,
        seed=seed,
    )


def realised_design(*, version: ProtocolVersion, seed: int, now: datetime) -> Realised:
    """Return what those who count were given under this version."""
    protocol = Protocol.from_definition(version.definition)
    material = material_of(protocol.scenarios)
    domains = {one.slug: one.domain for one in material}
    counts = coverage(version.study, protocol.scenarios, now=now)
    return Realised(
        coverage=coverage_of({slug: counts[slug] for slug in protocol.scenarios}, domains),
        figures=describe(
            _assignments(version),
            worth={one.slug: one.worth for one in material},
            domains=domains,
            rng=random.Random(seed),  # noqa: S311 - which judgment of a person is tested
        ),
    )


def _assignments(version: ProtocolVersion) -> list[Assignment]:
    people = counted_participants(version.study).filter(protocol=version)
    cells: dict[object, list[Cell]] = defaultdict(list)
    for participant, slug, place, orientation in CellRow.objects.filter(
        participant__in=people
    ).values_list("participant", "scenario", "place", "orientation"):
        cells[participant].append(Cell(slug, place, orientation))
    items: dict[object, list[PlannedItem]] = defaultdict(list)
    rows = Item.objects.filter(participant__in=people).order_by("participant", "position")
    for participant, position, slug, kind, left, right, expected in rows.values_list(
        "participant",
        "position",
        "cell__scenario",
        "kind",
        "left__number",
        "right__number",
        "expected__number",
    ):
        items[participant].append(
            PlannedItem(position, slug, ItemKind(kind), left, right, expected)
        )
    return [Assignment(tuple(cells[one]), tuple(items[one])) for one in items]
