"""What the page of a closed episode may say once it is graded."""

import numpy as np

from catalog import truth
from catalog.models import Disclosure
from episodes.estimates import Estimator, estimate
from episodes.models import Episode
from episodes.queries.episodes import observations
from episodes.reports import EpisodeReport
from episodes.states import EpisodeState
from leaderboards.queries.scores import delivered_table
from scoring.masks import Floats
from scoring.surfaces import grade


def load_report(episode: Episode) -> EpisodeReport | None:
    """Return the report of a closed episode; None if it delivered nothing.

    Raises
    ------
    catalog.truth.OutcomeMissing
        If the task's outcomes are not loaded whole.
    """
    if episode.state != EpisodeState.SUBMITTED:
        return None
    task = episode.task
    surface = truth.surface(task)
    observed = observations(episode)
    prediction = delivered_table(episode)
    return EpisodeReport(
        score=grade(surface, prediction),
        prediction=prediction,
        grid_maes=_estimate_errors(surface, observed, n_anchors=len(task.anchors)),
        truth=surface if task.disclosure == Disclosure.OPEN else None,
    )


def _estimate_errors(
    surface: Floats, observed: dict[str, float], *, n_anchors: int
) -> tuple[float, ...]:
    """Return the grid error of the shared estimate after 0, 1, ... purchases."""
    n_factors = surface.size.bit_length() - 1
    in_order = list(observed.items())
    return tuple(
        float(np.abs(estimate(dict(in_order[:n]), n_factors, Estimator.PAIRS) - surface).mean())
        for n in range(n_anchors, len(in_order) + 1)
    )
