"""What the episode pages show: an open episode to play on, a closed one to look back at."""

from collections.abc import Collection, Mapping
from typing import Any

from catalog.models import Disclosure
from catalog.pictures import Picture, surface_picture
from episodes.cells import LETTERS, table
from episodes.estimates import Estimator
from episodes.models import Episode, View
from episodes.pictures import error_sparkline
from episodes.queries.episodes import observations
from episodes.reports import EpisodeReport
from episodes.states import EpisodeState

_FAULTS = {
    "missing": "a prediction is missing",
    "not_a_number": "not a number",
    "not_finite": "not a finite number",
    "out_of_range": "not between 0 and 1",
}


def open_context(
    episode: Episode,
    *,
    typed: Mapping[str, str],
    ticked: Collection[str] = (),
    faults: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the page of an own, open episode shows; `faults` marks refused predictions."""
    observed = observations(episode)
    credits_left = episode.budget_credits - episode.spent_credits
    explained = {mask: _FAULTS.get(fault, fault) for mask, fault in (faults or {}).items()}
    return _shared(episode, state=EpisodeState.OPEN) | {
        "credits_left": credits_left,
        "ticked": ticked,
        "picture": _surface(episode, observed, title="Utilities known so far"),
        "estimators": list(Estimator),
        "faults": explained,
        "cells": table(
            episode.task.n_factors,
            purchased=_purchased(episode),
            observed=observed,
            typed=typed,
            faults=explained,
        ),
    }


def closed_context(
    episode: Episode, state: EpisodeState, report: EpisodeReport | None, *, is_own: bool, step: str
) -> dict[str, Any]:
    """Return what the page of a closed episode shows.

    Utilities of a sealed task are shown to the one who paid for them and to nobody else: the
    purchases of many episodes together would give the surface away.
    """
    shows_values = is_own or episode.task.disclosure == Disclosure.OPEN
    observed = observations(episode) if shows_values else episode.task.anchors
    purchased = _purchased(episode)
    step_number = _step(step, last=len(purchased))
    shown = {**episode.task.anchors, **_first(purchased, observed, step_number)}
    strict = _strict_profile(report)
    cells = table(
        episode.task.n_factors,
        purchased=purchased,
        observed=observed,
        predicted=_listed(report.prediction) if report and shows_values else None,
        truth=_listed(report.truth) if report else None,
    )
    return _shared(episode, state=state) | {
        "is_own": is_own,
        "shows_values": shows_values,
        # Strangers read scores of sealed tasks rounded, wherever they are shown.
        "digits": 6 if shows_values else 3,
        "report": report,
        "strict": strict,
        "strict_passed": sum(passed for _, passed in strict),
        "cells": cells,
        "purchases": sorted(
            (cell for cell in cells if cell.position is not None),
            key=lambda cell: (cell.position, cell.mask),
        ),
        "steps": range(len(purchased) + 1) if shows_values else (),
        "step": step_number,
        "picture": _surface(episode, shown, title="Utilities as they became known"),
        "sparkline": error_sparkline(report.grid_maes, step=step_number)
        if report and shows_values
        else None,
    }


def _step(text: str, *, last: int) -> int:
    """Return the number of purchases to show: what was asked for, or all."""
    # Compared as text: an address may hold more digits than Python turns into a number.
    return int(text) if text in {str(number) for number in range(last)} else last


def _shared(episode: Episode, *, state: EpisodeState) -> dict[str, Any]:
    return {
        "episode": episode,
        "state": state,
        "is_opaque": episode.view == View.OPAQUE and state is EpisodeState.OPEN,
        "credits": [credit < episode.spent_credits for credit in range(episode.budget_credits)],
    }


def _strict_profile(report: EpisodeReport | None) -> list[tuple[str, bool]]:
    profile = report.score.strict if report else {}
    return [(f"{100 * tolerance:g} %", passed) for tolerance, passed in profile.items()]


def _purchased(episode: Episode) -> list[str]:
    return [measurement.mask for measurement in episode.measurements.all()]


def _first(purchased: list[str], observed: Mapping[str, float], n: int) -> dict[str, float]:
    return {mask: observed[mask] for mask in purchased[:n] if mask in observed}


def _listed(surface: Any | None) -> list[float] | None:  # noqa: ANN401
    return None if surface is None else surface.tolist()


def _surface(episode: Episode, known: Mapping[str, float], *, title: str) -> Picture:
    return surface_picture(LETTERS[: episode.task.n_factors], known, title=title)
