"""Shared estimators: a whole surface from what an episode has observed so far."""

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from scoring import gaussian_process, masks, ridge
from scoring.masks import Floats


class Estimator(StrEnum):
    """How the unmeasured masks are filled."""

    MEAN = "mean"
    MAIN_EFFECTS = "ridge1"
    PAIRS = "ridge2"
    GAUSSIAN_PROCESS = "gp"

    @property
    def words(self) -> str:
        """Name it for people."""
        return _WORDS[self]


_WORDS = {
    Estimator.MEAN: "mean of the measured",
    Estimator.MAIN_EFFECTS: "ridge fit of main effects",
    Estimator.PAIRS: "ridge fit of main effects and pairs",
    Estimator.GAUSSIAN_PROCESS: "Gaussian process",
}


def estimate(observed: Mapping[str, float], n_factors: int, estimator: Estimator) -> Floats:
    """Return utilities of all 2^d masks, shape (2^d,); the observed ones are kept exactly."""
    cells = np.array([masks.index_of(mask, n_factors) for mask in observed], dtype=np.intp)
    values = np.array(list(observed.values()))
    match estimator:
        case Estimator.MEAN:
            surface = np.full(2**n_factors, values.mean())
            surface[cells] = values
            return surface
        case Estimator.MAIN_EFFECTS:
            return ridge.reconstruct(n_factors, 1, cells, values)
        case Estimator.PAIRS:
            return ridge.reconstruct(n_factors, 2, cells, values)
        case Estimator.GAUSSIAN_PROCESS:
            prior = gaussian_process.kernels(masks.bits(n_factors))
            return gaussian_process.reconstruct(prior, cells, values)
