"""Test interfaces against each other on the same states.

References
----------
.. [1] S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
   Statistics 6(2), 1979.
.. [2] J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, section 2.3.5.
"""

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from scoring.masks import Floats

ZERO = 1e-12  # differences this near are the same


class Flag(enum.StrEnum):
    """Why a contrast is no ordinary test; the value is its wording."""

    IDENTICAL = "identical values in every state: t = 0, p = 1, dz = 0 by convention"
    ONE_STATE = "one state only: no test"
    CONSTANT = "the same nonzero difference in every state: t, p and dz undefined"
    UNDEFINED = "a value is undefined: no test"


@dataclass(frozen=True)
class PairedContrast:
    """One paired t test, first minus second.

    Attributes
    ----------
    mean_difference : float
        In the unit of the values.
    t, dz : float
        Student's t with n - 1 degrees of freedom, and the effect size t / sqrt(n).
    p, p_holm : float
        Two-sided, plain and adjusted over the whole declared family.
    n : int
        Number of states.
    flag : Flag or None
        Why it is no ordinary test; the contrast counts in its family all the same.
    """

    mean_difference: float
    t: float
    dz: float
    p: float
    p_holm: float
    n: int
    flag: Flag | None


def family_values(settings: Sequence[Sequence[Sequence[float]]]) -> Floats:
    """Return the value of every state: repetitions averaged, then settings.

    Parameters
    ----------
    settings : sequence over settings, states and repetitions of float
        Scores; an invalid response is a 0 that the caller passes. All settings have the same
        states, at least one repetition of each.

    Returns
    -------
    ndarray of float, shape (n_states,)

    Raises
    ------
    ValueError
        If there is no setting, the numbers of states differ, or a state has no repetition.

    Examples
    --------
    >>> family_values([[[0.2, 0.0], [0.5]], [[0.3], [0.7, 0.9]]])
    array([0.2 , 0.65])
    """
    if not settings or not all(repetitions for setting in settings for repetitions in setting):
        msg = "settings must hold at least one, with at least one repetition of every state"
        raise ValueError(msg)
    by_state = zip(
        *([_mean(repetitions) for repetitions in setting] for setting in settings), strict=True
    )
    return np.array([_mean(values) for values in by_state])


def paired_contrasts(
    contrasts: Mapping[str, tuple[ArrayLike, ArrayLike]],
) -> dict[str, PairedContrast]:
    """Test every contrast of a declared family by a paired t test, Holm-adjusted.

    Parameters
    ----------
    contrasts : mapping of str to pair of array_like, each of shape (n,)
        Name to the values of the first and the second interface, state by state. The whole family
        that was declared before the data were seen.

    Returns
    -------
    dict of str to PairedContrast
        In the order given. What has no test has nan, a flag, and a place in the family.

    Raises
    ------
    ValueError
        If the two sides of a contrast are not vectors of one length, at least 1.

    Notes
    -----
    Differences within 1e-12 of each other are the same: rounding noise is not tested.

    Examples
    --------
    >>> tested = paired_contrasts({"L3-L1": ([0.6, 0.5, 0.9, 0.8], [0.2, 0.3, 0.4, 0.3])})
    >>> contrast = tested["L3-L1"]
    >>> round(contrast.t, 4), round(contrast.p, 4), round(contrast.dz, 4), contrast.flag
    (5.6569, 0.0109, 2.8284, None)
    """
    tested = {name: _test(name, *sides) for name, sides in contrasts.items()}
    adjusted = holm([contrast.p for contrast in tested.values()])
    return {
        name: dataclasses.replace(contrast, p_holm=p_holm)
        for (name, contrast), p_holm in zip(tested.items(), adjusted.tolist(), strict=True)
    }


def holm(p: ArrayLike) -> Floats:
    """Return Holm's adjusted p values.

    Parameters
    ----------
    p : array_like, shape (m,)
        P values in [0, 1]; nan stands for a test that could not be made.

    Returns
    -------
    ndarray of float, shape (m,)
        The i-th smallest p times m - i + 1, at least the one before, at most 1. nan stays nan, and
        counts in m like a p of 1.

    Raises
    ------
    ValueError
        If ``p`` is not a vector of such values.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.005])
    array([0.03, 0.06, 0.06, 0.02])
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or ((values < 0) | (values > 1)).any():
        msg = f"p must be a vector of values in [0, 1] or nan, got {values.tolist()}"
        raise ValueError(msg)
    order = np.argsort(values)  # nan last
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _test(name: str, first: ArrayLike, second: ArrayLike) -> PairedContrast:
    differences = _differences(name, first, second)
    n = len(differences)
    mean = _mean(differences.tolist())
    flag = _flag(differences)
    t = p = math.nan
    if flag is Flag.IDENTICAL:
        t, p = 0.0, 1.0
    elif flag is None:
        t = mean / (float(differences.std(ddof=1)) / math.sqrt(n))
        p = 2.0 * float(stdtr(n - 1, -abs(t)))
    return PairedContrast(
        mean_difference=mean, t=t, dz=t / math.sqrt(n), p=p, p_holm=math.nan, n=n, flag=flag
    )


def _flag(differences: Floats) -> Flag | None:
    if not np.isfinite(differences).all():
        return Flag.UNDEFINED
    if np.abs(differences).max() <= ZERO:
        return Flag.IDENTICAL
    if len(differences) == 1:
        return Flag.ONE_STATE
    return Flag.CONSTANT if np.ptp(differences) <= ZERO else None


def _differences(name: str, first: ArrayLike, second: ArrayLike) -> Floats:
    left, right = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if left.ndim != 1 or left.shape != right.shape or not left.size:
        msg = f"{name} must hold two vectors of one length, at least 1, got {left.shape} and "
        msg += f"{right.shape}"
        raise ValueError(msg)
    # An infinite value is as undefined as nan, and infinities subtracted would warn.
    left, right = (np.where(np.isfinite(side), side, np.nan) for side in (left, right))
    return left - right


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
