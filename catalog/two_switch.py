"""Two-switch examples: a numerical player picks the best configuration and misses the effects."""

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from catalog.effect_tables import TaskSurface
from scoring import masks
from scoring.controls import run_control

METHOD = "design_degree2"
BUDGET_CREDITS = 8
SMALL_RECOVERY = 0.5


@dataclass(frozen=True)
class Cell:
    """One of the four settings of the two switches on their background."""

    mask: str
    true_utility: float
    predicted_utility: float
    is_measured: bool


@dataclass(frozen=True)
class TwoSwitchExample:
    """The face around the chosen configuration whose effects are predicted worst."""

    recovery: float
    chosen: str
    switches: tuple[str, str]
    background: str
    cells: tuple[Cell, ...]
    effect_mae: float
    mean_absolute_effect: float


def find_example(surface: TaskSurface) -> TwoSwitchExample | None:
    """Return the example of a task; None unless its choice is exact and its recovery small."""
    return _find(surface.letters, tuple(surface.utilities.items()))


# A run takes up to 0.1 s, and the surface of a version never changes.
@functools.lru_cache(maxsize=256)
def _find(
    letters: tuple[str, ...], utilities: tuple[tuple[str, float], ...]
) -> TwoSwitchExample | None:
    truth = dict(utilities)
    d = len(letters)
    budget = min(BUDGET_CREDITS, len(truth) - 2)
    run = run_control(METHOD, list(truth.values()), budget)
    if not run.score.exact_choice or run.score.effect_recovery >= SMALL_RECOVERY:
        return None
    predicted = dict(zip(truth, run.prediction.tolist(), strict=True))
    measured = {*run.purchased, *masks.anchors(d)}
    chosen = run.score.selected_mask
    error = {mask: predicted[mask] - truth[mask] for mask in truth}
    # Effects are differences: the error of an effect is the effect of the errors.
    (first, second), face = max(
        _faces(chosen), key=lambda found: _mean_absolute_effect(error, found[1])
    )
    return TwoSwitchExample(
        recovery=run.score.effect_recovery,
        chosen=chosen,
        switches=(letters[first], letters[second]),
        background="".join(
            "-" if i in (first, second) else level for i, level in enumerate(chosen)
        ),
        cells=tuple(Cell(mask, truth[mask], predicted[mask], mask in measured) for mask in face),
        effect_mae=_mean_absolute_effect(error, face),
        mean_absolute_effect=_mean_absolute_effect(truth, face),
    )


def _faces(mask: str) -> Iterator[tuple[tuple[int, int], list[str]]]:
    """Yield the four masks that differ from this one in two positions or fewer, per pair."""
    for first, second in itertools.combinations(range(len(mask)), 2):
        yield (
            (first, second),
            [
                f"{mask[:first]}{a}{mask[first + 1 : second]}{b}{mask[second + 1 :]}"
                for a, b in itertools.product("01", repeat=2)
            ],
        )


def _mean_absolute_effect(values: Mapping[str, float], face: list[str]) -> float:
    low, high = masks.edges(2)
    corners = np.array([values[mask] for mask in face])
    return float(np.abs(corners[high] - corners[low]).mean())
