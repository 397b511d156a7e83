"""Masks, their indices, and the hypercube that they span.

A mask is a string of ``d`` characters ``0``/``1``; character ``i`` is factor ``i`` of the task's
factor order (A, B, C, ...). Its index is the mask read as a binary number, so factor A is the most
significant bit, and "smaller index" and "lexically smaller mask" are the same order.

The arrays returned here are cached and shared, therefore read-only.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import functools
import itertools

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

MIN_FACTORS = 2
MAX_FACTORS = 8


class IllegalMaskError(ValueError):
    """A mask is not a string of exactly d characters 0 or 1."""


def check_factors(d: int) -> None:
    """Raise unless ``d`` is a number of factors that the engine accepts.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> check_factors(9)
    Traceback (most recent call last):
    ...
    ValueError: d must be an integer from 2 to 8, got 9
    """
    is_integer = isinstance(d, int | np.integer) and not isinstance(d, bool)
    if not (is_integer and MIN_FACTORS <= d <= MAX_FACTORS):
        msg = f"d must be an integer from {MIN_FACTORS} to {MAX_FACTORS}, got {d!r}"
        raise ValueError(msg)


def is_legal(mask: object, d: int) -> bool:
    """Tell whether ``mask`` is one of the 2^d masks of a task with ``d`` factors.

    Parameters
    ----------
    mask : object
        Anything a caller received.
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    bool
        True for a string of exactly ``d`` characters ``0`` or ``1``.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> is_legal("0110", 4), is_legal("011", 4), is_legal("01x0", 4)
    (True, False, False)
    """
    check_factors(d)
    # The explicit alphabet also refuses the non-ASCII digits that int(mask, 2) would accept.
    return isinstance(mask, str) and len(mask) == d and set(mask) <= {"0", "1"}


def index_of(mask: str, d: int) -> int:
    """Return the index of a mask: the mask read as a binary number.

    Parameters
    ----------
    mask : str
        A legal mask.
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    int
        Between 0 and 2^d - 1.

    Raises
    ------
    IllegalMaskError
        If the mask is not legal for ``d`` factors.

    Examples
    --------
    >>> index_of("0110", 4)
    6
    """
    if not is_legal(mask, d):
        msg = f"mask {mask!r} is not a string of {d} characters 0 or 1"
        raise IllegalMaskError(msg)
    return int(mask, 2)


def mask_of(index: int, d: int) -> str:
    """Return the mask of an index.

    Parameters
    ----------
    index : int
        Between 0 and 2^d - 1.
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    str
        The mask, factor A first.

    Raises
    ------
    ValueError
        If the index is outside its range.

    Examples
    --------
    >>> mask_of(6, 4)
    '0110'
    """
    check_factors(d)
    if not 0 <= index < 2**d:
        msg = f"index must be from 0 to {2**d - 1}, got {index!r}"
        raise ValueError(msg)
    return format(index, f"0{d}b")


@functools.cache
def all_masks(d: int) -> tuple[str, ...]:
    """Return all 2^d masks, so that position equals index.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    tuple of str
        The masks in ascending order.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> all_masks(2)
    ('00', '01', '10', '11')
    """
    check_factors(d)
    return tuple(mask_of(index, d) for index in range(2**d))


def anchors(d: int) -> tuple[str, str]:
    """Return the two masks that every episode observes for free.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    tuple of str
        The all-zero and the all-one mask.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> anchors(4)
    ('0000', '1111')
    """
    check_factors(d)
    return "0" * d, "1" * d


@functools.cache
def bits(d: int) -> Indices:
    """Return the factor levels of all masks.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    ndarray of int, shape (2^d, d)
        Element (m, i) is the level (0 or 1) of factor i in the mask of index m.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> bits(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    check_factors(d)
    return _frozen(np.array(list(itertools.product((0, 1), repeat=d)), dtype=np.intp))


@functools.cache
def edges(d: int) -> tuple[Indices, Indices]:
    """Return the edges of the hypercube: the pairs of masks that differ in one factor.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    low, high : ndarray of int, shape (d, 2^(d-1))
        Element (i, b) is the index of the mask with factor i off (on) against background b.
        A background is the mask without factor i, read as a binary number.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> low, high = edges(2)
    >>> low.tolist(), high.tolist()
    ([[0, 1], [0, 2]], [[2, 3], [1, 3]])
    """
    levels = bits(d)
    index = np.arange(2**d, dtype=np.intp)
    # Among the masks with factor i off, ascending index is ascending background.
    low = np.stack([index[levels[:, i] == 0] for i in range(d)])
    high = np.stack([index[levels[:, i] == 1] for i in range(d)])
    return _frozen(low), _frozen(high)


@functools.cache
def faces(d: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Return the two-factor faces of the hypercube.

    Parameters
    ----------
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    both, first, second, neither : ndarray of int, shape (d(d-1)/2, 2^(d-2))
        Indices of the masks with both factors of a pair on, only the first, only the second, and
        none. Rows are the pairs (i, j), i < j, in lexicographic order; columns are backgrounds.

    Raises
    ------
    ValueError
        If ``d`` is not an integer from 2 to 8.

    Examples
    --------
    >>> [corner.tolist() for corner in faces(2)]
    [[[3]], [[2]], [[1]], [[0]]]
    """
    levels = bits(d)
    index = np.arange(2**d, dtype=np.intp)

    def corner(first: int, second: int) -> Indices:
        pairs = itertools.combinations(range(d), 2)
        return _frozen(
            np.stack([index[(levels[:, i] == first) & (levels[:, j] == second)] for i, j in pairs])
        )

    return corner(1, 1), corner(1, 0), corner(0, 1), corner(0, 0)


def _frozen(array: Indices) -> Indices:
    array.setflags(write=False)
    return array
