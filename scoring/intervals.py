"""Average over families, and say how far the sources at hand support a rank.

References
----------
.. [1] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
.. [2] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.masks import Floats, Indices

LEVEL = 0.95
TIE_DECIMALS = 12  # means that agree to here share a rank; the order of a sum must not split them


@dataclass(frozen=True)
class FamilyMacro:
    """A mean in which every family weighs the same.

    Attributes
    ----------
    mean : float
        Mean of the families' means, in the values' unit; nan without values.
    by_family, by_source : dict of str to float
        The means that it is made of, in order of first appearance.
    n_trials : int
        Number of values.
    """

    mean: float
    by_family: dict[str, float]
    by_source: dict[str, float]
    n_trials: int


@dataclass(frozen=True)
class EntryInterval:
    """What the draws say about one entry; every field is nan if a value of the entry is.

    Attributes
    ----------
    mean, lower, upper : float
        Family-macro mean and the bounds of its 95 % interval, in the values' unit.
    rank, best_rank, worst_rank : float
        Rank of the mean, and the bounds of its 95 % range; whole numbers from 1, ties share the
        best rank.
    """

    mean: float
    lower: float
    upper: float
    rank: float
    best_rank: float
    worst_rank: float


@dataclass(frozen=True)
class SourceBootstrap:
    """Intervals of many entries from the same draws, and what is needed to repeat them.

    Attributes
    ----------
    entries : tuple of EntryInterval
        In the order given.
    method, unit : str
        How the draws were made, and what was drawn.
    level : float
        Coverage of the intervals and ranges.
    draws, seed : int
        Number of draws and the seed of their generator.
    """

    entries: tuple[EntryInterval, ...]
    method: str
    unit: str
    level: float
    draws: int
    seed: int


def family_macro(
    values: Sequence[float], sources: Sequence[str], families: Sequence[str]
) -> FamilyMacro:
    """Average trials within sources, sources within families, then families.

    Parameters
    ----------
    values : sequence of float, length t
        One per trial. A missing delivery is a 0 that the caller passes, not a missing value.
    sources : sequence of str, length t
        The source of each trial. A paired six-factor variant has its four-factor task's source, so
        it never counts as a second one.
    families : sequence of str, length t
        The family of each trial's source.

    Returns
    -------
    FamilyMacro
        nan without values; a nan value makes every mean above it nan.

    Raises
    ------
    ValueError
        If the lengths differ or a source is in two families.

    Examples
    --------
    >>> family_macro([1.0, 0.0, 0.5, 0.2], ["a", "a", "b", "c"], ["x", "x", "x", "y"]).mean
    0.35
    """
    family_of: dict[str, str] = {}
    trials: dict[str, list[float]] = {}
    for value, source, family in zip(values, sources, families, strict=True):
        if family_of.setdefault(source, family) != family:
            msg = f"families must be one per source, got {source!r} in {family_of[source]!r} and "
            msg += f"{family!r}"
            raise ValueError(msg)
        trials.setdefault(source, []).append(value)
    by_source = {source: _mean(of_source) for source, of_source in trials.items()}
    by_family = {
        family: _mean(mean for source, mean in by_source.items() if family_of[source] == family)
        for family in dict.fromkeys(family_of.values())
    }
    return FamilyMacro(
        mean=_mean(by_family.values()),
        by_family=by_family,
        by_source=by_source,
        n_trials=len(values),
    )


def bootstrap_sources(
    values: ArrayLike,
    families: Sequence[str],
    *,
    seed: int,
    draws: int = 2000,
    higher_is_better: bool = True,
) -> SourceBootstrap:
    """Resample sources within families to bound means and ranks of many entries.

    Every draw keeps the families and takes, in each, as many sources as it has, with replacement.
    All entries see the same draws, so their comparison is paired. A family with a single source is
    drawn as it is: it adds no variation, and the intervals are too narrow by what another source of
    that family would have shown.

    Parameters
    ----------
    values : array_like, shape (n_entries, n_sources)
        Mean of each entry over its trials on each source (`FamilyMacro.by_source`).
    families : sequence of str, length n_sources
        The family of each source.
    seed : int
        Seed of the draws, at least 0.
    draws : int, default 2000
        Number of draws, at least 1.
    higher_is_better : bool, default True
        Direction of the ranks.

    Returns
    -------
    SourceBootstrap
        Bounds are the 2.5 % and 97.5 % order statistics of the draws (inverse of the empirical
        distribution, no interpolation). An entry with a nan has no mean and no rank, and does not
        count in the ranks of the others.

    Raises
    ------
    ValueError
        If the shapes disagree, there is no source, or ``draws`` is below 1.

    Examples
    --------
    >>> result = bootstrap_sources([[0.9, 0.7], [0.4, 0.2]], ["x", "x"], seed=1, draws=200)
    >>> first = result.entries[0]
    >>> first.mean, first.lower, first.upper, first.best_rank, first.worst_rank
    (0.8, 0.7, 0.9, 1, 1)
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(families) or not len(families):
        msg = f"values must have shape (n_entries, {len(families)}) for as many families, at least "
        msg += f"one; got {table.shape}"
        raise ValueError(msg)
    if draws < 1:
        msg = f"draws must be at least 1, got {draws!r}"
        raise ValueError(msg)
    defined = np.flatnonzero(np.isfinite(table).all(axis=1))
    sign = 1.0 if higher_is_better else -1.0
    means = _drawn_means(table[defined], families, seed=seed, draws=draws)
    estimates = np.array([family_macro(row, _ids(families), families).mean for row in table])
    ranks = _ranks(sign * estimates[defined, None])[:, 0]
    (lower, upper), (best, worst) = _bounds(means), _bounds(_ranks(sign * means))
    entries = [EntryInterval(*[math.nan] * 6)] * len(table)
    for row, entry in enumerate(defined.tolist()):
        entries[entry] = EntryInterval(
            mean=float(estimates[entry]),
            lower=float(lower[row]),
            upper=float(upper[row]),
            rank=int(ranks[row]),
            best_rank=int(best[row]),
            worst_rank=int(worst[row]),
        )
    return SourceBootstrap(
        entries=tuple(entries),
        method="percentile bootstrap, sources resampled within families",
        unit="source",
        level=LEVEL,
        draws=draws,
        seed=seed,
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


def _ids(families: Sequence[str]) -> list[str]:
    return [str(source) for source in range(len(families))]


def _drawn_means(table: Floats, families: Sequence[str], *, seed: int, draws: int) -> Floats:
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(families))
    total = np.zeros((len(table), draws))
    for name in names:
        members = np.array([i for i, family in enumerate(families) if family == name])
        drawn = members[rng.integers(len(members), size=(draws, len(members)))]
        # One source after the other: equal rows give equal means, whatever their place.
        of_family = np.zeros_like(total)
        for column in drawn.T:
            of_family += table[:, column]
        total += of_family / len(members)
    return total / len(names)


def _ranks(means: Floats) -> Indices:
    # Per column: 1 + the number of entries that are strictly better.
    rounded = np.round(means, TIE_DECIMALS)
    ranks = np.empty(means.shape, dtype=np.intp)
    for draw, column in enumerate(rounded.T):
        ranks[:, draw] = 1 + len(column) - np.searchsorted(np.sort(column), column, side="right")
    return ranks


def _bounds(drawn: Floats | Indices) -> tuple[Floats, Floats]:
    tail = (1.0 - LEVEL) / 2.0
    lower, upper = np.quantile(drawn, [tail, 1.0 - tail], axis=1, method="inverted_cdf")
    return lower, upper
