"""Say which ranks intervals leave possible.

References
----------
.. [1] H. Goldstein and M. J. R. Healy, "The Graphical Presentation of a Collection of Means",
   Journal of the Royal Statistical Society A 158(1), 1995.
"""

import numpy as np
from numpy.typing import ArrayLike

from scoring.masks import Floats


def overlap_ranks(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """Return the range of ranks of every entry by the overlap rule.

    Two entries are separated if their intervals do not overlap; intervals that touch do.

    Parameters
    ----------
    lower, upper : array_like, shape (n,)
        Bounds of the entries' intervals, higher is better; nan where there is none.

    Returns
    -------
    best, worst : ndarray of float, shape (n,)
        Whole numbers from 1: best counts the entries that lie above, worst those that do not lie
        below. An entry whose best rank is 1 is not separated from the first. nan without an
        interval; such an entry does not count in the ranks of the others.

    Raises
    ------
    ValueError
        If the bounds are not two vectors of one length, or a lower one exceeds its upper one.

    Examples
    --------
    >>> best, worst = overlap_ranks([0.66, 0.63, 0.40], [0.74, 0.73, 0.45])
    >>> best.tolist(), worst.tolist()
    ([1.0, 1.0, 3.0], [2.0, 2.0, 3.0])
    """
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    if low.ndim != 1 or low.shape != high.shape or (low > high).any():
        msg = f"lower and upper must be bounds of as many intervals, got {low.tolist()} and "
        msg += f"{high.tolist()}"
        raise ValueError(msg)
    known = np.isfinite(low) & np.isfinite(high)
    # Comparisons with nan are false, so an unknown interval is neither above nor below.
    n_above = (low[None, :] > high[:, None]).sum(axis=1)
    n_below = (high[None, :] < low[:, None]).sum(axis=1)
    best = np.where(known, 1.0 + n_above, np.nan)
    worst = np.where(known, float(known.sum()) - n_below, np.nan)
    return best, worst
