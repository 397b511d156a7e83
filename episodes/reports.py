"""What may be said about a delivered episode once it is graded."""

from collections.abc import Callable
from dataclasses import dataclass

from episodes.models import Episode
from scoring.masks import Floats
from scoring.surfaces import SurfaceScore


@dataclass(frozen=True, eq=False)
class EpisodeReport:
    """The grade of a delivered table, and how an estimate from its purchases came closer.

    `prediction` has shape (2^d,), the measured cells as observed. `grid_maes` holds the grid error
    of the ridge fit of main effects and pairs after 0, 1, ... purchases. `truth` has shape (2^d,)
    and is there for open tasks only.
    """

    score: SurfaceScore
    prediction: Floats
    grid_maes: tuple[float, ...]
    truth: Floats | None


# Grading reads the hidden answers, which only leaderboards.queries may; wwbsite.urls hands the
# reader to the page. None stands for an episode that delivered nothing.
LoadReport = Callable[[Episode], EpisodeReport | None]
