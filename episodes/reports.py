"""What may be said about a delivered episode once it is graded."""

from collections.abc import Callable
from dataclasses import dataclass

from episodes.models import Episode
from scoring.equivalences import Guard
from scoring.masks import Floats
from scoring.surfaces import SurfaceScore
from scoring.unmeasured import UnmeasuredEffects


@dataclass(frozen=True)
class Analysis:
    """One table from an episode's observations with its grade: the delivered one, or another.

    `native_recovery` is None where the utility is the native metric itself, or it is undefined.
    """

    name: str
    score: SurfaceScore
    native_recovery: float | None
    unmeasured: UnmeasuredEffects

    @property
    def unmeasured_percent(self) -> float:
        """The error on effects that nobody measured, in per cent of the mean true effect."""
        return 100 * self.unmeasured.normalised_error

    @property
    def strict(self) -> str:
        """The tightest tolerance of the strict profile that was passed; the wider ones were too."""
        passed = (tolerance for tolerance, is_passed in self.score.strict.items() if is_passed)
        return next((f"{100 * tolerance:g} %" for tolerance in passed), "none")


@dataclass(frozen=True, eq=False)
class EpisodeReport:
    """The grade of a delivered table, and what else its observations would have given.

    `prediction` has shape (2^d,), the measured cells as observed. `grid_maes` holds the grid error
    of the ridge fit of main effects and pairs after 0, 1, ... purchases. `truth` has shape (2^d,)
    and is there for open tasks only. `analyses` begins with the delivered table; `guards` are what
    makes masks provably equal, and then the last analysis is the delivered table projected on them.
    """

    score: SurfaceScore
    prediction: Floats
    grid_maes: tuple[float, ...]
    truth: Floats | None
    analyses: tuple[Analysis, ...]
    guards: tuple[Guard, ...]

    @property
    def best_analysis(self) -> Analysis:
        """The one with the highest recovery; of equal ones the first."""
        return max(self.analyses, key=lambda analysis: analysis.score.effect_recovery)


# Grading reads the hidden answers, which only leaderboards.queries may; wwbsite.urls hands the
# reader to the page. None stands for an episode that delivered nothing.
LoadReport = Callable[[Episode], EpisodeReport | None]
