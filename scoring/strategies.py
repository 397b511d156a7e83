"""How a numerical player chooses the next cell, and how it fills the ones it did not measure.

A strategy sees cells (indices of masks, classes of masks for the methods that read code) in the
order of measurement, and their utilities: to choose, those of one surface, shape (k,); to
reconstruct, those of one or of several surfaces measured at the same cells, shape (t, k).

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.

Examples
--------
>>> import numpy as np
>>> cells, values = np.array([0, 3]), np.array([0.2, 0.6])
>>> RidgeDesign(2, 1).choose(cells, values, np.array([1, 2]))
1
>>> RidgeDesign(2, 1).reconstruct(cells, values).round(3)
array([0.2, 0.4, 0.4, 0.6])
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scoring import designs, gaussian_process, ridge
from scoring.masks import Floats, Indices


class Strategy(Protocol):
    """How a method chooses among cells and fills the rest of the surface."""

    def choose(self, cells: Indices, values: Floats, candidates: Indices) -> int:
        """Return the candidate to measure next.

        Parameters
        ----------
        cells : ndarray of int, shape (k,)
            Indices of the measured cells in the order of measurement, k >= 2.
        values : ndarray of float, shape (k,)
            Their utilities in [0, 1].
        candidates : ndarray of int, shape (c,)
            Indices of the cells to choose from, ascending, c >= 1.

        Returns
        -------
        int
            One of the candidates.
        """

    def reconstruct(self, cells: Indices, values: Floats) -> Floats:
        """Return the whole surface or surfaces, the measured cells kept exactly.

        Parameters
        ----------
        cells : ndarray of int, shape (k,)
            As for `choose`.
        values : ndarray of float, shape (k,) or (t, k)
            Utilities of the cells on one surface, or on each of t surfaces.

        Returns
        -------
        ndarray of float, shape (2^d,) or (t, 2^d)
            Utilities in [0, 1].

        Raises
        ------
        ValueError
            If there are fewer than two cells, or not as many values.
        """


@dataclass(frozen=True)
class RidgeDesign:
    """Buy where the ridge prediction varies most; fit the ridge of the same degree.

    Attributes
    ----------
    d : int
        Number of binary factors, 2 to 8.
    degree : int
        1 or 2 (`scoring.ridge.features`).
    """

    d: int
    degree: int

    def choose(self, cells: Indices, values: Floats, candidates: Indices) -> int:
        return designs.most_uncertain(self.d, self.degree, cells, candidates)

    def reconstruct(self, cells: Indices, values: Floats) -> Floats:
        return ridge.reconstruct(self.d, self.degree, cells, values)


@dataclass(frozen=True)
class RandomRidge:
    """Buy in a seeded random order; fit the ridge of degree 2.

    Attributes
    ----------
    d : int
        Number of binary factors, 2 to 8.
    order : tuple of int
        Indices of all cells but the anchors (`scoring.designs.random_order`).
    """

    d: int
    order: tuple[int, ...]

    def choose(self, cells: Indices, values: Floats, candidates: Indices) -> int:
        unmeasured = set(candidates.tolist())
        return next(index for index in self.order if index in unmeasured)

    def reconstruct(self, cells: Indices, values: Floats) -> Floats:
        return ridge.reconstruct(self.d, 2, cells, values)


@dataclass(frozen=True, eq=False)
class GaussianProcessDesign:
    """Buy what removes most posterior variance; predict the posterior mean.

    Attributes
    ----------
    prior : ndarray of float, shape (6, n, n)
        From `scoring.gaussian_process.kernels`.
    gain : callable
        `scoring.gaussian_process.grid_gain` or `scoring.gaussian_process.effect_gain`.
    """

    prior: Floats
    gain: gaussian_process.Gain

    def choose(self, cells: Indices, values: Floats, candidates: Indices) -> int:
        return gaussian_process.most_informative(self.prior, cells, values, candidates, self.gain)

    def reconstruct(self, cells: Indices, values: Floats) -> Floats:
        surfaces = [
            gaussian_process.reconstruct(self.prior, cells, of_one)
            for of_one in np.atleast_2d(values)
        ]
        return np.array(surfaces).reshape(*values.shape[:-1], -1)
