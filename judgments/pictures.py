"""The picture of a study's coverage: plain values in, SVG with the table behind it out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from catalog.pictures.drawing import WIDTH, Picture, Table, element, framed, label

MARGIN = 26
BARS_HEIGHT = 56
HEADING_HEIGHT = 26
BLOCK_HEIGHT = HEADING_HEIGHT + BARS_HEIGHT + 16
GAP = 0.25  # of the width of a bar


@dataclass(frozen=True)
class Bar:
    """One scenario: complete cells, and held ones on top."""

    name: str
    domain: str
    n_complete: int
    n_held: int
    n_unusable: int


def coverage_picture(bars: Sequence[Bar]) -> Picture:
    """Draw the scenarios of each domain side by side; all domains have one axis, from zero."""
    domains = list(dict.fromkeys(bar.domain for bar in bars))
    most = max([1, *(bar.n_complete + bar.n_held for bar in bars)])
    widest = max([1, *(sum(bar.domain == domain for bar in bars) for domain in domains)])
    drawn = [
        part
        for index, domain in enumerate(domains)
        for part in _block(
            domain,
            [bar for bar in bars if bar.domain == domain],
            top=index * BLOCK_HEIGHT,
            step=(WIDTH - MARGIN) / widest,
            most=most,
        )
    ]
    title = "People a scenario: filled complete, outlined held"
    return Picture(
        title=title,
        svg=framed(
            drawn,
            key="coverage",
            title=title,
            description=_description(bars),
            height=len(domains) * BLOCK_HEIGHT,
        ),
        table=Table(
            ("Scenario", "Domain", "Complete", "Held", "Complete, not usable"),
            tuple(
                (bar.name, bar.domain, str(bar.n_complete), str(bar.n_held), str(bar.n_unusable))
                for bar in bars
            ),
        ),
    )


def _block(
    domain: str, bars: Sequence[Bar], *, top: float, step: float, most: int
) -> Iterable[SafeString]:
    floor = top + HEADING_HEIGHT + BARS_HEIGHT
    unit = BARS_HEIGHT / most
    yield label(0, top + 11, domain, "strip-name", "start")
    for value in (0, most):
        y = floor - value * unit
        yield label(MARGIN - 6, y + 4, str(value), "tick", "end")
    yield element("line", x1=MARGIN, y1=floor, x2=WIDTH, y2=floor, class_="axis-line")
    for index, bar in enumerate(bars):
        x, width = MARGIN + (index + GAP / 2) * step, step * (1 - GAP)
        filled, held = bar.n_complete * unit, bar.n_held * unit
        if bar.n_complete:
            yield _rect(x, floor - filled, width, filled, "complete")
        if bar.n_held:
            yield _rect(x, floor - filled - held, width, held, "held")


def _rect(x: float, y: float, width: float, height: float, class_: str) -> SafeString:
    return element("rect", x=x, y=y, width=width, height=height, class_=class_)


def _description(bars: Sequence[Bar]) -> str:
    if not bars:
        return "No scenario."
    counts = [bar.n_complete + bar.n_held for bar in bars]
    return f"{len(bars)} scenarios with {min(counts)} to {max(counts)} people each."
