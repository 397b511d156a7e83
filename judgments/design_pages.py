"""A design certificate as its page shows it: planned beside realised, and two pictures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from catalog.pictures.drawing import WIDTH, Picture, Table, element, framed, label
from judgments.actions.design import Realised
from judgments.certificates import CHANCE, MAX_SPREAD_WITH_LEAVERS

HEAD = 34
SIDE = 84
EDGE = 6  # so that the last number on the axis fits
ROW = 24
NARROW_ROW = 18
LEVELS = 5
NOT_RUN = "not run"
NOBODY = "nobody yet"


@dataclass(frozen=True)
class Row:
    """One figure of the design: the rule, what the simulation gave, what the rows say."""

    figure: str
    rule: str
    planned: str
    realised: str


def show_certificate(details: Mapping[str, Any], realised: Realised) -> dict[str, Any]:
    """Return what the page shows; without a certificate, the realised side alone."""
    rows = asdict(realised)
    has_people = realised.figures.n_people > 0
    planned = details if details.get("figures") else {}
    return {
        "certificate": planned,
        "faults": details.get("faults", ()),
        "n_realised": realised.figures.n_people,
        "rows": _rows(planned, rows, has_people=has_people),
        "tests": _tests(planned, rows),
        "chance": CHANCE,
        "pictures": [
            *(_pictures(planned["figures"], "planned") if planned else ()),
            *(_pictures(rows["figures"], "realised") if has_people else ()),
        ],
    }


def _rows(
    planned: Mapping[str, Any], realised: Mapping[str, Any], *, has_people: bool
) -> list[Row]:
    before = _written(planned["figures"], _coverages(planned)) if planned else {}
    after = _written(realised["figures"], _coverage(realised["coverage"])) if has_people else {}
    spread = planned.get("spread_with_leavers", NOT_RUN)
    rows = [
        Row(figure, rule, before.get(figure, NOT_RUN), after.get(figure, NOBODY))
        for figure, rule in RULES
    ]
    leavers = Row(LEAVERS, f"at most {MAX_SPREAD_WITH_LEAVERS}", str(spread), "")
    return [*rows[:2], leavers, *rows[2:]]


LEAVERS = "Largest difference when a quarter leaves and is replaced, six at once"
SCENARIOS = "Scenarios by times given"
DOMAINS = "Scenarios given, by domain"
BETTER = "Judgments of a person with the better proposal left"
IMBALANCE = "Proposals by difference of showings left and right"
PLACES = "Checks after the first, second, third, fourth judgment of a block"
MISPLACED = "Checks that are first, in a row, or not one a block"
INSTRUCTED = "Instructed checks of a person that ask for the left"
DOMINATED = "Dominated pairs of a person with the better one left"
RULES = (
    (SCENARIOS, "inside a domain, one apart at most"),
    (DOMAINS, "as even as the quotas allow"),
    (BETTER, "half, for everybody"),
    (IMBALANCE, "one at most"),
    (PLACES, "about equal"),
    (MISPLACED, "none"),
    (INSTRUCTED, "half of them"),
    (DOMINATED, "half of them"),
)


def _written(figures: Mapping[str, Any], coverage: Mapping[str, str]) -> dict[str, str]:
    lefts = figures["expected_left"]
    return {
        **coverage,
        BETTER: _counts(figures["better_left"], "people"),
        IMBALANCE: _counts(figures["imbalance"], "proposals"),
        PLACES: ", ".join(_grouped(number) for number in figures["check_places"]),
        MISPLACED: str(figures["n_misplaced"]),
        INSTRUCTED: _counts(lefts["instructed"], "people"),
        DOMINATED: _counts(lefts["dominated"], "people"),
    }


def _coverages(certificate: Mapping[str, Any]) -> dict[str, str]:
    """Return the outcomes of the simulated studies, each with its number where they differ."""
    outcomes = certificate["coverages"]
    parts = [(_coverage(coverage), number) for coverage, number in outcomes[:3]]
    n_studies = certificate["n_studies"]
    return {
        name: "; ".join(f"{part[name]} (in {number} of {n_studies})" for part, number in parts)
        for name in (SCENARIOS, DOMAINS)
    }


def _coverage(coverage: Mapping[str, Any]) -> dict[str, str]:
    return {
        SCENARIOS: ", ".join(
            f"{number} given {_times(count)}" for count, number in coverage["scenarios"]
        ),
        DOMAINS: ", ".join(f"{domain} {cells}" for domain, cells in coverage["domains"].items()),
    }


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _counts(pairs: Sequence[Sequence[int]], of: str) -> str:
    return ", ".join(f"{value}: {_grouped(number)} {of}" for value, number in pairs)


def _tests(planned: Mapping[str, Any], realised: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tests of independence, those of the rows beside where enough people joined."""
    after = {
        tuple(test["factors"]): test["p_value"] for test in realised["figures"]["associations"]
    }
    tests = planned.get("figures", realised["figures"])["associations"]
    return [{**test, "realised": after.get(tuple(test["factors"]))} for test in tests]


