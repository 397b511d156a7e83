"""Grade a prediction of a response surface against the true one.

A response surface is an array of shape (2^d,) with the utility in [0, 1] of every mask, at the
mask's index (`scoring.masks`). Means are exactly rounded sums (`math.fsum`) divided by their
count, so that a figure does not depend on the order of summation.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring import masks
from scoring.masks import Floats

ZERO = 1e-12  # below it a difference of utilities is rounding, not an effect
NEAR_CHOICE_REGRET = 0.02
STRICT_TOLERANCES = (0.025, 0.05, 0.1, 0.2, 0.4)  # 0.1 is the headline


@dataclass(frozen=True)
class SurfaceScore:
    """Every metric of one prediction table, with the scale of the surface beside it.

    Attributes
    ----------
    effect_recovery : float
        max(0, 1 - effect_mae / mean_absolute_effect), in [0, 1]; higher is better.
    effect_mae : float
        Mean absolute error of the conditional effects, utility units; lower is better.
    mean_absolute_effect : float
        Mean absolute true conditional effect, utility units; a scale, not a score.
    interaction_mae : float
        Mean absolute error of the mean pair interactions, utility units; lower is better.
    grid_mae : float
        Mean absolute error over all masks, utility units; lower is better.
    selection_regret : float
        Best true utility minus the true utility of the selected mask; lower is better.
    selected_mask : str
        The mask with the highest predicted utility.
    exact_choice, near_choice : bool
        Whether the regret is at most 1e-12, at most 0.02.
    strict : dict of float to bool
        Per tolerance: whether every effect error is within that share of the utility range.
    utility_range : float
        Largest minus smallest true utility; a scale, not a score.
    """

    effect_recovery: float
    effect_mae: float
    mean_absolute_effect: float
    interaction_mae: float
    grid_mae: float
    selection_regret: float
    selected_mask: str
    exact_choice: bool
    near_choice: bool
    strict: dict[float, bool]
    utility_range: float


def check_surface(name: str, values: ArrayLike) -> tuple[Floats, int]:
    """Return a surface as an array of floats, with its number of factors.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    values : array_like, shape (2^d,)
        Utilities in [0, 1], 2 <= d <= 8.

    Returns
    -------
    surface : ndarray of float, shape (2^d,)
    d : int

    Raises
    ------
    ValueError
        If the shape is not (2^d,) or a value is not a finite number in [0, 1].

    Examples
    --------
    >>> surface, d = check_surface("truth", [0, 0.25, 0.5, 1])
    >>> d
    2
    """
    surface = np.asarray(values, dtype=np.float64)
    d = surface.size.bit_length() - 1
    if surface.shape != (2**d,) or not masks.MIN_FACTORS <= d <= masks.MAX_FACTORS:
        msg = (
            f"{name} must have shape (2^d,) with d from {masks.MIN_FACTORS} to "
            f"{masks.MAX_FACTORS}, got {surface.shape}"
        )
        raise ValueError(msg)
    # Written as "not inside" so that NaN, which compares false, is caught too.
    outside = np.flatnonzero(~((surface >= 0) & (surface <= 1)))
    if outside.size:
        index = int(outside[0])
        msg = (
            f"{name} must hold finite numbers in [0, 1], "
            f"got {surface[index]} at mask {masks.mask_of(index, d)}"
        )
        raise ValueError(msg)
    return surface, d


def conditional_effects(surface: ArrayLike) -> Floats:
    """Return the effect of switching each factor on, against every background.

    Parameters
    ----------
    surface : array_like, shape (2^d,)
        Utilities in [0, 1].

    Returns
    -------
    ndarray of float, shape (d, 2^(d-1))
        Element (i, b) is u(b with factor i on) - u(b with factor i off), in [-1, 1]. Background b
        is the mask without factor i, read as a binary number (factor A most significant).

    Raises
    ------
    ValueError
        If ``surface`` is not a surface (see `check_surface`).

    Examples
    --------
    >>> conditional_effects([0.0, 0.25, 0.5, 1.0])
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    checked, d = check_surface("surface", surface)
    return _effects(checked, d)


