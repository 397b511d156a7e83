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
PERCENTILES = (0.025, 0.975)  # written out: (1 - LEVEL) / 2 is not 0.025 in binary
LEVEL_Z = 1.959963984540054  # the normal quantile at 0.975
MAX_DROPPED_SHARE = 0.01
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
class Interval:
    """A percentile bootstrap interval, and what is needed to repeat it.

    Attributes
    ----------
    estimate, lower, upper : float
        The statistic and the bounds of its interval. The bounds are nan if the estimate is, if
        there are fewer than two units to draw, or if more than 1 % of the draws were dropped.
    standard_error : float
        Standard deviation of the draws; nan where the bounds are.
    level : float
        Coverage of the interval.
    n : int
        Units that were drawn: states, scenarios, papers.
    draws, n_dropped : int
        Number of draws, and how many of them had no defined statistic.
    seed : int
        Seed of the generator.
    """

    estimate: float
    lower: float
    upper: float
    standard_error: float
    level: float
    n: int
    draws: int
    n_dropped: int
    seed: int


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


def bootstrap_mean(values: ArrayLike, *, draws: int = 5000, seed: int = 3) -> Interval:
    """Return the mean of values with its percentile bootstrap interval.

    Parameters
    ----------
    values : array_like, shape (n,)
        One per unit, at least one: the value of every state. With one that is not finite there is
        no mean.
    draws : int, default 5000
        Number of draws, at least 2.
    seed : int, default 3
        Seed of the draws, at least 0.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        If ``values`` is not a sequence of at least one number, or ``draws`` is below 2.

    Notes
    -----
    The draws and bounds are those of ``scipy.stats.bootstrap(method="percentile",
    rng=default_rng(seed))``.

    Examples
    --------
    >>> interval = bootstrap_mean([0.2, 0.4, 0.6, 0.4])
    >>> interval.estimate, round(interval.lower, 4), round(interval.upper, 4)
    (0.4, 0.25, 0.55)
    """
    checked = check_values("values", values)
    drawn = resamples(len(checked), draws=draws, seed=seed)
    return percentile_interval(
        _mean(checked.tolist()), checked[drawn].mean(axis=-1), n=len(checked), seed=seed
    )


def check_values(name: str, values: ArrayLike) -> Floats:
    """Return values, one per unit, as an array of floats.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    values : array_like, shape (n,)
        At least one.

    Returns
    -------
    ndarray of float, shape (n,)
        What is not finite is nan, undefined: infinities would warn in a sum, and are no JSON.

    Raises
    ------
    ValueError
        If it is not a sequence of at least one number.

    Examples
    --------
    >>> check_values("values", [1, math.inf])
    array([ 1., nan])
    """
    checked = np.asarray(values, dtype=np.float64)
    if checked.ndim != 1 or not checked.size:
        msg = f"{name} must have shape (n,) with n at least 1, got {checked.shape}"
        raise ValueError(msg)
    return np.where(np.isfinite(checked), checked, np.nan)


def resamples(n: int, *, draws: int, seed: int) -> Indices:
    """Return the units of every draw of a bootstrap.

    Parameters
    ----------
    n : int
        Number of units, at least 1.
    draws : int
        Number of draws, at least 2.
    seed : int
        Seed of the draws, at least 0.

    Returns
    -------
    ndarray of int, shape (draws, n)
        0 to n - 1, with replacement.

    Raises
    ------
    ValueError
        If ``n`` is below 1 or ``draws`` below 2.

    Examples
    --------
    >>> resamples(3, draws=2, seed=3).shape
    (2, 3)
    """
    if n < 1 or draws < 2:
        msg = f"n must be at least 1 and draws at least 2, got {n!r} and {draws!r}"
        raise ValueError(msg)
    return np.random.default_rng(seed).integers(n, size=(draws, n))


def percentile_interval(estimate: float, drawn: Floats, *, n: int, seed: int) -> Interval:
    """Return the interval between the percentiles of drawn statistics.

    Parameters
    ----------
    estimate : float
        The statistic of the units themselves.
    drawn : ndarray of float, shape (draws,)
        The statistic of every draw, nan where undefined.
    n, seed : int
        Number of units and the seed of the draws, for the record.

    Returns
    -------
    Interval
        Bounds are the 2.5 % and 97.5 % quantiles, interpolated linearly.

    Examples
    --------
    >>> percentile_interval(0.5, np.array([0.4, 0.5, 0.6]), n=3, seed=3).lower
    0.405
    """
    defined = drawn[np.isfinite(drawn)]
    n_dropped = len(drawn) - len(defined)
    lower = upper = standard_error = math.nan
    if math.isfinite(estimate) and n > 1 and n_dropped <= MAX_DROPPED_SHARE * len(drawn):
        lower, upper = np.quantile(defined, PERCENTILES).tolist()
        standard_error = float(defined.std(ddof=1))
    return Interval(
        estimate=estimate,
        lower=lower,
        upper=upper,
        standard_error=standard_error,
        level=LEVEL,
        n=n,
        draws=len(drawn),
        n_dropped=n_dropped,
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
    lower, upper = np.quantile(drawn, PERCENTILES, axis=1, method="inverted_cdf")
    return lower, upper
