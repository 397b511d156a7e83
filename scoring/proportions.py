"""Bound a proportion, and say how well it fits an expected one.

References
----------
.. [1] C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the
   Case of the Binomial", Biometrika 26(4), 1934.
"""

import math
from dataclasses import dataclass

from scipy.stats import binomtest

from scoring.intervals import LEVEL


@dataclass(frozen=True)
class Proportion:
    """A share of independent trials.

    Attributes
    ----------
    n_successes, n : int
        Counts.
    share, lower, upper : float
        The share and the bounds of its exact 95 % interval; nan without trials.
    p_value : float
        Two-sided, exact, of the expected share; nan without trials.
    """

    n_successes: int
    n: int
    share: float
    lower: float
    upper: float
    p_value: float


def proportion(n_successes: int, n: int, *, expected: float = 0.5) -> Proportion:
    """Return a share with its exact interval.

    Parameters
    ----------
    n_successes, n : int
        Successes among the trials, 0 <= n_successes <= n.
    expected : float, default 0.5
        The share that `p_value` tests, in [0, 1].

    Returns
    -------
    Proportion

    Raises
    ------
    ValueError
        If the counts contradict each other, or ``expected`` is no probability.

    Examples
    --------
    >>> left = proportion(8, 10)
    >>> left.share, round(left.lower, 4), round(left.upper, 4), round(left.p_value, 4)
    (0.8, 0.4439, 0.9748, 0.1094)
    """
    if not 0 <= expected <= 1:
        msg = f"expected must be in [0, 1], got {expected!r}"
        raise ValueError(msg)
    if not 0 <= n_successes <= n:
        msg = f"n_successes must be from 0 to n, got {n_successes!r} of {n!r}"
        raise ValueError(msg)
    if not n:
        return Proportion(0, 0, math.nan, math.nan, math.nan, math.nan)
    test = binomtest(n_successes, n, expected)
    bounds = test.proportion_ci(LEVEL, method="exact")
    return Proportion(
        n_successes=n_successes,
        n=n,
        share=n_successes / n,
        lower=float(bounds.low),
        upper=float(bounds.high),
        p_value=float(test.pvalue),
    )
