"""How a comparison of two entries changes when each source is left out.

References
----------
.. [1] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11.
"""

import math
from collections.abc import Sequence

from scoring.intervals import family_macro


def differences_without(
    first: Sequence[float], second: Sequence[float], sources: Sequence[str], families: Sequence[str]
) -> dict[str, float]:
    """Return the difference of two family-macro means without each source in turn.

    Parameters
    ----------
    first, second : sequence of float, length n
        The two entries' means per source, in the same order.
    sources : sequence of str, length n
        The sources, each once.
    families : sequence of str, length n
        The family of each source. A family whose only source is left out counts no longer.

    Returns
    -------
    dict of str to float
        By source left out: mean of ``first`` minus mean of ``second`` over the others, in the
        values' unit; nan if there are no others.

    Raises
    ------
    ValueError
        If the lengths differ or a source comes twice.

    Examples
    --------
    >>> differences_without([1.0, 0.5, 0.5], [0.0, 0.5, 0.25], ["a", "b", "c"], ["x", "x", "y"])
    {'a': 0.125, 'b': 0.625, 'c': 0.5}
    """
    if len(set(sources)) != len(sources):
        msg = "sources must be different ones"
        raise ValueError(msg)
    rows = list(zip(first, second, sources, families, strict=True))
    return {
        left_out: _difference([row for row in rows if row[2] != left_out]) for left_out in sources
    }


def _difference(rows: Sequence[tuple[float, float, str, str]]) -> float:
    if not rows:
        return math.nan
    first, second, sources, families = zip(*rows, strict=True)
    return family_macro(first, sources, families).mean - (
        family_macro(second, sources, families).mean
    )
