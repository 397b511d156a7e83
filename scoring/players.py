"""Numerical players: what plain statistics buys and delivers under the agents' rules.

A player never sees the truth. It is a pure function of what was observed so far: start it
(`scoring.controls.start`), then alternate `Player.next_purchase` with any ledger that answers, and
`Player.predict` at the end. The same observations in the same order give the same next mask, so a
run that was interrupted goes on where it stopped. Keep the order (anchors, then purchases): it
decides the last digits of a fit.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring import equivalences, masks, strategies
from scoring.masks import Floats, Indices


@dataclass(frozen=True, eq=False)
class Player:
    """A method at one task and budget; build it with `scoring.controls.start`.

    It holds no state of the run: the observations, in their order, are the state.

    Attributes
    ----------
    d : int
        Number of binary factors.
    budget : int
        Purchases allowed beyond the two anchors.
    representative : ndarray of int, shape (2^d,)
        The cell that stands for every mask: itself, unless the method reads code.
    strategy : Strategy
        Chooses among representatives and reconstructs the surface from them.
    """

    d: int
    budget: int
    representative: Indices
    strategy: strategies.Strategy

    def next_purchase(self, observed: Mapping[str, float]) -> str | None:
        """Return the next mask to measure, or None when the player is done.

        Parameters
        ----------
        observed : mapping of str to float
            Mask to utility in [0, 1] for everything measured so far, in the order of measurement:
            the all-zero and the all-one anchor, then the purchases.

        Returns
        -------
        str or None
            An unmeasured mask. None once the budget is spent, or nothing unknown is left.

        Raises
        ------
        ValueError
            If an anchor is missing, or an observation is not a utility.
        scoring.masks.IllegalMaskError
            If an observed mask is not legal.

        Examples
        --------
        >>> from scoring import controls
        >>> controls.start("design_degree1", 4, 8).next_purchase({"0000": 0.2, "1111": 0.6})
        '0011'
        """
        cells, values = self._known(observed)
        candidates = np.setdiff1d(self.representative, cells)
        n_purchases = len(observed) - len(masks.anchors(self.d))
        if n_purchases >= self.budget or not candidates.size:
            return None
        return masks.mask_of(self.strategy.choose(cells, values, candidates), self.d)

    def predict(self, observed: Mapping[str, float]) -> Floats:
        """Return the whole surface as the method sees it after these observations.

        Parameters
        ----------
        observed : mapping of str to float
            As for `next_purchase`; the masks need not be the player's own choice.

        Returns
        -------
        ndarray of float, shape (2^d,)
            Utilities in [0, 1]. Measured cells are kept exactly, and copied to the masks that are
            provably equal to them if the method reads code.

        Raises
        ------
        ValueError
            If an anchor is missing, or an observation is not a utility.
        scoring.masks.IllegalMaskError
            If an observed mask is not legal.

        Examples
        --------
        >>> from scoring import controls
        >>> controls.start("design_degree1", 2, 0).predict({"00": 0.2, "11": 0.6}).round(3)
        array([0.2, 0.4, 0.4, 0.6])
        """
        prediction: Floats = self.predict_all([observed])[0]
        return prediction

    def predict_all(self, observed: Sequence[Mapping[str, float]]) -> Floats:
        """Return several surfaces that were measured at the same masks in the same order.

        Parameters
        ----------
        observed : sequence of mapping of str to float
            One or more, each as for `predict`.

        Returns
        -------
        ndarray of float, shape (number of surfaces, 2^d)
            Bit for bit those of `predict`.

        Raises
        ------
        ValueError
            If the masks or their order differ, or as for `predict`.
        scoring.masks.IllegalMaskError
            If an observed mask is not legal.

        Examples
        --------
        >>> from scoring import controls
        >>> player = controls.start("design_degree1", 2, 0)
        >>> player.predict_all([{"00": 0.2, "11": 0.6}, {"00": 0.1, "11": 0.1}]).round(3)
        array([[0.2, 0.4, 0.4, 0.6],
               [0.1, 0.1, 0.1, 0.1]])
        """
        if len({tuple(of_one) for of_one in observed}) != 1:
            msg = "observed must hold the same masks in the same order for every surface"
            raise ValueError(msg)
        cells, _ = self._known(observed[0])
        values = np.array([self._known(of_one)[1] for of_one in observed])
        if np.isin(self.representative, cells).all():
            known = np.empty((len(observed), 2**self.d))
            known[:, cells] = values
        else:
            known = self.strategy.reconstruct(cells, values)
        predictions: Floats = known[:, self.representative]
        return predictions

    def inferred_masks(self, observed: Mapping[str, float]) -> tuple[str, ...]:
        """Return the masks known without a measurement, because an equal mask was measured.

        Parameters
        ----------
        observed : mapping of str to float
            As for `next_purchase`.

        Returns
        -------
        tuple of str
            In ascending order; never a measured mask, and empty unless the method reads code.

        Raises
        ------
        ValueError
            If an anchor is missing, or an observation is not a utility.
        scoring.masks.IllegalMaskError
            If an observed mask is not legal.

        Examples
        --------
        >>> from scoring import controls
        >>> player = controls.start("gp_code_effect_variance", 6, 8, family="retrieval")
        >>> player.inferred_masks({"000000": 0.2, "111111": 0.6})
        ('110111',)
        """
        cells, _ = self._known(observed)
        known = np.flatnonzero(np.isin(self.representative, cells)).tolist()
        known_masks = (masks.mask_of(index, self.d) for index in known)
        return tuple(mask for mask in known_masks if mask not in observed)

    def _known(self, observed: Mapping[str, float]) -> tuple[Indices, Floats]:
        missing = [anchor for anchor in masks.anchors(self.d) if anchor not in observed]
        if missing:
            msg = f"observed must hold both anchors, got none for {', '.join(missing)}"
            raise ValueError(msg)
        known = equivalences.known_classes(observed, self.representative, self.d)
        return np.array(list(known), dtype=np.intp), np.array(list(known.values()))
