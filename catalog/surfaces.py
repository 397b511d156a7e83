"""What a complete response surface says about its factors: effects, reversals, interactions."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring import masks
from scoring.structure import REVERSAL_FLOORS
from scoring.surfaces import ZERO, conditional_effects, pair_interactions, sign_reversals


@dataclass(frozen=True)
class FactorEffects:
    """The 2^(d-1) conditional effects of one factor, by background in mask order."""

    letter: str
    backgrounds: tuple[str, ...]
    effects: tuple[float, ...]
    reverses: tuple[bool, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.effects))

    @property
    def n_helps(self) -> int:
        return sum(effect > ZERO for effect in self.effects)

    @property
    def n_hurts(self) -> int:
        return sum(effect < -ZERO for effect in self.effects)


@dataclass(frozen=True)
class PairInteraction:
    """The mean over backgrounds of how much two factors change each other's effect."""

    first: str
    second: str
    mean: float


@dataclass(frozen=True)
class SurfaceSummary:
    """Best and worst mask (of equal ones the smallest), effects by factor, interactions by pair."""

    best: str
    worst: str
    utility_range: float
    factors: tuple[FactorEffects, ...]
    pairs: tuple[PairInteraction, ...]

    def share_of_range(self, difference: float) -> float:
        """Return a difference of utilities as a share of the range; of a flat surface all are 0."""
        return difference / self.utility_range if self.utility_range > ZERO else 0.0


def summarise(letters: Sequence[str], utilities: Mapping[str, float]) -> SurfaceSummary:
    """Return what the utilities of all masks say; `reverses` follows REVERSAL_FLOORS.

    Raises
    ------
    KeyError
        If a mask has no utility.
    """
    d = len(letters)
    all_masks = masks.all_masks(d)
    surface = np.array([utilities[mask] for mask in all_masks])
    reversals = np.stack([sign_reversals(surface, floor) for floor in REVERSAL_FLOORS], axis=1)
    return SurfaceSummary(
        best=all_masks[int(surface.argmax())],
        worst=all_masks[int(surface.argmin())],
        utility_range=float(np.ptp(surface)),
        factors=tuple(
            FactorEffects(letter, _backgrounds(position, d), tuple(effects), tuple(reverses))
            for position, (letter, effects, reverses) in enumerate(
                zip(letters, conditional_effects(surface).tolist(), reversals.tolist(), strict=True)
            )
        ),
        pairs=tuple(
            PairInteraction(first, second, mean)
            for (first, second), mean in zip(
                itertools.combinations(letters, 2),
                pair_interactions(surface).tolist(),
                strict=True,
            )
        ),
    )


def _backgrounds(position: int, d: int) -> tuple[str, ...]:
    """Return the masks with the factor off in mask order, a dash in the factor's place."""
    return tuple(
        f"{mask[:position]}-{mask[position + 1 :]}"
        for mask in masks.all_masks(d)
        if mask[position] == "0"
    )
