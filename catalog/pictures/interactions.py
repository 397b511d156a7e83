"""Mean pair interactions: a triangle of squares, the area of each its size; or strips by task."""

import math
from collections.abc import Mapping, Sequence

from django.utils.safestring import SafeString

from catalog.pictures.drawing import WIDTH, Picture, Table, element, framed, label, signed
from catalog.pictures.strips import Strip, strips_picture
from catalog.surfaces import PairInteraction, SurfaceSummary

SIDE_WIDTH = 24
HEAD_HEIGHT = 22
CELL_HEIGHT = 48
WIDEST_CELL = 64
LARGEST_SQUARE = 24


def interactions_picture(
    letters: Sequence[str],
    pairs: Sequence[PairInteraction],
    *,
    title: str,
    key: str = "interactions",
) -> Picture:
    """Draw one square a pair: filled above zero, hollow below."""
    cell_width = min(WIDEST_CELL, (WIDTH - SIDE_WIDTH) / (len(letters) - 1))
    largest = max(abs(pair.mean) for pair in pairs)
    places = {letter: index for index, letter in enumerate(letters)}

    def x(letter: str) -> float:
        return SIDE_WIDTH + (places[letter] - 0.5) * cell_width

    def y(letter: str) -> float:
        return HEAD_HEIGHT + (places[letter] + 0.5) * CELL_HEIGHT

    heads = [label(x(letter), 14, letter, "strip-name") for letter in letters[1:]]
    sides = [label(8, y(letter) + 4, letter, "strip-name") for letter in letters[:-1]]
    cells = [
        part
        for pair in pairs
        for part in _cell(pair.mean, largest, x(pair.second), y(pair.first), cell_width)
    ]
    bottom = HEAD_HEIGHT + (len(letters) - 1) * CELL_HEIGHT
    caption = label(
        1, bottom + 15, "utility units; filled above zero, hollow below", "axis", "start"
    )
    strongest = max(pairs, key=lambda pair: abs(pair.mean))
    return Picture(
        title=title,
        svg=framed(
            [*heads, *sides, *cells, caption],
            key=key,
            title=title,
            description=(
                f"{len(pairs)} pairs of factors; the strongest is {strongest.first} with "
                f"{strongest.second}, {signed(strongest.mean)}."
            ),
            height=bottom + 20,
        ),
        table=Table(
            header=("Pair", "Mean interaction"),
            rows=tuple((f"{pair.first} with {pair.second}", signed(pair.mean)) for pair in pairs),
        ),
    )


def task_interactions_picture(summaries: Mapping[str, SurfaceSummary]) -> Picture:
    """Draw the mean pair interactions of every task, as shares of its range of utility."""
    strips = [
        Strip(
            name=slug,
            verdict=f"{len(found.pairs)} pairs",
            values=tuple(found.share_of_range(pair.mean) for pair in found.pairs),
        )
        for slug, found in summaries.items()
    ]
    return strips_picture(
        strips,
        title="All mean pair interactions, task by task",
        axis_title="interaction as a share of the task's range of utility; bar: mean",
        description=(
            f"One strip for each of {len(strips)} tasks, one dot for each pair of factors, "
            f"{sum(len(strip.values) for strip in strips)} in all."
        ),
        table=Table(
            header=("Task", "Pair", "Interaction", "Share of range"),
            rows=tuple(
                (
                    slug,
                    f"{pair.first} with {pair.second}",
                    signed(pair.mean),
                    signed(found.share_of_range(pair.mean)),
                )
                for slug, found in summaries.items()
                for pair in found.pairs
            ),
        ),
        key="task-interactions",
    )


def _cell(mean: float, largest: float, x: float, y: float, width: float) -> list[SafeString]:
    # Area, not side, is proportional to the size: a side would exaggerate the large ones.
    side = LARGEST_SQUARE * math.sqrt(abs(mean) / largest) if largest else 0.0
    return [
        element(
            "rect",
            x=x - width / 2,
            y=y - CELL_HEIGHT / 2,
            width=width,
            height=CELL_HEIGHT,
            class_="cell",
        ),
        element(
            "rect",
            x=x - side / 2,
            y=y - 7 - side / 2,
            width=side,
            height=side,
            class_=f"square {'above' if mean > 0 else 'below'}",
        ),
        label(x, y + 18, signed(mean), "utility"),
    ]
