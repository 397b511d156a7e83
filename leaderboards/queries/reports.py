"""What the page of a closed episode may say once it is graded."""

from collections.abc import Iterator
from math import isnan

import numpy as np

from catalog import truth
from catalog.models import Disclosure, Task
from episodes.estimates import Estimator, estimate
from episodes.models import Episode
from episodes.queries.episodes import observations
from episodes.reports import Analysis, EpisodeReport
from episodes.states import EpisodeState
from leaderboards.queries.scores import delivered_table
from scoring.equivalences import guards_of, project, representatives
from scoring.masks import Floats
from scoring.native_units import ERROR_FAMILIES, native_recovery
from scoring.surfaces import grade, grade_all
from scoring.unmeasured import unmeasured_effects


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
        analyses=tuple(_analyses(task, surface, prediction, observed)),
        guards=guards_of(task.source.family_id, task.n_factors),
    )


def _analyses(
    task: Task, surface: Floats, prediction: Floats, observed: dict[str, float]
) -> Iterator[Analysis]:
    """Yield the delivered table, the shared estimators, and the projection if masks are equal."""
    family, d = task.source.family_id, task.n_factors
    tables = {"delivered table": prediction}
    tables |= {by.words: estimate(observed, d, by) for by in Estimator}
    if guards_of(family, d):
        representative = representatives(family, d)
        projected = project(prediction, observed, representative)
        tables["delivered table with equal configurations made equal"] = projected
    scores = grade_all(surface, list(tables.values()))
    for (name, table), score in zip(tables.items(), scores, strict=True):
        yield Analysis(
            name=name,
            score=score,
            native_recovery=_native_recovery(surface, table, family),
            unmeasured=unmeasured_effects(surface, table, observed),
        )


def _native_recovery(surface: Floats, table: Floats, family: str) -> float | None:
    recovery = native_recovery(surface, table, family)
    return None if family not in ERROR_FAMILIES or isnan(recovery) else recovery


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
