"""Ordinary kriging on the hypercube, and what one more measurement would tell.

The kernel is exp(-H / l) with H the number of differing factor levels and unit prior variance; a
nugget g is added to the observed diagonal; the constant mean is unknown with a flat prior.

References
----------
.. [1] C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006,
   sections 2.7 (explicit basis functions) and 5.4.2 (leave-one-out).
.. [2] D. A. Cohn, Z. Ghahramani and M. I. Jordan, "Active Learning with Statistical Models",
   Journal of Artificial Intelligence Research 4, 1996.
.. [3] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring import fixed_rounding, masks
from scoring.masks import Floats, Indices

LENGTH_SCALES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NUGGETS = (1e-6, 0.001, 0.03, 0.3)
LOSS_DECIMALS = 14
GAIN_DECIMALS = 12
MIN_VARIANCE = 1e-12
REFINEMENTS = 2


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the observations say about all n = 2^d cells.

    Attributes
    ----------
    length_scale, nugget : float
        The chosen hyperparameters.
    mean : ndarray of float, shape (n,)
        Posterior mean, utility units, not clipped.
    covariance : ndarray of float, shape (n, n)
        Posterior covariance of the noise-free surface, in units of the prior variance.
    """

    length_scale: float
    nugget: float
    mean: Floats
    covariance: Floats


Gain = Callable[[Floats], Floats]


def kernels(bits: Indices) -> Floats:
    """Return the prior covariance of all cells for every length scale.

    Parameters
    ----------
    bits : ndarray of int, shape (n, d)
        Factor levels of the cells: `scoring.masks.bits`, or those of their representatives when
        equivalent masks shall be one point.

    Returns
    -------
    ndarray of float, shape (6, n, n)
        exp(-H / l) per length scale of `LENGTH_SCALES`.

    Examples
    --------
    >>> kernels(masks.bits(2))[2, 0].round(4)  # l = 1: from mask 00 to 00, 01, 10, 11
    array([1.    , 0.3679, 0.3679, 0.1353])
    """
    hamming = (bits[:, None, :] != bits[None, :, :]).sum(axis=-1)
    covariances: Floats = np.exp(-hamming / np.array(LENGTH_SCALES)[:, None, None])
    return covariances


def condition(prior: Floats, cells: Indices, values: Floats) -> Posterior:
    """Return the posterior under the hyperparameters that predict left-out observations best.

    Parameters
    ----------
    prior : ndarray of float, shape (6, n, n)
        From `kernels`.
    cells : ndarray of int, shape (k,)
        Indices of the measured cells, k >= 2.
    values : ndarray of float, shape (k,)
        Their utilities.

    Returns
    -------
    Posterior

    Raises
    ------
    ValueError
        If there are fewer than two observations or the lengths differ.

    Notes
    -----
    Leave-one-out mean squared errors are compared after rounding to 14 decimals; a tie takes the
    larger length scale, then the larger nugget.

    Examples
    --------
    >>> posterior = condition(kernels(masks.bits(4)), np.array([0, 15]), np.array([0.2, 0.6]))
    >>> posterior.length_scale, posterior.nugget
    (8.0, 0.3)
    """
    k = len(values)
    if k < 2 or len(cells) != k:
        msg = f"values must hold one utility per cell and at least two, got {k} for {len(cells)}"
        raise ValueError(msg)
    noise = np.array(NUGGETS)[:, None, None] * np.eye(k)
    noisy: Floats = prior[:, cells[:, None], cells][:, None] + noise  # (6, 4, k, k)
    inverses = np.asarray(np.linalg.inv(noisy), dtype=np.float64)
    losses: Floats = np.round(_leave_one_out_losses(inverses, values), LOSS_DECIMALS)
    # Both grids ascend, so the last of the tied pairs has the larger l, then the larger g.
    scale, nugget = divmod(int(np.flatnonzero(losses == losses.min())[-1]), len(NUGGETS))

    full = prior[scale]
    cross = full[:, cells]  # k
    targets = np.vstack([cross, np.ones(k)]).T
    solution = _solve(noisy[scale, nugget], inverses[scale, nugget], targets)
    weights, z = solution[:, :-1], solution[:, -1]  # Qk', Q1
    precision = z.sum()  # N = 1'Q1
    constant = z @ values / precision
    m = 1.0 - cross @ z
    covariance = full - cross @ weights + np.outer(m, m) / precision
    return Posterior(
        length_scale=LENGTH_SCALES[scale],
        nugget=NUGGETS[nugget],
        mean=constant + (values - constant) @ weights,
        covariance=(covariance + covariance.T) / 2.0,
    )