def pair_interactions(surface: ArrayLike) -> Floats:
    """Return the mean interaction of every pair of factors.

    Parameters
    ----------
    surface : array_like, shape (2^d,)
        Utilities in [0, 1].

    Returns
    -------
    ndarray of float, shape (d(d-1)/2,)
        Per pair (i, j), i < j, in lexicographic order: the mean over the 2^(d-2) backgrounds of
        u11 - u10 - u01 + u00, in [-2, 2].

    Raises
    ------
    ValueError
        If ``surface`` is not a surface (see `check_surface`).

    Examples
    --------
    >>> pair_interactions([0.0, 0.25, 0.5, 1.0])
    array([0.25])
    """
    checked, d = check_surface("surface", surface)
    return _interactions(checked, d)


def sign_reversals(surface: ArrayLike, floor: float = 0.0) -> NDArray[np.bool_]:
    """Tell for each factor whether it helps on some backgrounds and hurts on others.

    Parameters
    ----------
    surface : array_like, shape (2^d,)
        Utilities in [0, 1].
    floor : float, default 0.0
        Share of the utility range that an effect must exceed on both sides, at least 0. Whatever
        the floor, an effect of at most 1e-12 has no sign.

    Returns
    -------
    ndarray of bool, shape (d,)

    Raises
    ------
    ValueError
        If ``surface`` is not a surface, or ``floor`` is negative or not finite.

    Examples
    --------
    >>> sign_reversals([0.0, 0.5, 0.25, 0.25])  # A: +0.25, -0.25; B: +0.5, 0
    array([ True, False])
    """
    checked, d = check_surface("surface", surface)
    if not (math.isfinite(floor) and floor >= 0):
        msg = f"floor must be a finite number of at least 0, got {floor!r}"
        raise ValueError(msg)
    threshold = max(ZERO, floor * float(np.ptp(checked)))
    effects = _effects(checked, d)
    reverses: NDArray[np.bool_] = (effects.max(axis=1) > threshold) & (
        effects.min(axis=1) < -threshold
    )
    return reverses


def overwrite_measured(prediction: ArrayLike, observed: Mapping[str, float]) -> Floats:
    """Return the prediction with the measured cells replaced by what was observed.

    Parameters
    ----------
    prediction : array_like, shape (2^d,)
        Predicted utilities in [0, 1]; not changed.
    observed : mapping of str to float
        Authoritative observations: mask to utility in [0, 1].

    Returns
    -------
    ndarray of float, shape (2^d,)

    Raises
    ------
    ValueError
        If ``prediction`` is not a surface, or an observation is not a utility.
    scoring.masks.IllegalMaskError
        If an observed mask is not legal.

    Examples
    --------
    >>> overwrite_measured([0.5, 0.5, 0.5, 0.5], {"00": 0.0, "11": 1.0})
    array([0. , 0.5, 0.5, 1. ])
    """
    checked, d = check_surface("prediction", prediction)
    table = checked.copy()
    for mask, utility in observed.items():
        table[masks.index_of(mask, d)] = check_utility(mask, utility)
    return table


def check_utility(mask: str, utility: float) -> float:
    """Return an observed utility as a float.

    Parameters
    ----------
    mask : str
        The observed mask, for the message.
    utility : float
        What was observed.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the utility is not a finite number in [0, 1].

    Examples
    --------
    >>> check_utility("01", 1)
    1.0
    """
    if not 0 <= utility <= 1:
        msg = f"observed must hold finite numbers in [0, 1], got {utility!r} at mask {mask}"
        raise ValueError(msg)
    return float(utility)


def grade(truth: ArrayLike, prediction: ArrayLike) -> SurfaceScore:
    """Grade a complete prediction table against the true surface.

    The table is graded as it is: overwrite its measured cells first (`overwrite_measured`).

    Parameters
    ----------
    truth : array_like, shape (2^d,)
        True utilities in [0, 1], 2 <= d <= 8.
    prediction : array_like, shape (2^d,)
        Predicted utilities in [0, 1].

    Returns
    -------
    SurfaceScore

    Raises
    ------
    ValueError
        If an argument is not a surface (see `check_surface`), or the shapes differ.

    Notes
    -----
    Formulas: [1]_ and the package's README. On a surface without effects (mean absolute effect at
    most 1e-12) recovery is 1 for a prediction that also has none, else 0.

    References
    ----------
    .. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.

    Examples
    --------
    >>> score = grade([0.0, 0.25, 0.5, 1.0], [0.0, 0.25, 0.5, 0.75])
    >>> score.effect_recovery, score.selected_mask, score.strict[0.1], score.strict[0.4]
    (0.75, '11', False, True)
    """
    [score] = grade_all(truth, [prediction])
    return score


