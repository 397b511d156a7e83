"""What each robot answers: decided from what its page shows, an order of texts, and a seed."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

LEFT, RIGHT, EQUAL = "left", "right", "equal"
SIDES = {"A": LEFT, "B": RIGHT}
# What an instructed check asks, in the words of the page that robots read: the English one.
INSTRUCTION = "For this comparison please choose the proposal labelled {label}."


class RobotName(StrEnum):
    """Who plays."""

    ORACLE = "oracle"  # follows the order
    REVERSE = "reverse"  # follows it backwards
    ALWAYS_LEFT = "always-left"
    COIN = "coin"
    EQUAL_ALWAYS = "equal-always"
    SPEEDER = "speeder"  # a coin without any pause
    QUITTER = "quitter"  # an oracle that leaves in the middle
    DOUBLE_CLICKER = "double-clicker"  # an oracle that sends every answer twice at once
    TWO_TABBER = "two-tabber"  # an oracle that answers again from a tab it had left open


# These read what a check asks for. The others look at no text: they pass a check by chance.
READERS = frozenset(
    {
        RobotName.ORACLE,
        RobotName.REVERSE,
        RobotName.QUITTER,
        RobotName.DOUBLE_CLICKER,
        RobotName.TWO_TABBER,
    }
)


class UnknownText(Exception):
    """The page shows a proposal that is not in the robot's order."""


class NotOffered(Exception):
    """The page does not offer what this robot always answers."""


@dataclass(frozen=True)
class Robot:
    """One robot of a plan. Its seed and the position of an item decide all that is drawn."""

    name: RobotName
    number: int
    seed: int
    stops_after: int | None = None

    @property
    def platform_pid(self) -> str:
        """The platform id under which it joins: played again, it is the same participant."""
        return f"robot-{self.seed}-{self.number}-{self.name}"


@dataclass(frozen=True)
class Comparison:
    """What a page shows of one item; `asked_label` is A or B where a check asks for it."""

    position: int
    left: str
    right: str
    offered: tuple[str, ...]
    asked_label: str = ""


def decide(robot: Robot, comparison: Comparison, order: Mapping[str, int]) -> str:
    """Return the robot's choice. `order` has the place of every text, the best one's lowest.

    Raises
    ------
    UnknownText, NotOffered
    """
    choice = _choice(robot, comparison, order)
    if choice not in comparison.offered:
        raise NotOffered(f"{robot.name}: the study does not offer the answer {choice!r}")
    return choice


def _choice(robot: Robot, comparison: Comparison, order: Mapping[str, int]) -> str:
    if robot.name is RobotName.ALWAYS_LEFT:
        return LEFT
    if robot.name is RobotName.EQUAL_ALWAYS:
        return EQUAL
    if robot.name not in READERS:
        return _toss(robot, comparison.position)
    if comparison.asked_label:
        return SIDES[comparison.asked_label]
    try:
        left_is_better = order[comparison.left] < order[comparison.right]
    except KeyError as error:
        raise UnknownText(f"no place in the order for: {error.args[0]}") from error
    return LEFT if left_is_better is not (robot.name is RobotName.REVERSE) else RIGHT


def _toss(robot: Robot, position: int) -> str:
    """Draw a side from the seed and the position alone, so that a resumed robot is the same."""
    rng = random.Random(f"{robot.platform_pid} {position}")  # noqa: S311 - drawn again, no secret
    return LEFT if rng.random() < 1 / 2 else RIGHT


def asked_label(legend: str) -> str:
    """Return the label that the words over the choices ask for, empty where they ask for none."""
    for label in SIDES:
        if INSTRUCTION.format(label=label) in legend:
            return label
    return ""
