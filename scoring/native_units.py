"""Recovery in the units of a task's native metric.

Most families' utility is their native metric, a share. Three turn an error x with a scale s into
the utility u = 1 / (1 + x / s), so x = s (1/u - 1): equal steps of the error are unequal steps of
the utility. Recovery is a ratio of effects, so that neither s nor the shift plays a part.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import math

from numpy.typing import ArrayLike

from scoring import surfaces

ERROR_FAMILIES = frozenset({"regression", "forecasting", "image_restoration"})


def native_recovery(truth: ArrayLike, prediction: ArrayLike, family: str) -> float:
    """Return the effect recovery with utilities turned back into native units.

    Parameters
    ----------
    truth : array_like, shape (2^d,)
        True utilities in [0, 1], 2 <= d <= 8.
    prediction : array_like, shape (2^d,)
        Predicted utilities in [0, 1].
    family : str
        One of `ERROR_FAMILIES`, or any other: then the utility is the native metric.

    Returns
    -------
    float
        In [0, 1], higher is better. In an error family a utility of 0 stands for an endless error:
        0 if one was predicted, nan if one is true.

    Raises
    ------
    ValueError
        If an argument is not a surface, or the shapes differ.

    References
    ----------
    .. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.

    Examples
    --------
    >>> truth, prediction = [0.2, 0.25, 0.5, 1.0], [0.2, 0.25, 0.25, 1.0]
    >>> native_recovery(truth, prediction, "retrieval")
    0.6875
    >>> native_recovery(truth, prediction, "regression")  # of 5, 4, 2, 1 and 5, 4, 4, 1
    0.5
    """
    if family not in ERROR_FAMILIES:
        return surfaces.grade(truth, prediction).effect_recovery
    truth, _ = surfaces.check_surface("truth", truth)
    prediction, _ = surfaces.check_surface("prediction", prediction)
    if truth.min() == 0:
        return math.nan
    if prediction.min() == 0:
        return 0.0
    # The smallest utility over u is 1/u brought into [0, 1], where surfaces are graded.
    smallest = min(truth.min(), prediction.min())
    return surfaces.grade(smallest / truth, smallest / prediction).effect_recovery