def grade_all(truth: ArrayLike, predictions: Sequence[ArrayLike]) -> list[SurfaceScore]:
    """Grade several complete prediction tables of one task.

    Parameters
    ----------
    truth : array_like, shape (2^d,)
        True utilities in [0, 1], 2 <= d <= 8.
    predictions : sequence of array_like, each of shape (2^d,)
        Predicted utilities in [0, 1]; none at all is allowed.

    Returns
    -------
    list of SurfaceScore
        In the order of the predictions, bit for bit those of `grade`.

    Raises
    ------
    ValueError
        As for `grade`, naming the first prediction that is not a surface of truth's shape.

    Examples
    --------
    >>> scores = grade_all([0.0, 0.25, 0.5, 1.0], [[0.0, 0.25, 0.5, 0.75], [0.0, 0.25, 0.5, 1.0]])
    >>> [score.effect_recovery for score in scores]
    [0.75, 1.0]
    """
    truth, d = check_surface("truth", truth)
    table = _checked_predictions(predictions, truth)
    if not len(table):
        return []
    true_effects = _effects(truth, d)
    mean_absolute_effect = _mean(np.abs(true_effects))
    utility_range = float(np.ptp(truth))
    effect_errors = np.abs(_effects(table, d) - true_effects).reshape(len(table), -1)
    interaction_errors = np.abs(_interactions(table, d) - _interactions(truth, d))
    grid_errors = np.abs(table - truth)
    largest_errors = effect_errors.max(axis=1).tolist()
    thresholds = {
        tolerance: max(ZERO, tolerance * utility_range) for tolerance in STRICT_TOLERANCES
    }
    scores = []
    for row, largest in enumerate(largest_errors):
        effect_mae = _mean(effect_errors[row])
        selected = _choice(table[row])
        selection_regret = float(truth.max() - truth[selected])
        scores.append(
            SurfaceScore(
                effect_recovery=_recovery(effect_mae, mean_absolute_effect),
                effect_mae=effect_mae,
                mean_absolute_effect=mean_absolute_effect,
                interaction_mae=_mean(interaction_errors[row]),
                grid_mae=_mean(grid_errors[row]),
                selection_regret=selection_regret,
                selected_mask=masks.mask_of(selected, d),
                exact_choice=selection_regret <= ZERO,
                near_choice=selection_regret <= NEAR_CHOICE_REGRET,
                strict={
                    tolerance: largest <= threshold for tolerance, threshold in thresholds.items()
                },
                utility_range=utility_range,
            )
        )
    return scores


def _checked_predictions(predictions: Sequence[ArrayLike], truth: Floats) -> Floats:
    checked = [check_surface("prediction", prediction)[0] for prediction in predictions]
    for prediction in checked:
        if prediction.shape != truth.shape:
            msg = f"prediction must have truth's shape {truth.shape}, got {prediction.shape}"
            raise ValueError(msg)
    return np.array(checked).reshape(len(checked), truth.size)


def _effects(surface: Floats, d: int) -> Floats:
    # Of one surface (2^d,), or of each row.
    low, high = masks.edges(d)
    effects: Floats = surface[..., high] - surface[..., low]
    return effects


def _interactions(surface: Floats, d: int) -> Floats:
    both, first, second, neither = (surface[..., corner] for corner in masks.faces(d))
    differences = both - first - second + neither
    *shape, n_backgrounds = differences.shape
    sums = [math.fsum(row) for row in differences.reshape(-1, n_backgrounds).tolist()]
    means: Floats = np.array(sums).reshape(shape) / n_backgrounds
    return means


def _recovery(effect_mae: float, mean_absolute_effect: float) -> float:
    if mean_absolute_effect > ZERO:
        return max(0.0, 1.0 - effect_mae / mean_absolute_effect)
    return 1.0 if effect_mae <= ZERO else 0.0


def _choice(prediction: Floats) -> int:
    tied: list[int] = np.flatnonzero(prediction == prediction.max()).tolist()
    # Fewer switched-on factors first, then the lexically smaller mask, which is the smaller index.
    return min(tied, key=lambda index: (index.bit_count(), index))


def _mean(values: NDArray[Any]) -> float:
    return math.fsum(values.ravel().tolist()) / values.size
