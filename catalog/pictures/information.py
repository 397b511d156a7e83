"""What all 693 designs are worth in one state: the best of each size, and where designs lie."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from catalog.pictures.drawing import Picture, Table, element, framed, label
from catalog.pictures.surface import RAMP_STEPS, Scale
from scoring.costs import Design, affordable, all_designs
from scoring.information import MIN_SEEDS, N_INTERVENTIONS, SEEDS
from scoring.masks import Floats
from scoring.responses import IDENTIFIERS

LEFT = 30
TOP = 38
CELL_WIDTH = 28
CELL_HEIGHT = 34
SCALE = 100  # rates are printed in hundredths


@dataclass(frozen=True)
class Cell:
    """The best design of one size: so many interventions, so many seeds."""

    design: Design
    rate: float
    is_affordable: bool


def best_by_size(rates: Floats, budget: int) -> dict[tuple[int, int], Cell]:
    """Return the best design of every size (|A|, n); of equal ones the first set.

    `rates` has shape (63, 11): information per cost, nats. All designs of a size cost the same.
    """
    within = affordable(budget)
    best: dict[tuple[int, int], Cell] = {}
    for design in all_designs():
        size = len(design.interventions), design.n
        rate = float(rates[design.index])
        # Equal designs differ by rounding: the later one must be better by more than that.
        if size not in best or rate > best[size].rate * (1 + 1e-9):
            best[size] = Cell(design, rate, bool(within[design.index]))
    return best


def information_picture(
    rates: Floats,
    budget: int,
    *,
    best: Design,
    readings: Sequence[Design] = (),
    policies: Mapping[str, Design] | None = None,
    title: str,
    key: str = "information",
) -> Picture:
    """Draw the best information per cost of each size, the affordable edge, marks on designs.

    A policy is marked by its letter at the size of the design that it runs.
    """
    cells = best_by_size(rates, budget)
    values = [cell.rate for cell in cells.values()]
    scale = Scale(min(values), max(values))
    bottom = TOP + N_INTERVENTIONS * CELL_HEIGHT
    drawn = [part for cell in cells.values() for part in _cell(cell, scale)]
    letters = _letters(policies or {})
    marks = [
        _ring(best, "best"),
        *(_dot(size) for size in _sizes(readings)),
        *(_letter(size, of_size) for size, of_size in letters.items()),
    ]
    legend = _legend(bottom, has_readings=bool(readings), has_policies=bool(letters))
    n_affordable = int(affordable(budget).sum())
    return Picture(
        title=title,
        svg=framed(
            [
                *_heads(),
                *drawn,
                *_edge(cells),
                *marks,
                *legend,
            ],
            key=key,
            title=title,
            description=(
                f"{n_affordable} of {len(all_designs())} designs are affordable at budget "
                f"{budget}. Best is {design_words(best)}: {rates[best.index]:.4f} nats per cost."
            ),
            height=bottom + 71,
        ),
        table=_table(cells, letters),
    )


def design_words(design: Design) -> str:
    """Return a design as {I1, I3}, 8 seeds."""
    return f"{{{', '.join(IDENTIFIERS[j] for j in design.interventions)}}}, {design.n} seeds"


def _sizes(designs: Sequence[Design]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((len(design.interventions), design.n) for design in designs))


def _letters(policies: Mapping[str, Design]) -> dict[tuple[int, int], str]:
    found: dict[tuple[int, int], str] = {}
    for letter, design in policies.items():
        size = len(design.interventions), design.n
        found[size] = found.get(size, "") + letter
    return found


def _x(n: int) -> int:
    return LEFT + (n - MIN_SEEDS) * CELL_WIDTH


def _y(n_interventions: int) -> int:
    return TOP + (n_interventions - 1) * CELL_HEIGHT


def _heads() -> Iterator[SafeString]:
    yield label(LEFT, 11, "seeds per condition, n", "axis", "start")
    yield label(1, TOP - 6, "|A|", "axis", "start")
    for n in SEEDS:
        yield label(_x(n) + CELL_WIDTH / 2, TOP - 6, str(n), "strip-name")
    for size in range(1, N_INTERVENTIONS + 1):
        yield label(14, _y(size) + CELL_HEIGHT / 2 + 4, str(size), "strip-name")


def _cell(cell: Cell, scale: Scale) -> Iterator[SafeString]:
    size, n = len(cell.design.interventions), cell.design.n
    standing = f"ramp-{scale.step(cell.rate)}" if cell.is_affordable else "beyond"
    yield element(
        "rect",
        x=_x(n),
        y=_y(size),
        width=CELL_WIDTH,
        height=CELL_HEIGHT,
        class_=f"design {standing}",
    )
    words = f"{SCALE * cell.rate:.1f}"
    on_dark = " on-dark" if cell.is_affordable and scale.step(cell.rate) >= RAMP_STEPS - 1 else ""
    yield label(_x(n) + CELL_WIDTH / 2, _y(size) + 15, words, f"rate{on_dark}")


def _edge(cells: Mapping[tuple[int, int], Cell]) -> Iterator[SafeString]:
    """Draw a line wherever an affordable size has an unaffordable neighbour."""
    for (size, n), cell in cells.items():
        right, below = cells.get((size, n + 1)), cells.get((size + 1, n))
        x, y = _x(n), _y(size)
        if cell.is_affordable and right and not right.is_affordable:
            yield _line(x + CELL_WIDTH, y, x + CELL_WIDTH, y + CELL_HEIGHT)
        if cell.is_affordable and below and not below.is_affordable:
            yield _line(x, y + CELL_HEIGHT, x + CELL_WIDTH, y + CELL_HEIGHT)


def _line(x1: int, y1: int, x2: int, y2: int) -> SafeString:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="budget-edge")


def _ring(design: Design, class_: str) -> SafeString:
    return element(
        "rect",
        x=_x(design.n) + 2,
        y=_y(len(design.interventions)) + 2,
        width=CELL_WIDTH - 4,
        height=CELL_HEIGHT - 4,
        class_=f"mark {class_}",
    )


def _dot(size: tuple[int, int]) -> SafeString:
    return element(
        "circle",
        cx=_x(size[1]) + CELL_WIDTH - 8,
        cy=_y(size[0]) + 25,
        r=4.5,
        class_="mark reading",
    )


def _letter(size: tuple[int, int], letters: str) -> SafeString:
    # A strip of paper below it: the ramp's darkest step would swallow the ink.
    width = 3 + 5 * len(letters)
    strip = element(
        "rect",
        x=_x(size[1]) + 3,
        y=_y(size[0]) + 19,
        width=width,
        height=11,
        class_="mark policy",
    )
    words = label(_x(size[1]) + 3 + width / 2, _y(size[0]) + 28, letters, "policy-letter")
    return strip + words


def _legend(bottom: int, *, has_readings: bool, has_policies: bool) -> Iterator[SafeString]:
    yield label(
        1, bottom + 16, "hundredths of a nat per unit cost, best set of each size", "axis", "start"
    )
    yield label(1, bottom + 31, "thick line: what the budget affords; frame: best", "axis", "start")
    if has_policies:
        words = "letters: sizes that policies run, in the table of policies"
        yield label(1, bottom + 46, words, "axis", "start")
    if has_readings:
        yield element("circle", cx=7, cy=bottom + 57, r=4.5, class_="mark reading")
        yield label(17, bottom + 61, "size of a reading of the action", "axis", "start")


def _table(cells: Mapping[tuple[int, int], Cell], letters: Mapping[tuple[int, int], str]) -> Table:
    return Table(
        header=("|A|, n", "Best set", "Cost", "Nats per cost", "Affordable", "Policies"),
        rows=tuple(
            (
                f"{size}, {n}",
                design_words(cell.design),
                f"{cell.design.cost:.2f}",
                f"{cell.rate:.4f}",
                "yes" if cell.is_affordable else "no",
                ", ".join(letters.get((size, n), "")),
            )
            for (size, n), cell in sorted(cells.items())
        ),
    )
