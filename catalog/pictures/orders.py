"""How much of a surface main effects, pairs and higher orders hold: one bar a task."""

import math
from collections.abc import Mapping

from django.utils.safestring import SafeString

from catalog.pictures.drawing import WIDTH, Picture, Table, element, framed, join, label
from scoring.structure import SurfaceStructure

LEGEND_HEIGHT = 24
ROW_HEIGHT = 40
BAR_HEIGHT = 16
PARTS = (("order-1", "main effects"), ("order-2", "pairs"), ("order-3", "three or more factors"))


def orders_picture(structures: Mapping[str, SurfaceStructure]) -> Picture:
    """Draw the shares of the variance of utility by the order of the interaction."""
    title = "Variance of utility by order of interaction"
    rows = [
        part
        for index, (slug, found) in enumerate(structures.items())
        for part in _row(slug, found, LEGEND_HEIGHT + index * ROW_HEIGHT)
    ]
    return Picture(
        title=title,
        svg=framed(
            [_legend(), *rows],
            key="orders",
            title=title,
            description=(
                f"One bar for each of {len(structures)} tasks, from 0 to 100 % of the variance: "
                "main effects, interactions of two factors, interactions of three or more."
            ),
            height=LEGEND_HEIGHT + len(structures) * ROW_HEIGHT + 4,
        ),
        table=Table(
            header=("Task", "Main effects", "Pairs", "Three or more factors"),
            rows=tuple(
                (slug, *map(_percent, _shares(found))) for slug, found in structures.items()
            ),
        ),
    )


def _shares(found: SurfaceStructure) -> tuple[float, float, float]:
    main, pairs = found.order_shares[:2]
    return main, pairs, found.higher_order_share


def _percent(share: float) -> str:
    return "undefined (no variance)" if math.isnan(share) else f"{100 * share:.1f} %"


def _legend() -> SafeString:
    parts, x = [], 1
    for class_, words in PARTS:
        parts += [
            element("rect", x=x, y=2, width=14, height=11, class_=class_),
            label(x + 19, 12, words, anchor="start"),
        ]
        x += 32 + 6 * len(words)
    return join(parts)


def _row(slug: str, found: SurfaceStructure, top: float) -> list[SafeString]:
    heading = label(0, top + 14, slug, "strip-name", "start")
    if not found.has_variance:
        return [heading, label(WIDTH, top + 14, "no variance", "tick", "end")]
    parts, start = [], 0.0
    for (class_, _), share in zip(PARTS, _shares(found), strict=True):
        width = share * (WIDTH - 2)
        parts.append(
            element("rect", x=1 + start, y=top + 19, width=width, height=BAR_HEIGHT, class_=class_)
        )
        start += width
    words = f"three or more {_percent(found.higher_order_share)}"
    return [heading, label(WIDTH, top + 14, words, "tick", "end"), *parts]
