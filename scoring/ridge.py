"""Ridge regression on the factors' main effects and pair interactions.

References
----------
.. [1] A. E. Hoerl and R. W. Kennard, "Ridge Regression: Biased Estimation for Nonorthogonal
   Problems", Technometrics 12(1), 1970.
.. [2] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from scoring import fixed_rounding, masks
from scoring.masks import Floats, Indices

ALPHAS = (1e-5, 0.001, 0.1, 1.0, 10.0)
LOSS_DECIMALS = 14


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A fitted linear surface.

    Attributes
    ----------
    alpha : float
        The chosen penalty, one of `ALPHAS`.
    leave_one_out_loss : float
        Its mean squared error over the left-out observations, squared utility units.
    intercept : float
        Unpenalised constant, utility units.
    coefficients : ndarray of float, shape (p,)
        One per feature, in the order of `features`.
    """

    alpha: float
    leave_one_out_loss: float
    intercept: float
    coefficients: Floats


@functools.cache
def features(d: int, degree: int) -> Floats:
    """Return the polynomial features of all masks, without an intercept.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.
    degree : int
        1 for the signs s_i (+1 on, -1 off); 2 adds the products s_i s_j, i < j, in lexicographic
        order of the pairs.

    Returns
    -------
    ndarray of float, shape (2^d, p)
        p = d for degree 1, d + d(d-1)/2 for degree 2. Cached and read-only.

    Raises
    ------
    ValueError
        If ``d`` or ``degree`` is out of range.

    Examples
    --------
    >>> features(2, 2).astype(int).tolist()
    [[-1, -1, 1], [-1, 1, -1], [1, -1, -1], [1, 1, 1]]
    """
    if degree not in (1, 2):
        msg = f"degree must be 1 or 2, got {degree!r}"
        raise ValueError(msg)
    signs = 2.0 * masks.bits(d) - 1.0
    columns = [signs]
    if degree == 2:
        columns += [signs[:, [i]] * signs[:, [j]] for i, j in itertools.combinations(range(d), 2)]
    table: Floats = np.hstack(columns)
    table.setflags(write=False)
    return table


def fit(x: Floats, y: Floats) -> RidgeFit:
    """Fit the ridge regression whose penalty predicts left-out observations best.

    Parameters
    ----------
    x : ndarray of float, shape (k, p)
        Features of the observed masks, k >= 2.
    y : ndarray of float, shape (k,)
        Observed utilities.

    Returns
    -------
    RidgeFit

    Raises
    ------
    ValueError
        If there are fewer than two observations or ``y`` has another length than ``x``.

    Notes
    -----
    The penalty minimises the leave-one-out mean squared error, each time refitted with the centring
    recomputed; losses are compared after rounding to 14 decimals and a tie takes the larger
    penalty. The shortcut e_i / (1 - h_ii) would lose the digits that decide these ties.

    Examples
    --------
    >>> fit(features(2, 1)[[0, 3]], np.array([0.2, 0.6])).alpha  # all penalties tie
    10.0
    """
    [fitted] = fit_all(x, y[None])
    return fitted