def reconstruct(prior: Floats, cells: Indices, values: Floats) -> Floats:
    """Return the whole surface from some of its cells.

    Parameters
    ----------
    prior : ndarray of float, shape (6, n, n)
        From `kernels`.
    cells : ndarray of int, shape (k,)
        Indices of the measured cells, k >= 2.
    values : ndarray of float, shape (k,)
        Their utilities.

    Returns
    -------
    ndarray of float, shape (n,)
        The posterior mean clipped to [0, 1]; measured cells are kept exactly.

    Raises
    ------
    ValueError
        If there are fewer than two observations or the lengths differ.

    Examples
    --------
    >>> surface = reconstruct(kernels(masks.bits(2)), np.array([0, 3]), np.array([0.2, 0.6]))
    >>> surface.round(3)
    array([0.2, 0.4, 0.4, 0.6])
    """
    surface = np.clip(condition(prior, cells, values).mean, 0.0, 1.0)
    surface[cells] = values
    return surface


def most_informative(
    prior: Floats, cells: Indices, values: Floats, candidates: Indices, gain: Gain
) -> int:
    """Return the candidate whose measurement removes most of the posterior variance.

    Parameters
    ----------
    prior : ndarray of float, shape (6, n, n)
        From `kernels`.
    cells : ndarray of int, shape (k,)
        Indices of the measured cells, k >= 2.
    values : ndarray of float, shape (k,)
        Their utilities; they choose the hyperparameters.
    candidates : ndarray of int, shape (c,)
        Indices of the cells to choose from, ascending, c >= 1.
    gain : callable
        `grid_gain` or `effect_gain`: what variance counts.

    Returns
    -------
    int
        The candidate i that maximises gain_i / (C_ii + g), rounded to 12 decimals; a tie takes the
        smaller index.

    Raises
    ------
    ValueError
        If there are fewer than two observations or the lengths differ.

    Examples
    --------
    >>> prior, anchors = kernels(masks.bits(4)), np.array([0, 15])
    >>> most_informative(prior, anchors, np.array([0.2, 0.6]), np.arange(1, 15), grid_gain)
    3
    """
    posterior = condition(prior, cells, values)
    variance = np.maximum(np.diag(posterior.covariance) + posterior.nugget, MIN_VARIANCE)
    scores = np.round(gain(posterior.covariance) / variance, GAIN_DECIMALS)[candidates]
    return int(candidates[np.argmax(scores)])


def grid_gain(covariance: Floats) -> Floats:
    """Return, per cell, its squared covariance with all cells.

    Parameters
    ----------
    covariance : ndarray of float, shape (n, n)
        Posterior covariance of the cells.

    Returns
    -------
    ndarray of float, shape (n,)
        Sum over j of C_ji^2.

    Examples
    --------
    >>> grid_gain(np.eye(4))
    array([1., 1., 1., 1.])
    """
    gain: Floats = (covariance**2).sum(axis=0)
    return gain


def effect_gain(covariance: Floats) -> Floats:
    """Return, per cell, its squared covariance with all conditional effects.

    Parameters
    ----------
    covariance : ndarray of float, shape (2^d, 2^d)
        Posterior covariance of the cells.

    Returns
    -------
    ndarray of float, shape (2^d,)
        Sum over the edges (low, high) of the hypercube of (C_high,i - C_low,i)^2.

    Examples
    --------
    >>> effect_gain(np.eye(4))  # every cell is the end of two edges
    array([2., 2., 2., 2.])
    """
    low, high = masks.edges(len(covariance).bit_length() - 1)
    gain: Floats = ((covariance[high.ravel()] - covariance[low.ravel()]) ** 2).sum(axis=0)
    return gain


def _leave_one_out_losses(inverses: Floats, values: Floats) -> Floats:
    # P = Q - zz'/N,  residuals r = (Py) / diag(P): no refit is needed.
    z = inverses.sum(axis=-1)
    precision = z.sum(axis=-1, keepdims=True)
    projected = inverses @ values - z * (z @ values)[..., None] / precision
    diagonal = np.diagonal(inverses, axis1=-2, axis2=-1) - z**2 / precision
    losses: Floats = ((projected / diagonal) ** 2).mean(axis=-1)
    return losses


def _solve(a: Floats, inverse: Floats, b: Floats) -> Floats:
    # Iterative refinement. With the smallest nugget the bare inverse is wrong in the twelfth
    # decimal, so that noise, which differs between processors, and not the rule would break ties.
    x = inverse @ b
    for _ in range(REFINEMENTS):
        x = x + inverse @ fixed_rounding.residual(a, x, b)
    return x
