"""A plan of robots, read strictly from JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgments.robots.decisions import Robot, RobotName

METRIC = "metric"
STOPS_AFTER = 30  # where a quitter leaves if its plan does not say
MAX_ROBOTS = 1000
MAX_PAUSE_MS = 600_000
EXAMPLE = """\
{
  "order": "metric",
  "pause_ms": 0,
  "robots": [
    {"name": "oracle", "count": 13},
    {"name": "always-left", "count": 2},
    {"name": "quitter", "count": 2, "stops_after": 30},
    {"name": "double-clicker"}
  ]
}"""

_PLAN_FIELDS = {"order", "pause_ms", "robots"}
_ENTRY_FIELDS = {"name", "count", "stops_after"}


class PlanInvalid(ValueError):
    """A plan names an unknown robot, lacks a field, or has an impossible value."""


@dataclass(frozen=True)
class Entry:
    """So many robots of one name."""

    name: RobotName
    count: int = 1
    stops_after: int | None = None


@dataclass(frozen=True)
class Plan:
    """Who plays, and the order that those follow who follow one.

    `order` is "metric", or the numbers of a scenario's four actions, the best first, by scenario.
    Every robot but the speeder looks at an item for `pause_ms`.
    """

    entries: tuple[Entry, ...]
    order: str | Mapping[str, tuple[int, ...]] = METRIC
    pause_ms: int = 0

    def robots(self, *, seed: int) -> list[Robot]:
        """Return the robots in an order that mixes the names: the first of each, the second, ..."""
        rounds = range(max(entry.count for entry in self.entries))
        mixed = [entry for k in rounds for entry in self.entries if k < entry.count]
        return [
            Robot(entry.name, number, seed, entry.stops_after)
            for number, entry in enumerate(mixed, start=1)
        ]


def read_plan(text: str) -> Plan:
    """Return the plan that a JSON text describes.

    Raises
    ------
    PlanInvalid
        With the name of the field and what is expected there.
    """
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise PlanInvalid(f"The plan is no JSON: {error}") from error
    given = _require_fields("the plan", parsed, needed={"robots"}, known=_PLAN_FIELDS)
    rows = given["robots"]
    if not isinstance(rows, list) or not rows:
        raise PlanInvalid("robots: expected a list with at least one robot")
    entries = tuple(_entry(f"robots[{place}]", row) for place, row in enumerate(rows))
    if sum(entry.count for entry in entries) > MAX_ROBOTS:
        raise PlanInvalid(f"robots: at most {MAX_ROBOTS} in one plan")
    pause_ms = _integer("pause_ms", given.get("pause_ms", 0), least=0, most=MAX_PAUSE_MS)
    return Plan(entries, _order(given.get("order", METRIC)), pause_ms)


def _entry(place: str, given: object) -> Entry:
    row = _require_fields(place, given, needed={"name"}, known=_ENTRY_FIELDS)
    if row["name"] not in list(RobotName):
        names = ", ".join(RobotName)
        raise PlanInvalid(f"{place}.name: {row['name']!r} is no robot; expected one of {names}")
    name = RobotName(row["name"])
    count = _integer(f"{place}.count", row.get("count", 1), least=1, most=MAX_ROBOTS)
    if name is not RobotName.QUITTER and "stops_after" in row:
        raise PlanInvalid(f"{place}.stops_after: only a quitter stops")
    stops_after = _integer(
        f"{place}.stops_after", row.get("stops_after", STOPS_AFTER), least=0, most=MAX_ROBOTS
    )
    return Entry(name, count, stops_after if name is RobotName.QUITTER else None)


def _order(given: object) -> str | dict[str, tuple[int, ...]]:
    if given == METRIC:
        return METRIC
    if not isinstance(given, dict):
        raise PlanInvalid('order: expected "metric", or the numbers of the actions by scenario')
    return {slug: _best_first(slug, numbers) for slug, numbers in given.items()}


def _best_first(slug: str, numbers: object) -> tuple[int, ...]:
    # Compared as text: True and 1.0 are equal to 1, and no numbers of an action.
    if not isinstance(numbers, list) or sorted(map(repr, numbers)) != list("0123"):
        raise PlanInvalid(f"order.{slug}: expected 0, 1, 2 and 3 once each, the best first")
    return tuple(map(int, numbers))


def _integer(place: str, given: object, *, least: int, most: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise PlanInvalid(f"{place}: expected a whole number from {least} to {most}")
    return given


def _require_fields(
    place: str, given: object, *, needed: set[str], known: set[str]
) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise PlanInvalid(f"{place}: expected an object")
    if missing := sorted(needed - set(given)):
        raise PlanInvalid(f"{place}: {_listed(missing)} missing")
    if unknown := sorted(set(given) - known):
        raise PlanInvalid(f"{place}: unknown {_listed(unknown)}; known: {_listed(sorted(known))}")
    return given


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
