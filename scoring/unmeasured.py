"""How much of an error lies on effects that nobody measured.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring import masks, surfaces


@dataclass(frozen=True)
class UnmeasuredEffects:
    """The conditional effects that involve an unmeasured mask, and the error on these alone.

    Attributes
    ----------
    n_effects : int
        Number of all conditional effects, d * 2^(d-1).
    n_unmeasured : int
        How many of them have an end that was not measured.
    normalised_error : float
        Mean absolute error of these over A, the mean absolute true effect of all; at least 0,
        lower is better. nan if every effect was measured, or A is at most 1e-12.
    """

    n_effects: int
    n_unmeasured: int
    normalised_error: float

    @property
    def share(self) -> float:
        """Their share of all conditional effects, in [0, 1]."""
        return self.n_unmeasured / self.n_effects

    @property
    def is_defined(self) -> bool:
        """Whether there is an error to speak of."""
        return not math.isnan(self.normalised_error)


def unmeasured_effects(
    truth: ArrayLike, prediction: ArrayLike, measured: Iterable[str]
) -> UnmeasuredEffects:
    """Return the share of effects that involve an unmeasured mask, and the error on these.

    Parameters
    ----------
    truth, prediction : array_like, shape (2^d,)
        True and predicted utilities in [0, 1], 2 <= d <= 8.
    measured : iterable of str
        The masks that were measured, anchors included.

    Returns
    -------
    UnmeasuredEffects

    Raises
    ------
    ValueError
        If an argument is not a surface, or the shapes differ.
    scoring.masks.IllegalMaskError
        If a measured mask is not legal.

    References
    ----------
    .. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.

    Examples
    --------
    >>> found = unmeasured_effects([0, 0.25, 0.5, 1], [0, 0.25, 0.75, 1], ["00", "01", "11"])
    >>> found.n_unmeasured, found.share, found.normalised_error
    (2, 0.5, 0.5)
    """
    truth, d = surfaces.check_surface("truth", truth)
    effects = surfaces.conditional_effects(truth)
    errors = np.abs(surfaces.conditional_effects(prediction) - effects)
    is_measured = np.zeros(2**d, dtype=np.bool_)
    is_measured[[masks.index_of(mask, d) for mask in measured]] = True
    low, high = masks.edges(d)
    on_unmeasured = errors[~(is_measured[low] & is_measured[high])].tolist()
    scale = _mean(np.abs(effects).ravel().tolist())
    is_defined = bool(on_unmeasured) and scale > surfaces.ZERO
    return UnmeasuredEffects(
        n_effects=effects.size,
        n_unmeasured=len(on_unmeasured),
        normalised_error=_mean(on_unmeasured) / scale if is_defined else math.nan,
    )


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)
