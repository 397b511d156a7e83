"""Bound ratios of means, with both means from the same draws.

References
----------
.. [1] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
.. [2] Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
   arXiv 2611.00773v1.
"""

import numpy as np
from numpy.typing import ArrayLike

from scoring.intervals import Interval, check_values, percentile_interval, resamples
from scoring.masks import Floats

ZERO = 1e-12  # a denominator below it is none


def bootstrap_ratio(
    numerators: ArrayLike, denominators: ArrayLike, *, draws: int = 5000, seed: int = 3
) -> Interval:
    """Return the ratio of two means with its percentile bootstrap interval.

    Parameters
    ----------
    numerators, denominators : array_like, shape (n,)
        One of each per unit; a draw takes both from the same units.
    draws : int, default 5000
        Number of draws, at least 2.
    seed : int, default 3
        Seed of the draws, at least 0.

    Returns
    -------
    Interval
        A draw whose mean denominator is at most 1e-12 in size is dropped, and so is one with a
        value that is not finite.

    Raises
    ------
    ValueError
        If the lengths differ or are 0, or ``draws`` is below 2.

    Examples
    --------
    >>> interval = bootstrap_ratio([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> interval.estimate, interval.lower, interval.upper
    (0.5, 0.5, 0.5)
    """
    above = check_values("numerators", numerators)
    below = check_values("denominators", denominators)
    if len(above) != len(below):
        msg = f"denominators must be as many as numerators, got {len(below)} for {len(above)}"
        raise ValueError(msg)
    drawn = resamples(len(above), draws=draws, seed=seed)
    return percentile_interval(
        float(_quotients(above.mean(), below.mean())),
        _quotients(above[drawn].mean(axis=-1), below[drawn].mean(axis=-1)),
        n=len(above),
        seed=seed,
    )


def relative_increase(
    first: ArrayLike, second: ArrayLike, *, draws: int = 5000, seed: int = 3
) -> Interval:
    """Return by how many percent the mean of the second interface exceeds that of the first.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Values by state, of L1 and L3.
    draws, seed : int
        Of the bootstrap over states (`bootstrap_ratio`).

    Returns
    -------
    scoring.intervals.Interval
        100 (mean second - mean first) / mean first: a ratio of means, not a mean of ratios.

    Raises
    ------
    ValueError
        If the lengths differ or are 0, or ``draws`` is below 2.

    Examples
    --------
    >>> round(relative_increase([0.1, 0.2, 0.3], [0.3, 0.4, 0.5]).estimate, 9)
    100.0
    """
    return bootstrap_ratio(100.0 * _excess(second, first), first, draws=draws, seed=seed)


def gain_retained(
    short: ArrayLike, name: ArrayLike, design: ArrayLike, *, draws: int = 4000, seed: int = 7
) -> Interval:
    """Return which share of the gain of complete designs over action names a short form keeps.

    Parameters
    ----------
    short, name, design : array_like, shape (n,)
        Values by state, of L3 short, L1 and L3.
    draws, seed : int
        Of the bootstrap over states (`bootstrap_ratio`).

    Returns
    -------
    scoring.intervals.Interval
        (mean short - mean name) / (mean design - mean name).

    Raises
    ------
    ValueError
        If the lengths differ or are 0, or ``draws`` is below 2.

    Examples
    --------
    >>> round(gain_retained([0.4, 0.5], [0.2, 0.3], [0.6, 0.7]).estimate, 9)
    0.5
    """
    return bootstrap_ratio(_excess(short, name), _excess(design, name), draws=draws, seed=seed)


def _excess(values: ArrayLike, base: ArrayLike) -> Floats:
    above, below = check_values("values", values), check_values("values", base)
    if above.shape != below.shape:
        msg = f"values must be of the same states, got {above.shape} and {below.shape}"
        raise ValueError(msg)
    return above - below


def _quotients(above: ArrayLike, below: ArrayLike) -> Floats:
    usable = np.isfinite(below) & (np.abs(below) > ZERO)
    # Dividing by nan, not by 0, keeps NumPy quiet.
    return np.divide(above, np.where(usable, below, np.nan), dtype=np.float64)
