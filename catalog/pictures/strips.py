"""Strips of dots on one axis: a row of values for each name, around a common zero."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from catalog.pictures.drawing import MINUS, WIDTH, Picture, Table, element, framed, label

MARGIN = 26  # half of the widest label at an end of the axis
HEADING_HEIGHT = 18
STRIP_HEIGHT = 36
RADIUS = 4
N_STEPS = 6  # of the axis, before both ends are rounded outwards


@dataclass(frozen=True)
class Strip:
    """One row of dots: its name, a word on it at the right, and at least one value."""

    name: str
    verdict: str
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values)


class Axis:
    """A horizontal axis in utility units with round ticks that enclose the values."""

    def __init__(self, low: float, high: float) -> None:
        self.step = _round_step((high - low) / N_STEPS)
        self.first = math.floor(low / self.step)
        self.last = max(math.ceil(high / self.step), self.first + 1)

    def x(self, value: float) -> float:
        """Return the place of a value."""
        share = (value / self.step - self.first) / (self.last - self.first)
        return MARGIN + share * (WIDTH - 2 * MARGIN)

    @property
    def ticks(self) -> list[float]:
        """The values of the ticks, from left to right."""
        return [number * self.step for number in range(self.first, self.last + 1)]


def strips_picture(
    strips: Sequence[Strip],
    *,
    title: str,
    axis_title: str,
    description: str,
    table: Table,
    key: str,
) -> Picture:
    """Draw one strip under the other; the bar of a strip is its mean."""
    every = [value for strip in strips for value in strip.values]
    axis = Axis(min(0.0, *every), max(0.0, *every))
    block = HEADING_HEIGHT + STRIP_HEIGHT
    bottom = len(strips) * block
    zero = element("line", x1=axis.x(0), y1=4, x2=axis.x(0), y2=bottom + 4, class_="zero")
    drawn = [
        part for index, strip in enumerate(strips) for part in _strip(strip, axis, index * block)
    ]
    return Picture(
        title=title,
        svg=framed(
            [zero, *drawn, *_axis_marks(axis, axis_title, bottom + 6)],
            key=key,
            title=title,
            description=description,
            height=bottom + 42,
        ),
        table=table,
    )


def _strip(strip: Strip, axis: Axis, top: float) -> list[SafeString]:
    middle = top + HEADING_HEIGHT + STRIP_HEIGHT / 2
    mean = axis.x(strip.mean)
    reach = STRIP_HEIGHT / 2 - 1
    return [
        label(0, top + 13, strip.name, "strip-name", "start"),
        label(WIDTH, top + 13, strip.verdict, "tick", "end"),
        *_dots(strip.values, axis, middle),
        element("line", x1=mean, y1=middle - reach, x2=mean, y2=middle + reach, class_="mean"),
    ]


def _round_step(rough: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below `rough`."""
    if rough <= 0:
        return 0.1
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def _axis_marks(axis: Axis, title: str, y: float) -> list[SafeString]:
    digits = max(0, -math.floor(math.log10(axis.step)))
    marks = [element("line", x1=MARGIN, y1=y, x2=WIDTH - MARGIN, y2=y, class_="axis-line")]
    for tick in axis.ticks:
        x = axis.x(tick)
        words = f"{tick:+.{digits}f}".replace("-", MINUS) if round(tick, digits) else "0"
        marks.append(element("line", x1=x, y1=y, x2=x, y2=y + 4, class_="axis-line"))
        marks.append(label(x, y + 16, words, "tick"))
    return [*marks, label(WIDTH / 2, y + 32, title, "axis")]


def _dots(values: Sequence[float], axis: Axis, middle: float) -> list[SafeString]:
    """Place the dots beside each other in lanes, so that equal values stay countable."""
    lanes: list[float] = []  # the right end of each lane
    placed = []
    for value in sorted(values):
        x = axis.x(value)
        lane = next((index for index, end in enumerate(lanes) if end <= x), len(lanes))
        lanes[lane:] = [x + 2 * RADIUS, *lanes[lane + 1 :]]
        placed.append((value, x, lane))
    spacing = min(2.0 * RADIUS, (STRIP_HEIGHT - 2.0 * RADIUS) / max(1, len(lanes) - 1))

    def offset(lane: int) -> float:
        # 0, 1, -1, 2, -2, ...: the strip grows from its middle.
        return (lane + 1) // 2 * (1 if lane % 2 else -1) * spacing

    return [
        element("circle", cx=x, cy=middle + offset(lane), r=RADIUS, class_=f"dot {_sign(value)}")
        for value, x, lane in placed
    ]


def _sign(value: float) -> str:
    return "above" if value > 0 else "below" if value < 0 else "none"