def fit_all(x: Floats, y: Floats) -> list[RidgeFit]:
    """Fit several surfaces that were measured at the same masks.

    The linear systems are those of the masks and are factorised once for all surfaces.

    Parameters
    ----------
    x : ndarray of float, shape (k, p)
        As for `fit`.
    y : ndarray of float, shape (t, k)
        Observed utilities, one surface per row.

    Returns
    -------
    list of RidgeFit
        One per surface, bit for bit that of `fit`.

    Raises
    ------
    ValueError
        As for `fit`.

    Examples
    --------
    >>> fits = fit_all(features(2, 1)[[0, 3]], np.array([[0.2, 0.6], [0.1, 0.9]]))
    >>> [round(fitted.intercept, 3) for fitted in fits]
    [0.4, 0.5]
    """
    k = y.shape[-1]
    if k < 2 or x.shape[0] != k:
        msg = f"y must hold one value per row of x and at least two, got {k} for {x.shape[0]} rows"
        raise ValueError(msg)
    kept = np.array([[row for row in range(k) if row != left_out] for left_out in range(k)])
    alphas = np.array(ALPHAS)
    intercepts, coefficients = _solve(x[kept], y[:, kept], alphas)  # (t, 5, k), (t, 5, k, p)
    residuals = y[:, None] - (intercepts + (coefficients * x).sum(axis=-1))
    losses = (residuals**2).mean(axis=-1)
    rounded = np.round(losses, LOSS_DECIMALS)
    # Penalties ascend, so the last of the tied ones is the largest.
    chosen = len(ALPHAS) - 1 - np.argmin(rounded[:, ::-1], axis=-1)
    fits: dict[int, RidgeFit] = {}
    for penalty in sorted(set(chosen.tolist())):
        members = np.flatnonzero(chosen == penalty)
        intercept, coefficient = _solve(x[None], y[members, None], alphas[[penalty]])
        for row, member in enumerate(members.tolist()):
            fits[member] = RidgeFit(
                alpha=ALPHAS[penalty],
                leave_one_out_loss=float(losses[member, penalty]),
                intercept=float(intercept[row, 0, 0]),
                coefficients=coefficient[row, 0, 0],
            )
    return [fits[member] for member in range(len(y))]


def reconstruct(d: int, degree: int, cells: Indices, values: Floats) -> Floats:
    """Return the whole surface from some of its cells.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.
    degree : int
        1 (main effects) or 2 (main effects and pair interactions).
    cells : ndarray of int, shape (k,)
        Indices of the measured masks, k >= 2.
    values : ndarray of float, shape (k,) or (t, k)
        Their utilities, on one surface or on each of several.

    Returns
    -------
    ndarray of float, shape (2^d,) or (t, 2^d)
        The ridge prediction clipped to [0, 1]; measured cells are kept exactly.

    Raises
    ------
    ValueError
        If ``d``, ``degree`` or the number of values is out of range.

    Examples
    --------
    >>> reconstruct(2, 1, np.array([0, 3]), np.array([0.2, 0.6])).round(3)
    array([0.2, 0.4, 0.4, 0.6])
    """
    x = features(d, degree)
    fits = fit_all(x[cells], np.atleast_2d(values))
    # One product a surface: a matrix product may round another way.
    fitted = np.array([fit.intercept + x @ fit.coefficients for fit in fits])
    surfaces: Floats = np.clip(fitted.reshape(*values.shape[:-1], 2**d), 0.0, 1.0)
    surfaces[..., cells] = values
    return surfaces


def _solve(x: Floats, y: Floats, alphas: Floats) -> tuple[Floats, Floats]:
    # For q samples (q, k, p) of t surfaces (t, q, k) and a penalties: intercepts (t, a, q) and
    # coefficients (t, a, q, p) of
    # beta = (Xc'Xc + alpha I)^-1 Xc'(y - mean y),  intercept = mean y - mean x . beta
    x_mean, y_mean = x.mean(axis=1), y.mean(axis=-1)
    x_centred = x - x_mean[:, None, :]
    transposed = x_centred.transpose(0, 2, 1)
    # Fewer observations than features leave the system nearly singular at the smallest penalty,
    # and its last bits decide the twelfth decimal of a score: hence the fixed order of rounding.
    gram = fixed_rounding.product(transposed, x_centred)
    moments = fixed_rounding.matrix_vector(transposed, y - y_mean[..., None])
    penalised = gram + alphas[:, None, None, None] * np.eye(x.shape[-1])
    right = np.moveaxis(moments, 0, -1)
    solutions = fixed_rounding.solve(
        penalised, np.broadcast_to(right, (*penalised.shape[:-1], len(y)))
    )
    # Contiguous, so that the sums below run in the same order for any number of surfaces.
    coefficients = np.ascontiguousarray(np.moveaxis(solutions, -1, 0))
    return y_mean[:, None] - (coefficients * x_mean).sum(axis=-1), coefficients
