"""Numerical controls: what plain statistics reaches under the agents' rules.

`start` gives a player for any ledger (`scoring.players`). `run_control` plays one on a known
surface, `run_budgets` at many budgets, `run_surfaces` on many surfaces.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring import designs, equivalences, gaussian_process, masks, strategies, surfaces
from scoring.masks import Floats, Indices
from scoring.players import Player
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
# What these buy follows from what was measured before, never from what was observed there.
BLIND_METHODS = frozenset(method for method in METHODS if "gp" not in method)


class UnknownMethodError(ValueError):
    """A method is not one of `METHODS`."""


class BudgetOutOfRangeError(ValueError):
    """A budget is not an integer from 0 to 2^d - 2."""


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
    [runs] = run_surfaces(method, [truth], budgets, seed=seed, family=family)
    return runs


def run_surfaces(
    method: str,
    truths: Iterable[ArrayLike],
    budgets: Iterable[int],
    *,
    seed: int = 0,
    family: str | None = None,
) -> list[dict[int, ControlRun]]:
    """Return a method's runs on several surfaces with the same number of factors.

    A method that does not look at what it observed buys the same masks everywhere: one trajectory
    serves all surfaces, and the linear systems of its fits are factorised once.

    Parameters
    ----------
    method, budgets, seed, family
        As for `run_budgets`.
    truths : iterable of array_like, each of shape (2^d,)
        True utilities in [0, 1], 2 <= d <= 8, at least one surface.

    Returns
    -------
    list of dict of int to ControlRun
        In the order of the surfaces, bit for bit those of `run_budgets`.

    Raises
    ------
    UnknownMethodError, scoring.equivalences.UnknownFamilyError, BudgetOutOfRangeError
        As for `run_control`.
    ValueError
        If ``truths`` or ``budgets`` is empty, the numbers of factors differ, or as for
        `run_control`.

    Examples
    --------
    >>> truths = [[0.0, 0.25, 0.5, 1.0], [1.0, 0.5, 0.25, 0.0]]
    >>> [runs[1].purchased for runs in run_surfaces("design_degree1", truths, (1,))]
    [('01',), ('01',)]
    """
    checked = [surfaces.check_surface("truth", truth) for truth in truths]
    factors = {d for _, d in checked}
    if len(factors) != 1:
        msg = f"truths must hold surfaces of one number of factors, got {sorted(factors)}"
        raise ValueError(msg)
    [d] = factors
    players = {budget: start(method, d, budget, seed=seed, family=family) for budget in budgets}
    if not players:
        msg = "budgets must hold at least one budget"
        raise ValueError(msg)
    known = [surface for surface, _ in checked]
    if method in BLIND_METHODS:
        return _run_together(players, known)
    return [runs for surface in known for runs in _run_together(players, [surface])]


def _run_together(
    players: Mapping[int, Player], truths: Sequence[Floats]
) -> list[dict[int, ControlRun]]:
    # One trajectory: what is bought on the first surface is bought on all.
    d = truths[0].size.bit_length() - 1
    utilities = [dict(zip(masks.all_masks(d), truth.tolist(), strict=True)) for truth in truths]
    observed = [{anchor: of_one[anchor] for anchor in masks.anchors(d)} for of_one in utilities]
    purchased, inferred, predictions = {}, {}, {}
    for budget, player in sorted(players.items()):
        while (mask := player.next_purchase(observed[0])) is not None:
            for ledger, of_one in zip(observed, utilities, strict=True):
                ledger[mask] = of_one[mask]
        purchased[budget] = tuple(observed[0])[len(masks.anchors(d)) :]
        inferred[budget] = player.inferred_masks(observed[0])
        predictions[budget] = player.predict_all(observed)
    runs = []
    for number, truth in enumerate(truths):
        delivered = {budget: table[number] for budget, table in predictions.items()}
        scores = surfaces.grade_all(truth, list(delivered.values()))
        runs.append(
            {
                budget: ControlRun(purchased[budget], table, score, inferred[budget])
                for (budget, table), score in zip(delivered.items(), scores, strict=True)
            }
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
