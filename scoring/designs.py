"""Which mask to measure next: D-optimal augmentation, and a random order.

References
----------
.. [1] V. V. Fedorov, Theory of Optimal Experiments, Academic Press, 1972.
.. [2] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import functools

import numpy as np

from scoring import fixed_rounding, masks, ridge
from scoring.masks import Indices

INTERCEPT_PENALTY = 1e-8
PENALTY = 0.01
SCORE_DECIMALS = 10
RANDOM_ORDER_SEED = 20260907


def most_uncertain(d: int, degree: int, cells: Indices, candidates: Indices) -> int:
    """Return the candidate whose ridge prediction has the largest variance.

    It depends on which masks were measured only, not on what was observed there.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.
    degree : int
        1 (main effects) or 2 (main effects and pair interactions).
    cells : ndarray of int, shape (k,)
        Indices of the measured masks.
    candidates : ndarray of int, shape (c,)
        Indices of the masks to choose from, ascending, c >= 1.

    Returns
    -------
    int
        The candidate that maximises x'Sx, S = (X'X + penalty)^-1, where X are the features of the
        measured masks with the intercept. Scores are rounded to 10 decimals; a tie takes the
        smaller index.

    Raises
    ------
    ValueError
        If ``d`` or ``degree`` is out of range.

    Examples
    --------
    >>> anchors, rest = np.array([0, 15]), np.arange(1, 15)
    >>> masks.mask_of(most_uncertain(4, 1, anchors, rest), 4)
    '0011'
    """
    return _most_uncertain(d, degree, tuple(sorted(cells.tolist())), tuple(candidates.tolist()))


def random_order(d: int, seed: int) -> tuple[int, ...]:
    """Return all masks but the anchors in a random order.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.
    seed : int
        At least 0; the recorded controls use 0 to 19.

    Returns
    -------
    tuple of int
        A permutation of the indices 1 to 2^d - 2.

    Raises
    ------
    ValueError
        If ``d`` is out of range or ``seed`` is negative.

    Examples
    --------
    >>> [masks.mask_of(index, 4) for index in random_order(4, 0)[:3]]
    ['1100', '0111', '1011']
    """
    masks.check_factors(d)
    if seed < 0:
        msg = f"seed must be at least 0, got {seed!r}"
        raise ValueError(msg)
    rng = np.random.default_rng(RANDOM_ORDER_SEED + seed)
    return tuple(rng.permutation(np.arange(1, 2**d - 1)).tolist())


@functools.lru_cache(maxsize=4096)  # every task of a board asks for the same purchases
def _most_uncertain(
    d: int, degree: int, cells: tuple[int, ...], candidates: tuple[int, ...]
) -> int:
    x = np.hstack([np.ones((2**d, 1)), ridge.features(d, degree)])
    measured, choices = x[list(cells)], x[list(candidates)]
    penalty = np.full(x.shape[1], PENALTY)
    penalty[0] = INTERCEPT_PENALTY
    # Symmetric candidates tie exactly and rounding decides between them: hence its fixed order.
    inverse = fixed_rounding.solve(measured.T @ measured + np.diag(penalty), np.eye(x.shape[1]))
    scores = (fixed_rounding.product(choices, inverse) * choices).sum(axis=1)
    return candidates[int(np.argmax(np.round(scores, SCORE_DECIMALS)))]
