"""Count the information that an experiment is expected to give about six mechanisms.

A design runs an unablated baseline and a nonempty set A of six interventions, each with n seeds.
The outcome of an intervention is one of five levels, near 1 if it removes the true mechanism and
near 0 otherwise; outcomes are independent given the mechanism.

References
----------
.. [1] D. V. Lindley, "On a Measure of the Information Provided by an Experiment", Annals of
   Mathematical Statistics 27(4), 1956.
.. [2] Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
   arXiv 2611.00773v1.
"""

import functools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.masks import Floats

N_MECHANISMS = 6
N_INTERVENTIONS = 6
MIN_SEEDS = 2
MAX_SEEDS = 12
SEEDS = range(MIN_SEEDS, MAX_SEEDS + 1)
N_SETS = 2**N_INTERVENTIONS - 1
OUTCOMES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
OUTCOMES.setflags(write=False)
NOISE_AT_REFERENCE = 0.55
REFERENCE_SEEDS = 5
PRIOR_TOLERANCE = 1e-9

Removals = NDArray[np.bool_]


def check_seeds(n: int) -> None:
    """Raise unless ``n`` is a number of seeds that a design may have.

    Parameters
    ----------
    n : int
        Seeds per condition, 2 to 12.

    Raises
    ------
    ValueError
        If ``n`` is not an integer from 2 to 12.

    Examples
    --------
    >>> check_seeds(13)
    Traceback (most recent call last):
    ...
    ValueError: n must be an integer from 2 to 12, got 13
    """
    is_integer = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if not (is_integer and MIN_SEEDS <= n <= MAX_SEEDS):
        msg = f"n must be an integer from {MIN_SEEDS} to {MAX_SEEDS}, got {n!r}"
        raise ValueError(msg)


def noise_scale(n: int) -> float:
    """Return the standard deviation of an outcome before it is put on the grid.

    Parameters
    ----------
    n : int
        Seeds per condition, 2 to 12.

    Returns
    -------
    float
        0.55 * sqrt(5 / n).

    Raises
    ------
    ValueError
        If ``n`` is not an integer from 2 to 12.

    Examples
    --------
    >>> noise_scale(5), round(noise_scale(2), 6)
    (0.55, 0.869626)
    """
    check_seeds(n)
    return NOISE_AT_REFERENCE * math.sqrt(REFERENCE_SEEDS / n)


def outcome_kernel(n: int, mu: float) -> Floats:
    """Return the probability of each outcome level around a mean.

    Parameters
    ----------
    n : int
        Seeds per condition, 2 to 12.
    mu : float
        1 if the intervention removes the true mechanism, else 0.

    Returns
    -------
    ndarray of float, shape (5,)
        In the order of `OUTCOMES`; proportional to exp(-(y - mu)^2 / (2 sigma_n^2)).

    Raises
    ------
    ValueError
        If ``n`` is not an integer from 2 to 12.

    Examples
    --------
    >>> outcome_kernel(2, 0).round(4)
    array([0.2492, 0.2391, 0.2112, 0.1718, 0.1287])
    """
    weights = np.exp(-((OUTCOMES - mu) ** 2) / (2.0 * noise_scale(n) ** 2))
    kernel: Floats = weights / weights.sum()
    return kernel


def removal_matrix(removes: Sequence[Iterable[int]]) -> Removals:
    """Return which mechanism is removed by which intervention as a matrix.

    Parameters
    ----------
    removes : sequence of iterable of int, length 6
        Per intervention, the mechanisms that it removes, 0 to 5.

    Returns
    -------
    ndarray of bool, shape (6, 6)
        Element (h, j) tells whether intervention j removes mechanism h.

    Raises
    ------
    ValueError
        If there are not six interventions or a mechanism is not one of 0 to 5.

    Examples
    --------
    >>> removal_matrix([[0], [1, 2], [2], [3], [4], [5]])[:, 1].tolist()
    [False, True, True, False, False, False]
    """
    if len(removes) != N_INTERVENTIONS:
        msg = f"removes must hold {N_INTERVENTIONS} interventions, got {len(removes)}"
        raise ValueError(msg)
    matrix = np.zeros((N_MECHANISMS, N_INTERVENTIONS), dtype=np.bool_)
    for j, removed in enumerate(removes):
        for h in removed:
            if h not in range(N_MECHANISMS):
                msg = f"removes must hold mechanisms 0 to {N_MECHANISMS - 1}, got {h!r}"
                raise ValueError(msg)
            matrix[h, j] = True
    return matrix


@functools.cache
def set_members() -> NDArray[np.intp]:
    """Return which interventions are in each of the 63 sets.

    Returns
    -------
    ndarray of int, shape (63, 6)
        Element (A - 1, j) is bit j of A. Cached and shared, therefore read-only.

    Examples
    --------
    >>> set_members()[0b000101 - 1].tolist()
    [1, 0, 1, 0, 0, 0]
    """
    sets = np.arange(1, N_SETS + 1, dtype=np.intp)
    members = sets[:, None] >> np.arange(N_INTERVENTIONS) & 1
    members.setflags(write=False)
    return members


