"""The response surface: a ladder of configurations, or a map when there are many factors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from catalog.pictures.drawing import (
    WIDTH,
    Picture,
    Table,
    element,
    framed,
    join,
    label,
    unsigned,
)
from scoring.masks import all_masks, anchors

LADDER_FACTORS = 5  # the widest rung of a larger ladder would have 20 nodes
RAMP_STEPS = 5
LEGEND_HEIGHT = 44
NODE_HEIGHT = 32
ROW_HEIGHT = 44
MAP_COLUMN_FACTORS = 3  # more columns would not hold their numbers at the width of a phone
MAP_LEFT = 42
MAP_CELL_HEIGHT = 32


@dataclass(frozen=True)
class Node:
    """One configuration: its utility if it is known, and how it is known."""

    mask: str
    utility: float | None
    standing: str


@dataclass(frozen=True)
class Scale:
    """The range of the known utilities, in steps of equal width."""

    low: float
    high: float

    def step(self, utility: float) -> int:
        """Return the step of a utility, 1 to RAMP_STEPS; the middle one if there is no range."""
        if self.high == self.low:
            return (RAMP_STEPS + 1) // 2
        share = (utility - self.low) / (self.high - self.low)
        return 1 + min(RAMP_STEPS - 1, int(share * RAMP_STEPS))


def surface_picture(
    letters: Sequence[str],
    measured: Mapping[str, float],
    *,
    title: str,
    key: str = "surface",
    inferred: Mapping[str, float] | None = None,
) -> Picture:
    """Draw the utilities of all 2^d masks as far as they are known.

    `measured` holds the anchors and what was bought (or, of an open task, everything); `inferred`
    what follows for equivalent masks. Up to five factors make a ladder, more a map.
    """
    d = len(letters)
    nodes = _nodes(d, measured, inferred or {})
    known = [node.utility for node in nodes.values() if node.utility is not None]
    scale = Scale(min(known), max(known)) if known else None
    draw = _ladder if d <= LADDER_FACTORS else _map
    drawing, bottom = draw(letters, nodes, scale)
    return Picture(
        title=title,
        svg=framed(
            [_legend(nodes, scale), *drawing],
            key=key,
            title=title,
            description=_description(nodes, scale),
            height=bottom,
        ),
        table=Table(
            header=("Mask", "Utility", "Known by"),
            rows=tuple(
                (node.mask, _printed(node.utility) or "not measured", node.standing)
                for node in nodes.values()
            ),
        ),
    )


def _nodes(d: int, measured: Mapping[str, float], inferred: Mapping[str, float]) -> dict[str, Node]:
    def node(mask: str) -> Node:
        if mask in measured:
            standing = "anchor" if mask in anchors(d) else "measured"
            return Node(mask, measured[mask], standing)
        if mask in inferred:
            return Node(mask, inferred[mask], "inferred")
        return Node(mask, None, "unmeasured")

    return {mask: node(mask) for mask in all_masks(d)}


def _description(nodes: Mapping[str, Node], scale: Scale | None) -> str:
    n_known = sum(node.utility is not None for node in nodes.values())
    sentence = f"{n_known} of {len(nodes)} configurations are known"
    if scale is None:
        return f"{sentence}."
    return f"{sentence}, with utilities from {unsigned(scale.low)} to {unsigned(scale.high)}."


def _legend(nodes: Mapping[str, Node], scale: Scale | None) -> SafeString:
    return join([*_ramp_legend(scale), *_standing_legend(nodes)])


def _ramp_legend(scale: Scale | None) -> Iterator[SafeString]:
    if scale is None:
        return
    yield label(1, 11, f"utility {unsigned(scale.low)}", anchor="start")
    for step in range(RAMP_STEPS):
        swatch = element("rect", x=88 + 26 * step, y=2, width=26, height=11)
        yield element("g", swatch, class_=f"measured ramp-{step + 1}")
    yield label(94 + 26 * RAMP_STEPS, 11, unsigned(scale.high), anchor="start")


def _standing_legend(nodes: Mapping[str, Node]) -> Iterator[SafeString]:
    words = {
        "anchor": "free anchor",
        "measured": "measured",
        "inferred": "inferred",
        "unmeasured": "not measured",
    }
    present = {node.standing for node in nodes.values()}
    x = 3
    for standing, name in words.items():
        if standing in present:
            yield element(
                "g", _box(standing, x, 23, 16, 11), class_=f"node {standing} ramp-1 legend"
            )
            yield label(x + 22, 32, name, anchor="start")
            x += 34 + 6 * len(name)


def _ladder(
    letters: Sequence[str], nodes: Mapping[str, Node], scale: Scale | None
) -> tuple[list[SafeString], float]:
    """Place each mask by the number of its options that are on; A-most masks are topmost."""
    d = len(letters)
    column_width = WIDTH / (d + 1)
    node_width = 46 if d < LADDER_FACTORS else 42
    columns = [
        [mask for mask in sorted(nodes, reverse=True) if mask.count("1") == on]
        for on in range(d + 1)
    ]
    middle = LEGEND_HEIGHT + max(map(len, columns)) * ROW_HEIGHT / 2

    def centre(mask: str) -> tuple[float, float]:
        on = mask.count("1")
        rung = columns[on]
        from_middle = rung.index(mask) - (len(rung) - 1) / 2
        return column_width * (on + 0.5), middle + from_middle * ROW_HEIGHT

    def edge(off: str, on: str) -> SafeString:
        (x1, y1), (x2, y2) = centre(off), centre(on)
        half = node_width / 2
        return element("line", x1=x1 + half, y1=y1, x2=x2 - half, y2=y2, class_="edge")

    edges = [
        edge(mask, f"{mask[:position]}1{mask[position + 1 :]}")
        for mask in nodes
        for position in range(d)
        if mask[position] == "0"
    ]
    drawn = [
        _node(node, scale, *centre(node.mask), node_width, _mask_and_utility)
        for node in nodes.values()
    ]
    axis = 2 * middle - LEGEND_HEIGHT + 12
    ticks = [label(column_width * (on + 0.5), axis, str(on), "tick") for on in range(d + 1)]
    axis_title = label(WIDTH / 2, axis + 17, "number of options on", "axis")
    return [*edges, *drawn, *ticks, axis_title], axis + 22


def _map(
    letters: Sequence[str], nodes: Mapping[str, Node], scale: Scale | None
) -> tuple[list[SafeString], float]:
    """Place each mask by its first and last factors; neighbours differ in one factor."""
    n_row_factors = len(letters) - MAP_COLUMN_FACTORS
    rows = _gray_code(n_row_factors)
    columns = _gray_code(MAP_COLUMN_FACTORS)
    cell_width = (WIDTH - MAP_LEFT - 2) / len(columns)
    top = LEGEND_HEIGHT + 34

    def centre(mask: str) -> tuple[float, float]:
        row, column = rows.index(mask[:n_row_factors]), columns.index(mask[n_row_factors:])
        return MAP_LEFT + (column + 0.5) * cell_width, top + (row + 0.5) * MAP_CELL_HEIGHT

    drawn = [
        _node(node, scale, *centre(node.mask), cell_width - 3, _utility_only)
        for node in nodes.values()
    ]
    heads = [
        label(MAP_LEFT + (index + 0.5) * cell_width, top - 5, code, "mask tick")
        for index, code in enumerate(columns)
    ]
    sides = [
        label(MAP_LEFT - 6, top + (index + 0.5) * MAP_CELL_HEIGHT + 4, code, "mask tick", "end")
        for index, code in enumerate(rows)
    ]
    row_letters, column_letters = letters[:n_row_factors], letters[n_row_factors:]
    titles = [
        label(MAP_LEFT - 6, top - 5, "".join(row_letters), "mask axis", "end"),
        label((MAP_LEFT + WIDTH) / 2, top - 20, "".join(column_letters), "mask axis"),
    ]
    return [*titles, *heads, *sides, *drawn], top + len(rows) * MAP_CELL_HEIGHT + 3


def _gray_code(n_bits: int) -> list[str]:
    return [format(number ^ (number >> 1), f"0{n_bits}b") for number in range(1 << n_bits)]


def _node(
    node: Node,
    scale: Scale | None,
    x: float,
    y: float,
    width: float,
    words: Callable[[Node, float, float], list[SafeString]],
) -> SafeString:
    box = _box(node.standing, x - width / 2, y - NODE_HEIGHT / 2 + 1, width, NODE_HEIGHT - 2)
    step = f" ramp-{scale.step(node.utility)}" if scale and node.utility is not None else ""
    return element("g", join([box, *words(node, x, y)]), class_=f"node {node.standing}{step}")


def _box(standing: str, x: float, y: float, width: float, height: float) -> SafeString:
    box = element("rect", x=x, y=y, width=width, height=height)
    if standing != "anchor":
        return box
    ring = element("rect", x=x + 2, y=y + 2, width=width - 4, height=height - 4, class_="ring")
    return join([box, ring])


def _mask_and_utility(node: Node, x: float, y: float) -> list[SafeString]:
    if node.utility is None:
        return [label(x, y + 4, node.mask, "mask")]
    return [
        label(x, y - 3, node.mask, "mask"),
        label(x, y + 10, unsigned(node.utility), "utility"),
    ]


def _utility_only(node: Node, x: float, y: float) -> list[SafeString]:
    if node.utility is None:
        return []
    # Eight columns leave no room for the zero before the point.
    return [label(x, y + 4, unsigned(node.utility).removeprefix("0"), "utility")]


def _printed(utility: float | None) -> str:
    return "" if utility is None else unsigned(utility)
