"""Conditional effects: one strip a factor, one dot a background."""

import math
from collections.abc import Mapping, Sequence

from django.utils.safestring import SafeString

from catalog.pictures.drawing import (
    MINUS,
    WIDTH,
    Picture,
    Table,
    element,
    framed,
    label,
    signed,
)
from catalog.surfaces import FactorEffects
from scoring.structure import REVERSAL_FLOORS

MARGIN = 18
HEADING_HEIGHT = 18
STRIP_HEIGHT = 36
RADIUS = 4
N_STEPS = 6  # of the axis, before both ends are rounded outwards
LONGEST_NAME = 30


def effects_picture(
    factors: Sequence[FactorEffects],
    names: Mapping[str, str],
    *,
    title: str,
    key: str = "effects",
) -> Picture:
    """Draw every conditional effect around a common zero; `names` gives a factor's by letter."""
    every = [effect for factor in factors for effect in factor.effects]
    axis = Axis(min(0.0, *every), max(0.0, *every))
    block = HEADING_HEIGHT + STRIP_HEIGHT
    bottom = len(factors) * block
    zero = element("line", x1=axis.x(0), y1=4, x2=axis.x(0), y2=bottom + 4, class_="zero")
    strips = [
        part
        for index, factor in enumerate(factors)
        for part in _strip(factor, names[factor.letter], axis, index * block)
    ]
    n_reversing = sum(factor.reverses[0] for factor in factors)
    return Picture(
        title=title,
        svg=framed(
            [zero, *strips, *_axis_marks(axis, bottom + 6)],
            key=key,
            title=title,
            description=(
                f"One strip for each of {len(factors)} factors, one dot for each background. "
                f"{n_reversing} of the factors help on some backgrounds and hurt on others."
            ),
            height=bottom + 42,
        ),
        table=Table(
            header=("Factor", "Background", "Effect"),
            rows=tuple(
                (factor.letter, background, signed(effect))
                for factor in factors
                for background, effect in zip(factor.backgrounds, factor.effects, strict=True)
            ),
        ),
    )


def effect_table(factors: Sequence[FactorEffects]) -> Table:
    """Return per factor the mean, the extremes, and where the sign reverses."""
    return Table(
        header=(
            "Factor",
            "Mean effect",
            "Lowest",
            "Highest",
            "Helps",
            "Hurts",
            *(f"Reverses above {floor:.0%}".replace("%", " %") for floor in REVERSAL_FLOORS),
        ),
        rows=tuple(
            (
                factor.letter,
                signed(factor.mean),
                signed(min(factor.effects)),
                signed(max(factor.effects)),
                str(factor.n_helps),
                str(factor.n_hurts),
                *("yes" if reverses else "no" for reverses in factor.reverses),
            )
            for factor in factors
        ),
    )


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


def _round_step(rough: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below `rough`."""
    if rough <= 0:
        return 0.1
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def _axis_marks(axis: Axis, y: float) -> list[SafeString]:
    digits = max(0, -math.floor(math.log10(axis.step)))
    marks = [element("line", x1=MARGIN, y1=y, x2=WIDTH - MARGIN, y2=y, class_="axis-line")]
    for tick in axis.ticks:
        x = axis.x(tick)
        words = f"{tick:+.{digits}f}".replace("-", MINUS) if round(tick, digits) else "0"
        marks.append(element("line", x1=x, y1=y, x2=x, y2=y + 4, class_="axis-line"))
        marks.append(label(x, y + 16, words, "tick"))
    return [
        *marks,
        label(WIDTH / 2, y + 32, "change in utility when switched on; bar: mean", "axis"),
    ]


def _strip(factor: FactorEffects, name: str, axis: Axis, top: float) -> list[SafeString]:
    middle = top + HEADING_HEIGHT + STRIP_HEIGHT / 2
    mean = axis.x(factor.mean)
    reach = STRIP_HEIGHT / 2 - 1
    return [
        label(0, top + 13, f"{factor.letter}  {_shortened(name)}", "strip-name", "start"),
        label(WIDTH, top + 13, _verdict(factor), "tick", "end"),
        *_dots(factor.effects, axis, middle),
        element("line", x1=mean, y1=middle - reach, x2=mean, y2=middle + reach, class_="mean"),
    ]


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _verdict(factor: FactorEffects) -> str:
    n_neither = len(factor.effects) - factor.n_helps - factor.n_hurts
    neither = f", neither {n_neither}" if n_neither else ""
    return f"helps {factor.n_helps}, hurts {factor.n_hurts}{neither}"


def _dots(effects: Sequence[float], axis: Axis, middle: float) -> list[SafeString]:
    """Place the dots beside each other in lanes, so that equal effects stay countable."""
    lanes: list[float] = []  # the right end of each lane
    placed = []
    for effect in sorted(effects):
        x = axis.x(effect)
        lane = next((index for index, end in enumerate(lanes) if end <= x), len(lanes))
        lanes[lane:] = [x + 2 * RADIUS, *lanes[lane + 1 :]]
        placed.append((effect, x, lane))
    spacing = min(2.0 * RADIUS, (STRIP_HEIGHT - 2.0 * RADIUS) / max(1, len(lanes) - 1))

    def offset(lane: int) -> float:
        # 0, 1, -1, 2, -2, ...: the strip grows from its middle.
        return (lane + 1) // 2 * (1 if lane % 2 else -1) * spacing

    return [
        element("circle", cx=x, cy=middle + offset(lane), r=RADIUS, class_=f"dot {_sign(effect)}")
        for effect, x, lane in placed
    ]


def _sign(effect: float) -> str:
    return "above" if effect > 0 else "below" if effect < 0 else "none"
