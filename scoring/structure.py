"""What a whole response surface is like: scale, sign reversals, order of its interactions.

The Walsh-Hadamard transform writes a surface as a sum over sets of factors,

    u(m) = sum over S of c_S * product over i in S of s_i(m),    s_i = +1 on, -1 off.

Its terms are orthogonal over the masks, so that the variance of u is the sum of c_S^2 over the
non-empty S, and each order |S| has its share: 1 for main effects, 2 for pairs, and so on.

References
----------
.. [1] G. E. P. Box and J. S. Hunter, "The 2^(k-p) Fractional Factorial Designs", Technometrics
   3(3), 1961.
.. [2] E. D. Weinberger, "Fourier and Taylor series on fitness landscapes", Biological Cybernetics
   65, 1991.
.. [3] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring import masks
from scoring.masks import Floats
from scoring.surfaces import (
    ZERO,
    check_surface,
    conditional_effects,
    pair_interactions,
    sign_reversals,
)

# Shares of the utility range that effects of both signs must exceed. At the first one the floor
# is the 1e-12 below which no effect has a sign.
REVERSAL_FLOORS = (0.0, 0.01, 0.05, 0.1)
PAIR_ORDER = 2  # what the ridge surface of degree 2 can express


@dataclass(frozen=True)
class SurfaceStructure:
    """What one surface is like; nothing here is a score.

    Attributes
    ----------
    n_masks, n_effects, n_interactions : int
        Numbers of utilities, of conditional effects d 2^(d-1), and of pairs d(d-1)/2.
    utility_range : float
        Largest minus smallest utility, in [0, 1].
    mean_absolute_effect : float
        Mean absolute conditional effect, in [0, 1].
    reverses : tuple of tuple of bool
        Per floor of `REVERSAL_FLOORS`, per factor: whether its sign reverses.
    order_shares : tuple of float
        Share of the variance of order 1 to d; nan each on a surface without variance.
    """

    n_masks: int
    n_effects: int
    n_interactions: int
    utility_range: float
    mean_absolute_effect: float
    reverses: tuple[tuple[bool, ...], ...]
    order_shares: tuple[float, ...]

    @property
    def n_reversing(self) -> tuple[int, ...]:
        """Factors whose sign reverses, per floor of `REVERSAL_FLOORS`."""
        return tuple(sum(factors) for factors in self.reverses)

    @property
    def higher_order_share(self) -> float:
        """Share of the variance of order 3 and more, in [0, 1]; nan if there is no variance."""
        return math.fsum(self.order_shares[PAIR_ORDER:]) if self.has_variance else math.nan

    @property
    def has_variance(self) -> bool:
        """Whether the utilities differ by more than rounding."""
        return self.utility_range > ZERO


@dataclass(frozen=True)
class CatalogueStructure:
    """Counts over many surfaces, which tell nothing about any single one of them.

    Attributes
    ----------
    n_surfaces, n_masks, n_effects, n_interactions : int
        Sums over the surfaces.
    n_reversing : tuple of int
        Per floor of `REVERSAL_FLOORS`: surfaces in which the sign of some factor reverses.
    n_factors_reversing : tuple of int
        The same, counted by factor.
    n_factors : int
        Sum of the numbers of factors.
    median_higher_order_share : float
        Median over the surfaces of the share of variance of order 3 and more; surfaces without
        variance have none. nan if no surface has one.
    """

    n_surfaces: int
    n_masks: int
    n_effects: int
    n_interactions: int
    n_reversing: tuple[int, ...]
    n_factors_reversing: tuple[int, ...]
    n_factors: int
    median_higher_order_share: float


def walsh_hadamard(surface: ArrayLike) -> Floats:
    """Return the coefficient of every set of factors.

    Parameters
    ----------
    surface : array_like, shape (2^d,)
        Utilities in [0, 1], 2 <= d <= 8.

    Returns
    -------
    ndarray of float, shape (2^d,)
        Element S is c_S, in [-1, 1], where S is read as a mask: the factors of the set are on.
        Element 0 is the mean utility.

    Raises
    ------
    ValueError
        If ``surface`` is not a surface (see `scoring.surfaces.check_surface`).

    Examples
    --------
    >>> walsh_hadamard([0.0, 0.25, 0.5, 1.0]).tolist()  # mean, B, A, A with B
    [0.4375, 0.1875, 0.3125, 0.0625]
    """
    checked, d = check_surface("surface", surface)
    cube = checked.reshape((2,) * d)
    for factor in range(d):
        off, on = np.moveaxis(cube, factor, 0)
        cube = np.stack([(on + off) / 2, (on - off) / 2], axis=factor)
    coefficients: Floats = cube.reshape(-1)
    return coefficients


def order_shares(surface: ArrayLike) -> Floats:
    """Return the share of the variance that interactions of each order hold.

    Parameters
    ----------
    surface : array_like, shape (2^d,)
        Utilities in [0, 1], 2 <= d <= 8.

    Returns
    -------
    ndarray of float, shape (d,)
        Element k - 1 is the share of order k, in [0, 1]; the sum is 1. Every element is nan if the
        utilities differ by at most 1e-12.

    Raises
    ------
    ValueError
        If ``surface`` is not a surface (see `scoring.surfaces.check_surface`).

    Examples
    --------
    >>> order_shares([0.0, 0.0, 0.0, 1.0]).round(3)  # A, B and their product alike
    array([0.667, 0.333])
    >>> order_shares([0.5, 0.5, 0.5, 0.5])
    array([nan, nan])
    """
    checked, d = check_surface("surface", surface)
    if np.ptp(checked) <= ZERO:
        return np.full(d, math.nan)
    power = walsh_hadamard(checked) ** 2
    order = masks.bits(d).sum(axis=1)
    by_order = np.array([math.fsum(power[order == k].tolist()) for k in range(1, d + 1)])
    shares: Floats = by_order / math.fsum(by_order.tolist())
    return shares


def structure(surface: ArrayLike) -> SurfaceStructure:
    """Return what a whole surface is like.

    Parameters
    ----------
    surface : array_like, shape (2^d,)
        Utilities in [0, 1], 2 <= d <= 8.

    Returns
    -------
    SurfaceStructure

    Raises
    ------
    ValueError
        If ``surface`` is not a surface (see `scoring.surfaces.check_surface`).

    Examples
    --------
    >>> found = structure([0.0, 0.5, 0.25, 0.25])  # A: +0.25, -0.25; B: +0.5, 0
    >>> found.n_effects, found.mean_absolute_effect, found.reverses[0]
    (4, 0.25, (True, False))
    """
    checked, _ = check_surface("surface", surface)
    effects = conditional_effects(checked)
    return SurfaceStructure(
        n_masks=checked.size,
        n_effects=effects.size,
        n_interactions=pair_interactions(checked).size,
        utility_range=float(np.ptp(checked)),
        mean_absolute_effect=math.fsum(np.abs(effects).ravel().tolist()) / effects.size,
        reverses=tuple(tuple(sign_reversals(checked, floor).tolist()) for floor in REVERSAL_FLOORS),
        order_shares=tuple(order_shares(checked).tolist()),
    )


def catalogue_structure(structures: Iterable[SurfaceStructure]) -> CatalogueStructure:
    """Return the counts over many surfaces.

    Parameters
    ----------
    structures : iterable of SurfaceStructure
        One per surface; none is allowed.

    Returns
    -------
    CatalogueStructure

    Examples
    --------
    >>> both = [structure([0.0, 0.5, 0.25, 0.25]), structure([0.0, 0.25, 0.5, 1.0])]
    >>> counts = catalogue_structure(both)
    >>> counts.n_effects, counts.n_interactions, counts.n_reversing, counts.n_factors
    (8, 2, (1, 1, 1, 1), 4)
    """
    every = list(structures)
    by_floor = list(zip(*(one.n_reversing for one in every), strict=True))
    by_floor = by_floor or [()] * len(REVERSAL_FLOORS)
    shares = [one.higher_order_share for one in every if one.has_variance]
    return CatalogueStructure(
        n_surfaces=len(every),
        n_masks=sum(one.n_masks for one in every),
        n_effects=sum(one.n_effects for one in every),
        n_interactions=sum(one.n_interactions for one in every),
        n_reversing=tuple(sum(n > 0 for n in counts) for counts in by_floor),
        n_factors_reversing=tuple(sum(counts) for counts in by_floor),
        n_factors=sum(len(one.order_shares) for one in every),
        median_higher_order_share=float(np.median(shares)) if shares else math.nan,
    )