def _pictures(figures: Mapping[str, Any], which: str) -> tuple[Picture, ...]:
    people = (
        f"{_grouped(figures['n_people'])} {'simulated people' if which == 'planned' else 'people'}"
    )
    return (
        _sides_picture(figures["sides"], people, key=f"sides-{which}"),
        _checks_picture(figures["check_screens"], figures["n_people"], people, which),
    )


def _sides_picture(sides: Sequence[Any], people: str, *, key: str) -> Picture:
    """Draw the share shown with the lower number left, by place of scenario and pair."""
    n_orders = len(sides[0]) if sides else 1
    width = (WIDTH - SIDE - EDGE) / n_orders
    parts = [label(SIDE + n_orders * width / 2, 11, "place of the pair", "axis")]
    for order in range(n_orders):
        parts.append(label(SIDE + (order + 0.5) * width, 27, str(order + 1), "tick"))
    for place, row in enumerate(sides):
        y = HEAD + place * ROW
        parts.append(label(0, y + 16, f"scenario {place + 1}", "tick", "start"))
        for order, (lefts, shown) in enumerate(row):
            x = SIDE + order * width
            parts += _side(lefts, shown, x, y, width)
    bottom = HEAD + len(sides) * ROW
    caption = "per cent left; shaded: two standard errors or more off"
    parts.append(label(0, bottom + 15, caption, "axis", "start"))
    title = f"Sides by order: {people}"
    far = sum(_level(lefts, shown) > 0 for row in sides for lefts, shown in row)
    return Picture(
        title=title,
        svg=framed(
            parts,
            key=key,
            title=title,
            description=f"{far} of {sum(map(len, sides))} cells are two standard errors or more "
            "from one half; about one in twenty is chance.",
            height=bottom + 20,
        ),
        table=Table(
            header=("Scenario", "Pair", "Lower number left", "Shown"),
            rows=tuple(
                (str(place + 1), str(order + 1), _grouped(lefts), _grouped(shown))
                for place, row in enumerate(sides)
                for order, (lefts, shown) in enumerate(row)
            ),
        ),
    )


def _side(lefts: int, shown: int, x: float, y: float, width: float) -> list[Any]:
    level = _level(lefts, shown)
    ramp = f" ramp-{level}" if level else ""
    words = f"{100 * lefts / shown:.0f}" if shown else ""
    dark = " on-dark" if level > 3 else ""
    return [
        element("rect", x=x, y=y, width=width, height=ROW, class_=f"design{ramp}"),
        label(x + width / 2, y + 16, words, f"rate{dark}"),
    ]


def _level(lefts: int, shown: int) -> int:
    """Return 0 within two standard errors of a half, then one a further standard error."""
    if not shown:
        return 0
    errors = abs(lefts / shown - 0.5) / (0.5 / math.sqrt(shown))
    return min(LEVELS, max(0, math.floor(errors) - 1))


def _checks_picture(
    screens: Mapping[str, Sequence[int]], n_people: int, people: str, which: str
) -> Picture:
    """Draw at which screens the checks of each kind stand, darker where more people have one."""
    kinds = ("instructed", "dominated", "repeat")
    n_screens = max(len(screens[kind]) for kind in kinds)
    most = max((max(screens[kind], default=0) for kind in kinds), default=0)
    width = (WIDTH - SIDE - EDGE) / max(1, n_screens)
    parts = []
    for index, kind in enumerate(kinds):
        y = 4 + index * NARROW_ROW
        parts.append(label(0, y + 13, kind, "tick", "start"))
        for screen, number in enumerate(screens[kind]):
            ramp = f" ramp-{math.ceil(LEVELS * number / most)}" if number else ""
            parts.append(
                element(
                    "rect",
                    x=SIDE + screen * width,
                    y=y,
                    width=width,
                    height=NARROW_ROW - 2,
                    class_=f"design{ramp}",
                )
            )
    bottom = 4 + len(kinds) * NARROW_ROW
    for screen in {1, *range(10, n_screens + 1, 10)}:
        x = SIDE + (screen - 0.5) * width
        parts.append(label(x, bottom + 12, str(screen), "tick"))
    caption = f"screen; darkest: {_share(most, n_people)} of people"
    parts.append(label(SIDE, bottom + 27, caption, "axis", "start"))
    title = f"Where the checks stand: {people}"
    return Picture(
        title=title,
        svg=framed(
            parts,
            key=f"checks-{which}",
            title=title,
            description=f"Three rows, one a kind of check, over {n_screens} screens; none stands "
            "at the first screen.",
            height=bottom + 32,
        ),
        table=Table(
            header=("Screen", *kinds),
            rows=tuple(
                (str(screen + 1), *(_grouped(screens[kind][screen]) for kind in kinds))
                for screen in range(n_screens)
            ),
        ),
    )


def _share(number: int, of: int) -> str:
    return f"{100 * number / of:.1f} %" if of else "0 %"


def _grouped(number: int) -> str:
    """Return a whole number with thin spaces in its thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
