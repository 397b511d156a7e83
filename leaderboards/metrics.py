"""What a board reports, defined once: page, CSV and API take name, direction and digits here."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from scoring.surfaces import SurfaceScore

DELIVERED_ONLY = "delivered episodes only"


class Direction(StrEnum):
    """Which way is better."""

    HIGHER = "higher is better"
    LOWER = "lower is better"

    @property
    def arrow(self) -> str:
        """The sign that is printed beside a title."""
        return "↑" if self is Direction.HIGHER else "↓"

    def is_better(self, value: float, other: float) -> bool:
        """Tell whether `value` is strictly better than `other`."""
        return value > other if self is Direction.HIGHER else value < other


@dataclass(frozen=True)
class Metric:
    """One column of a board; `name` is also the column of a standing."""

    name: str
    title: str
    path: tuple[str, ...]  # where its value lies in the score of one episode
    direction: Direction
    unit: str
    formula: str
    # What an episode or a task without a table counts. None: it has no value, and is left out.
    missing: float | None
    digits: int = 3

    def read(self, score: Mapping[str, Any]) -> float:
        """Return the value of one episode's score; a choice counts 1 or 0."""
        value: Any = score
        for key in self.path:
            value = value[key]
        return float(value)


def as_row(score: SurfaceScore) -> dict[str, Any]:
    """Return a score as JSON and the database hold it: tolerances are text."""
    strict = {str(tolerance): passed for tolerance, passed in score.strict.items()}
    return {**asdict(score), "strict": strict}


RECOVERY = Metric(
    name="recovery_score",
    title="Recovery",
    path=("effect_recovery",),
    direction=Direction.HIGHER,
    unit="share of the effects, 0 to 1",
    formula="max(0, 1 - E/A): E is the mean absolute error of the conditional effects, A their "
    "mean absolute size",
    missing=0.0,
)
DELIVERED_RECOVERY = Metric(
    name="delivered_recovery_score",
    title="Delivered only",
    path=("effect_recovery",),
    direction=Direction.HIGHER,
    unit="share of the effects, 0 to 1",
    formula=f"the same recovery over {DELIVERED_ONLY}; shown beside the score, never ranked",
    missing=None,
)
METRICS = (
    RECOVERY,
    DELIVERED_RECOVERY,
    Metric(
        name="exact_share",
        title="Exact",
        path=("exact_choice",),
        direction=Direction.HIGHER,
        unit="share of the episodes, 0 to 1",
        formula="the mask with the highest predicted utility is a best one: regret at most 1e-12",
        missing=0.0,
    ),
    Metric(
        name="strict_share",
        title="Strict",
        path=("strict", "0.1"),
        direction=Direction.HIGHER,
        unit="share of the episodes, 0 to 1",
        formula="every effect error is within 10 % of the utility range",
        missing=0.0,
    ),
    Metric(
        name="selection_regret",
        title="Regret",
        path=("selection_regret",),
        direction=Direction.LOWER,
        unit="utility",
        formula="best utility minus the utility of the mask with the highest predicted utility; "
        + DELIVERED_ONLY,
        missing=None,
    ),
    Metric(
        name="grid_mae",
        title="Grid",
        path=("grid_mae",),
        direction=Direction.LOWER,
        unit="utility",
        formula=f"mean absolute error over all masks; {DELIVERED_ONLY}",
        missing=None,
    ),
    Metric(
        name="interaction_mae",
        title="Interaction",
        path=("interaction_mae",),
        direction=Direction.LOWER,
        unit="utility",
        formula=f"mean absolute error of the mean pair interactions; {DELIVERED_ONLY}",
        missing=None,
    ),
)


@dataclass(frozen=True)
class Figure:
    """One value of one metric, with its two spellings."""

    metric: Metric
    value: float | None

    @property
    def full(self) -> str:
        """Every digit, as the CSV and the API print them; empty where undefined."""
        return "" if self.value is None else repr(self.value)

    @property
    def rounded(self) -> str:
        """The digits of a page: a rounding of the same number."""
        return "" if self.value is None else f"{self.value:.{self.metric.digits}f}"
