"""Pictures of agreement: a forest of correlations, dots by scenario, slopes of ranks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from catalog.pictures.drawing import MINUS, WIDTH, Picture, Table, element, framed, label

MARGIN = 20
ROW_HEIGHT = 40
TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)
LABEL_HEIGHT = 13  # labels closer than this would touch


@dataclass(frozen=True)
class ForestRow:
    """One correlation: its two intervals as (lower, upper), None where there is none."""

    name: str
    words: str
    value: float | None
    inner: tuple[float, float] | None = None
    outer: tuple[float, float] | None = None
    is_ours: bool = True


@dataclass(frozen=True)
class SlopeColumn:
    """One ranking of the actions, None where an action has no rank."""

    title: str
    ranks: tuple[float | None, ...]


def forest_picture(
    rows: Sequence[ForestRow], *, key: str, title: str, description: str, table: Table
) -> Picture:
    """Draw one row a correlation, with both intervals on one axis from -1 to 1."""
    bottom = len(rows) * ROW_HEIGHT
    parts = [
        element("line", x1=_x(0), y1=2, x2=_x(0), y2=bottom + 4, class_="zero"),
        *(part for index, row in enumerate(rows) for part in _forest_row(row, index * ROW_HEIGHT)),
        *_axis(bottom + 6, "correlation"),
    ]
    drawn = framed(parts, key=key, title=title, description=description, height=bottom + 44)
    return Picture(title=title, svg=drawn, table=table)


def dots_picture(
    strips: Sequence[tuple[str, str, Sequence[float]]],
    *,
    key: str,
    title: str,
    description: str,
    table: Table,
) -> Picture:
    """Draw one strip a domain (name, words, correlations): a dot a scenario, a bar at the mean."""
    parts: list[SafeString] = []
    top = 0
    for name, words, values in strips:
        lanes = _lanes(values)
        height = 22 + 9 * (1 + max((lane for _, lane in lanes), default=0)) + 8
        parts += [
            label(0, top + 13, name, "strip-name", "start"),
            label(WIDTH, top + 13, words, "tick", "end"),
            *(
                element(
                    "circle", cx=_x(value), cy=top + height - 10 - 9 * lane, r=4, class_="above"
                )
                for value, lane in lanes
            ),
        ]
        if values:
            mean = _x(sum(values) / len(values))
            parts.append(
                element("line", x1=mean, y1=top + 20, x2=mean, y2=top + height - 2, class_="mean")
            )
        top += height
    zero = element("line", x1=_x(0), y1=18, x2=_x(0), y2=top + 4, class_="zero")
    parts = [zero, *parts, *_axis(top + 6, "correlation within a scenario")]
    drawn = framed(parts, key=key, title=title, description=description, height=top + 44)
    return Picture(title=title, svg=drawn, table=table)


def slope_picture(
    columns: Sequence[SlopeColumn], *, key: str, title: str, description: str, table: Table
) -> Picture:
    """Draw the ranks of each action from one ranking to the next, 1 at the top."""
    left, right, top, step = 70, WIDTH - 70, 34, 48
    xs = [left + index * (right - left) / (len(columns) - 1) for index in range(len(columns))]
    n_actions = len(columns[0].ranks)

    def y(rank: float) -> float:
        return top + (rank - 1) * step

    bottom = y(n_actions)
    parts = [
        part
        for x, column in zip(xs, columns, strict=True)
        for part in (
            label(x, 14, column.title, "strip-name"),
            element("line", x1=x, y1=top - 6, x2=x, y2=bottom + 6, class_="axis-line"),
        )
    ]
    for action in range(n_actions):
        for index in range(len(columns) - 1):
            start, end = columns[index].ranks[action], columns[index + 1].ranks[action]
            if start is not None and end is not None:
                parts += _slope(action, (xs[index], y(start)), (xs[index + 1], y(end)))
    for x, column, anchor in ((xs[0], columns[0], "end"), (xs[-1], columns[-1], "start")):
        side = x - 10 if anchor == "end" else x + 10
        parts += [
            label(side, at + 4, f"action {action}", "", anchor) for action, at in _spread(column, y)
        ]
    for rank in range(1, n_actions + 1):
        parts.append(label(2, y(rank) + 4, str(rank), "tick", "start"))
    parts.append(
        label(0, bottom + 26, "rank, 1 = chosen most often or worth most", "axis", "start")
    )
    drawn = framed(parts, key=key, title=title, description=description, height=bottom + 34)
    return Picture(title=title, svg=drawn, table=table)


def _forest_row(row: ForestRow, top: float) -> list[SafeString]:
    middle = top + 28
    parts = [
        label(0, top + 13, row.name, "strip-name", "start"),
        label(WIDTH, top + 13, row.words, "tick", "end"),
    ]
    if row.outer:
        low, high = map(_x, row.outer)
        parts.append(element("line", x1=low, y1=middle, x2=high, y2=middle, class_="outer"))
        parts += [
            element("line", x1=end, y1=middle - 5, x2=end, y2=middle + 5, class_="outer")
            for end in (low, high)
        ]
    if row.inner:
        low, high = map(_x, row.inner)
        parts.append(element("line", x1=low, y1=middle, x2=high, y2=middle, class_="inner"))
    if row.value is not None:
        mark = "dot" if row.is_ours else "theirs"
        parts.append(element("circle", cx=_x(row.value), cy=middle, r=5, class_=mark))
    return parts


def _axis(y: float, title: str) -> list[SafeString]:
    marks = [element("line", x1=_x(-1), y1=y, x2=_x(1), y2=y, class_="axis-line")]
    for tick in TICKS:
        words = f"{tick:g}".replace("-", MINUS)
        marks.append(element("line", x1=_x(tick), y1=y, x2=_x(tick), y2=y + 4, class_="axis-line"))
        marks.append(label(_x(tick), y + 16, words, "tick"))
    return [*marks, label(WIDTH / 2, y + 33, title, "axis")]


def _x(value: float) -> float:
    return MARGIN + (value + 1.0) / 2.0 * (WIDTH - 2 * MARGIN)


def _lanes(values: Sequence[float]) -> list[tuple[float, int]]:
    """Put each value on the lowest lane where its dot touches no other, from the left."""
    ends: list[float] = []
    placed = []
    for value in sorted(values):
        x = _x(value)
        lane = next((index for index, end in enumerate(ends) if end <= x), len(ends))
        ends[lane : lane + 1] = [x + 9]
        placed.append((value, lane))
    return placed


def _slope(action: int, start: tuple[float, float], end: tuple[float, float]) -> list[SafeString]:
    (x1, y1), (x2, y2) = start, end
    return [
        element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=f"slope slope-{action}"),
        element("circle", cx=x1, cy=y1, r=4, class_="dot"),
        element("circle", cx=x2, cy=y2, r=4, class_="dot"),
    ]


def _spread(column: SlopeColumn, y: Callable[[float], float]) -> list[tuple[int, float]]:
    """Return where to write each action's name, so that no two names touch."""
    ranked = sorted((rank, action) for action, rank in enumerate(column.ranks) if rank is not None)
    places = [y(rank) for rank, _ in ranked]
    # Names that would touch share the room around the mean of their places.
    groups = [[index] for index in range(len(places))]
    merged = True
    while merged:
        merged = False
        centres = [sum(places[index] for index in group) / len(group) for group in groups]
        for number in range(len(groups) - 1):
            room = (len(groups[number]) + len(groups[number + 1])) / 2 * LABEL_HEIGHT
            if centres[number + 1] - centres[number] < room:
                groups[number : number + 2] = [groups[number] + groups[number + 1]]
                merged = True
                break
    written = []
    for group in groups:
        centre = sum(places[index] for index in group) / len(group)
        first = centre - (len(group) - 1) / 2 * LABEL_HEIGHT
        written += [
            (ranked[index][1], first + place * LABEL_HEIGHT) for place, index in enumerate(group)
        ]
    return written
