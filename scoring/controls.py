"""Numerical players: what plain statistics reaches under the agents' rules.

A player never sees the truth. It is a pure function of what was observed so far: `start` it, then
alternate `Player.next_purchase` with any ledger that answers, and `Player.predict` at the end. The
same observations in the same order give the same next mask, so a run that was interrupted goes on
where it stopped. Keep the order (anchors, then purchases): it decides the last digits of a fit.
`run_control` is exactly this loop over a known surface, `run_budgets` the same at many budgets.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring import designs, equivalences, gaussian_process, masks, strategies, surfaces
from scoring.masks import Floats, Indices
from scoring.surfaces import SurfaceScore

METHODS = (
    "design_degree1",
    "design_degree2",
    "random_degree2",
    "gp_grid_variance",
    "gp_effect_variance",
    "code_canonical_design_degree1",
    "code_canonical_design_degree2",
    "gp_code_effect_variance",
)
# To these, masks that the workflow's code provably treats alike are one cell.
CODE_METHODS = frozenset(METHODS[-3:])


class UnknownMethodError(ValueError):
    """A method is not one of `METHODS`."""


class BudgetOutOfRangeError(ValueError):
    """A budget is not an integer from 0 to 2^d - 2."""


@dataclass(frozen=True, eq=False)
class Player:
    """A method at one task and budget; build it with `start`.

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
        >>> start("design_degree1", 4, 8).next_purchase({"0000": 0.2, "1111": 0.6})
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
        >>> start("design_degree1", 2, 0).predict({"00": 0.2, "11": 0.6}).round(3)
        array([0.2, 0.4, 0.4, 0.6])
        """
        cells, values = self._known(observed)
        return self.strategy.reconstruct(cells, values)[self.representative]

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
        >>> player = start("gp_code_effect_variance", 6, 8, family="retrieval")
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


@dataclass(frozen=True, eq=False)
class ControlRun:
    """One complete run of a method on a known surface.

    Attributes
    ----------
    purchased : tuple of str
        The masks bought, in order, anchors not included.
    prediction : ndarray of float, shape (2^d,)
        The delivered surface, utilities in [0, 1].
    score : SurfaceScore
        Its grade.
    inferred : tuple of str
        Masks known through code equivalence without being bought; none of them is in `purchased`.
    """

    purchased: tuple[str, ...]
    prediction: Floats
    score: SurfaceScore
    inferred: tuple[str, ...]


def start(method: str, d: int, budget: int, *, seed: int = 0, family: str | None = None) -> Player:
    """Return a player for one task and budget.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    d : int
        Number of binary factors, 2 to 8.
    budget : int
        Masks it may buy beyond the anchors, 0 to 2^d - 2.
    seed : int, default 0
        At least 0. Only ``random_degree2`` uses it; the recorded runs are 0 to 19.
    family : str, optional
        A key of `scoring.equivalences.GUARDS`; the methods that read code need it.

    Returns
    -------
    Player

    Raises
    ------
    UnknownMethodError
        If the method is not known.
    scoring.equivalences.UnknownFamilyError
        If the family is not known, or is missing for a method that reads code.
    BudgetOutOfRangeError
        If the budget is not an integer in its range.
    ValueError
        If ``d`` or ``seed`` is out of range.

    Examples
    --------
    >>> start("gp_effect_variance", 4, 8).next_purchase({"0000": 0.2, "1111": 0.6})
    '0011'
    """
    masks.check_factors(d)
    _check_budget(budget, d)
    representative = _representative(method, d, family)
    return Player(d, budget, representative, _strategy(method, d, representative, seed))


def run_control(
    method: str,
    truth: ArrayLike,
    budget: int,
    *,
    seed: int = 0,
    family: str | None = None,
) -> ControlRun:
    """Return what a method buys, delivers and scores on a known surface.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    truth : array_like, shape (2^d,)
        True utilities in [0, 1], 2 <= d <= 8; the player sees only the cells it buys.
    budget : int
        Masks it may buy beyond the anchors, 0 to 2^d - 2.
    seed : int, default 0
        At least 0. Only ``random_degree2`` uses it; the recorded runs are 0 to 19.
    family : str, optional
        A key of `scoring.equivalences.GUARDS`; the methods that read code need it.

    Returns
    -------
    ControlRun

    Raises
    ------
    UnknownMethodError
        If the method is not known.
    scoring.equivalences.UnknownFamilyError
        If the family is not known, or is missing for a method that reads code.
    BudgetOutOfRangeError
        If the budget is not an integer in its range.
    ValueError
        If ``truth`` is not a surface or ``seed`` is out of range.

    Examples
    --------
    >>> run = run_control("design_degree1", [0.0, 0.25, 0.5, 1.0], 1)
    >>> run.purchased, run.prediction[1], run.score.selected_mask
    (('01',), np.float64(0.25), '11')
    """
    return run_budgets(method, truth, (budget,), seed=seed, family=family)[budget]


def run_budgets(
    method: str,
    truth: ArrayLike,
    budgets: Iterable[int],
    *,
    seed: int = 0,
    family: str | None = None,
) -> dict[int, ControlRun]:
    """Return a method's run at each of several budgets, from one trajectory.

    A player looks at its observations and never ahead: what it buys with a smaller budget is the
    beginning of what it buys with the largest.

    Parameters
    ----------
    method, truth, seed, family
        As for `run_control`.
    budgets : iterable of int
        Each 0 to 2^d - 2, at least one.

    Returns
    -------
    dict of int to ControlRun
        By budget, ascending; each equals `run_control`'s.

    Raises
    ------
    UnknownMethodError, scoring.equivalences.UnknownFamilyError, BudgetOutOfRangeError
        As for `run_control`.
    ValueError
        If ``budgets`` is empty, or as for `run_control`.

    Examples
    --------
    >>> runs = run_budgets("design_degree1", [0.0, 0.25, 0.5, 1.0], (0, 2))
    >>> [run.purchased for run in runs.values()]
    [(), ('01', '10')]
    """
    surface, d = surfaces.check_surface("truth", truth)
    utilities = dict(zip(masks.all_masks(d), surface.tolist(), strict=True))
    observed = {anchor: utilities[anchor] for anchor in masks.anchors(d)}
    players = {budget: start(method, d, budget, seed=seed, family=family) for budget in budgets}
    if not players:
        msg = "budgets must hold at least one budget"
        raise ValueError(msg)
    runs = {}
    for budget, player in sorted(players.items()):
        while (mask := player.next_purchase(observed)) is not None:
            observed[mask] = utilities[mask]
        prediction = player.predict(observed)
        runs[budget] = ControlRun(
            purchased=tuple(observed)[len(masks.anchors(d)) :],
            prediction=prediction,
            score=surfaces.grade(surface, prediction),
            inferred=player.inferred_masks(observed),
        )
    return runs


def _check_budget(budget: int, d: int) -> None:
    largest = 2**d - len(masks.anchors(d))
    is_integer = isinstance(budget, int | np.integer) and not isinstance(budget, bool)
    if not (is_integer and 0 <= budget <= largest):
        msg = f"budget must be an integer from 0 to {largest} for d = {d}, got {budget!r}"
        raise BudgetOutOfRangeError(msg)


def _representative(method: str, d: int, family: str | None) -> Indices:
    own = np.arange(2**d, dtype=np.intp)
    if family is None and method not in CODE_METHODS:
        return own
    # representatives refuses a missing family, and a misspelt one even where it plays no part.
    shared = equivalences.representatives(family, d)
    return shared if method in CODE_METHODS else own


def _strategy(method: str, d: int, representative: Indices, seed: int) -> strategies.Strategy:
    def gaussian_process_design(gain: gaussian_process.Gain) -> strategies.Strategy:
        bits = masks.bits(d)[representative]
        return strategies.GaussianProcessDesign(gaussian_process.kernels(bits), gain)

    match method:
        case "design_degree1" | "code_canonical_design_degree1":
            return strategies.RidgeDesign(d, 1)
        case "design_degree2" | "code_canonical_design_degree2":
            return strategies.RidgeDesign(d, 2)
        case "random_degree2":
            return strategies.RandomRidge(d, designs.random_order(d, seed))
        case "gp_grid_variance":
            return gaussian_process_design(gaussian_process.grid_gain)
        case "gp_effect_variance" | "gp_code_effect_variance":
            return gaussian_process_design(gaussian_process.effect_gain)
        case _:
            msg = f"method must be one of {', '.join(METHODS)}; got {method!r}"
            raise UnknownMethodError(msg)