def information_gain(prior: ArrayLike, mu: ArrayLike | None = None) -> Floats:
    """Return the expected information gain of all 693 designs.

    Parameters
    ----------
    prior : array_like, shape (6,)
        Probability of each mechanism; sums to 1 within 1e-9.
    mu : array_like, shape (6, 6), optional
        Element (h, j) is 1 if intervention j removes mechanism h, else 0 (`removal_matrix`).
        Default: intervention j removes mechanism j and no other.

    Returns
    -------
    ndarray of float, shape (63, 11)
        H(prior) - E[H(posterior)] in nats, at least 0. Row A - 1 is the set of interventions whose
        bit mask is A (bit j = intervention j); column n - 2 is n seeds per condition.

    Raises
    ------
    ValueError
        If ``prior`` is not a distribution over six mechanisms, or ``mu`` is not a 6 x 6 matrix of
        0 and 1.

    Notes
    -----
    With b the kernel at mu = 0 and r(y) = exp((2y - 1) / (2 sigma^2)) the likelihood ratio,

        IG(A, n) = D_n sum_h p_h sum_{j in A} mu_hj - E_{y iid b}[S log S],
        S(y) = sum_h p_h prod_{j in A, mu_hj = 1} r(y_j),    D_n = E_{y ~ kernel at 1}[log r(y)].

    All sets share one tensor per n: every axis is an intervention with six levels, "not run" and
    the five outcomes. No outcome is left out, however improbable.

    Examples
    --------
    >>> gains = information_gain([1 / 6] * 6)
    >>> gains[0b000001 - 1, 2 - 2].round(12), gains[0b111111 - 1, 12 - 2].round(12)
    (np.float64(0.014040581318), np.float64(1.283500779446))
    """
    checked = check_prior(prior)
    removals = _check_removals(mu)
    # Of each set: how many of its interventions remove the true mechanism, on average.
    mean_removals = set_members() @ (checked @ removals)
    gains = np.empty((N_SETS, len(SEEDS)))
    # Fresh memory costs more than the logarithm, so all n share it.
    tensor, logs = np.empty((2, *[1 + len(OUTCOMES)] * N_INTERVENTIONS))
    for column, n in enumerate(SEEDS):
        levels, weights, divergence = _levels(n)
        _fill_mixture(tensor, checked, removals, levels)
        tensor *= np.log(tensor, out=logs)
        gains[:, column] = divergence * mean_removals - _expectations(tensor, weights)[1:]
    # The exact value is never negative; rounding leaves some -1e-16 where nothing can be learnt.
    return np.maximum(gains, 0.0, out=gains)


def check_prior(prior: ArrayLike) -> Floats:
    """Return a prior over the mechanisms as an array of floats.

    Parameters
    ----------
    prior : array_like, shape (6,)
        Probabilities that sum to 1 within 1e-9.

    Returns
    -------
    ndarray of float, shape (6,)

    Raises
    ------
    ValueError
        If it is not a distribution over six mechanisms.

    Examples
    --------
    >>> check_prior([0, 0, 1, 0, 0, 0]).tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    """
    checked = np.asarray(prior, dtype=np.float64)
    if checked.shape != (N_MECHANISMS,):
        msg = f"prior must have shape ({N_MECHANISMS},), got {checked.shape}"
        raise ValueError(msg)
    total = math.fsum(checked.tolist())
    # Written as "not inside" so that NaN, which compares false, is caught too.
    if not ((checked >= 0).all() and abs(total - 1.0) <= PRIOR_TOLERANCE):
        msg = f"prior must hold probabilities that sum to 1, got {checked.tolist()}"
        raise ValueError(msg)
    return checked


def _check_removals(mu: ArrayLike | None) -> Removals:
    if mu is None:
        return np.eye(N_MECHANISMS, N_INTERVENTIONS, dtype=np.bool_)
    matrix = np.asarray(mu)
    if matrix.shape != (N_MECHANISMS, N_INTERVENTIONS) or not np.isin(matrix, (0, 1)).all():
        msg = f"mu must be a {N_MECHANISMS} x {N_INTERVENTIONS} matrix of 0 and 1"
        raise ValueError(msg)
    return matrix.astype(np.bool_)


@functools.cache
def _levels(n: int) -> tuple[Floats, Floats, float]:
    # Level 0 is "not run": ratio 1, certain. Levels 1 to 5 are the outcomes.
    log_ratio = (2.0 * OUTCOMES - 1.0) / (2.0 * noise_scale(n) ** 2)
    levels = np.concatenate(([1.0], np.exp(log_ratio)))
    weights = np.zeros((len(levels), 2))
    weights[0, 0] = 1.0
    weights[1:, 1] = outcome_kernel(n, 0.0)
    divergence = float(outcome_kernel(n, 1.0) @ log_ratio)
    for array in (levels, weights):
        array.setflags(write=False)
    return levels, weights, divergence


def _fill_mixture(tensor: Floats, prior: Floats, removals: Removals, levels: Floats) -> None:
    """Put S at every combination of levels into the tensor, shape (6, 6, 6, 6, 6, 6)."""
    # Intervention j lies on axis 5 - j, so that a C-order index over sets is their bit mask. Terms
    # are added from the last axis outwards: under the identity every partial sum stays small.
    axes = [
        levels.reshape([-1 if axis == N_INTERVENTIONS - 1 - j else 1 for axis in range(6)])
        for j in range(N_INTERVENTIONS)
    ]
    *terms, last = (
        functools.reduce(
            np.multiply, (axes[j] for j in np.flatnonzero(removed)), np.full((1,) * 6, weight)
        )
        for weight, removed in zip(prior, removals, strict=True)
    )
    np.add(functools.reduce(np.add, terms), last, out=tensor)


def _expectations(tensor: Floats, weights: Floats) -> Floats:
    """Return the expectation for all 64 sets, the empty one first."""
    for _ in range(N_INTERVENTIONS):
        # Contracts the first axis and appends the pair (not run, run) as the last one.
        tensor = tensor.reshape(len(weights), -1).T @ weights
    return tensor.ravel()
