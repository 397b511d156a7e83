"""Turn choices between four actions into ranks, exactly.

A cell is what one participant chose in one scenario: six pairs of four actions. Rank 1 is the
action chosen most often. Ranks are kept doubled: then every mid-rank, and every sum of them, is an
integer, and equal ranks are equal whatever the order of a sum.

References
----------
.. [1] M. G. Kendall and B. Babington Smith, "On the Method of Paired Comparisons", Biometrika
   31(3/4), 1940.
"""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.masks import Floats

N_ACTIONS = 4
PAIRS = tuple(itertools.combinations(range(N_ACTIONS), 2))
N_CODES = 2 ** len(PAIRS)
RANKING_DIGITS = 10  # significant; a unit of the last one is at most 1e-9 of the value

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The complete cells of a study; one with fewer than six valid choices is left out before.

    Attributes
    ----------
    participants, scenarios : ndarray of int, shape (m,)
        Who, and in which scenario; numbered from 0.
    doubled_ranks : ndarray of int, shape (m, 4)
        Twice the participant's mid-rank of each action.
    n_scenarios : int
        Scenarios of the study, those without a cell included.

    Raises
    ------
    ValueError
        If the lengths differ or a scenario is out of range.
    """

    participants: Integers
    scenarios: Integers
    doubled_ranks: Integers
    n_scenarios: int

    def __post_init__(self) -> None:
        m = len(self.scenarios)
        if len(self.participants) != m or self.doubled_ranks.shape != (m, N_ACTIONS):
            msg = "participants, scenarios and doubled_ranks must hold one entry per cell, got "
            msg += f"{len(self.participants)}, {m} and {self.doubled_ranks.shape}"
            raise ValueError(msg)
        if m and (self.scenarios.min() < 0 or self.scenarios.max() >= self.n_scenarios):
            msg = f"scenarios must be from 0 to {self.n_scenarios - 1}"
            raise ValueError(msg)


def code_of(first_chosen: Sequence[bool]) -> int:
    """Return the code of a cell's six forced choices.

    Parameters
    ----------
    first_chosen : sequence of bool, length 6
        Whether the lower-numbered action was chosen, in the order of `PAIRS`:
        (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3).

    Returns
    -------
    int
        0 to 63; bit k is pair k.

    Raises
    ------
    ValueError
        If there are not six choices.

    Examples
    --------
    >>> code_of([True, True, True, False, False, False])
    7
    """
    if len(first_chosen) != len(PAIRS):
        msg = f"first_chosen must hold {len(PAIRS)} choices, got {len(first_chosen)}"
        raise ValueError(msg)
    return sum(bool(chosen) << pair for pair, chosen in enumerate(first_chosen))


def doubled_wins(outcomes: ArrayLike) -> Integers:
    """Return twice the number of pairs that each action won.

    Parameters
    ----------
    outcomes : array_like, shape (..., 6)
        Per pair of `PAIRS`: 1 if the lower-numbered action was chosen, 0 if the other was, 0.5 if
        they were judged equal, which is half a win for both.

    Returns
    -------
    ndarray of int, shape (..., 4)
        0 to 6.

    Raises
    ------
    ValueError
        If the last axis is not six long or an outcome is something else.

    Examples
    --------
    >>> doubled_wins([1, 1, 0.5, 0, 1, 1])
    array([5, 2, 4, 1])
    """
    checked = np.asarray(outcomes, dtype=np.float64)
    if checked.shape[-1:] != (len(PAIRS),) or not np.isin(checked, (0.0, 0.5, 1.0)).all():
        msg = f"outcomes must hold {len(PAIRS)} values 0, 0.5 or 1"
        raise ValueError(msg)
    doubled = (2.0 * checked).astype(np.int64)
    wins = np.zeros((*checked.shape[:-1], N_ACTIONS), dtype=np.int64)
    for pair, (first, second) in enumerate(PAIRS):
        wins[..., first] += doubled[..., pair]
        wins[..., second] += 2 - doubled[..., pair]
    return wins


def doubled_mid_ranks(values: ArrayLike) -> Integers:
    """Return twice the mid-ranks of values, 1 for the largest.

    Parameters
    ----------
    values : array_like, shape (..., k)
        Ranked along the last axis; without nan, which has no place.

    Returns
    -------
    ndarray of int, shape (..., k)
        From 2 to 2k; equal values share the mean of their places.

    Examples
    --------
    >>> doubled_mid_ranks([3, 1, 1, 1]).tolist(), doubled_mid_ranks([2, 2, 1, 1]).tolist()
    ([2, 6, 6, 6], [3, 3, 7, 7])
    """
    checked = np.asarray(values)
    mine, other = checked[..., :, None], checked[..., None, :]
    # Twice the mean of the places g + 1 to g + e is 2 g + e + 1.
    ranks: Integers = 2 * (other > mine).sum(axis=-1) + (other == mine).sum(axis=-1) + 1
    return ranks


@functools.cache
def code_outcomes() -> Integers:
    """Return the six outcomes of all codes.

    Returns
    -------
    ndarray of int, shape (64, 6)
        Element (code, k) is bit k: 1 if the lower-numbered action of pair k was chosen, else 0.
        Cached and shared, therefore read-only.

    Examples
    --------
    >>> code_outcomes()[0b000111].tolist()
    [1, 1, 1, 0, 0, 0]
    """
    codes = np.arange(N_CODES, dtype=np.int64)
    outcomes: Integers = codes[:, None] >> np.arange(len(PAIRS)) & 1
    outcomes.setflags(write=False)
    return outcomes


@functools.cache
def code_ranks() -> Integers:
    """Return twice the mid-ranks of all codes.

    Returns
    -------
    ndarray of int, shape (64, 4)
        Row = code. Cached and shared, therefore read-only.

    Examples
    --------
    >>> code_ranks()[0b111111].tolist()
    [2, 4, 6, 8]
    """
    ranks = doubled_mid_ranks(doubled_wins(code_outcomes()))
    ranks.setflags(write=False)
    return ranks


@functools.cache
def code_triads() -> Integers:
    """Return the number of circular triads of all codes.

    Returns
    -------
    ndarray of int, shape (64,)
        4 - sum of w (w - 1) / 2 over the wins w, from 0 to 2. Cached and shared, therefore
        read-only.

    Examples
    --------
    >>> int(code_triads()[0b111111]), int(code_triads().max())
    (0, 2)
    """
    wins = doubled_wins(code_outcomes()) // 2
    triads: Integers = 4 - (wins * (wins - 1) // 2).sum(axis=-1)
    triads.setflags(write=False)
    return triads


def doubled_rank_sums(cells: Cells) -> tuple[Integers, Integers]:
    """Return the exact sums of ranks by scenario.

    Parameters
    ----------
    cells : Cells

    Returns
    -------
    sums : ndarray of int, shape (n_scenarios, 4)
        Sum of the doubled mid-ranks of each action.
    counts : ndarray of int, shape (n_scenarios,)
        Cells of each scenario.

    Examples
    --------
    >>> zero = np.zeros(2, dtype=np.int64)
    >>> sums, counts = doubled_rank_sums(Cells(zero, zero, code_ranks()[[63, 62]], 1))
    >>> sums.tolist(), counts.tolist()
    ([[6, 6, 12, 16]], [2])
    """
    counts = np.bincount(cells.scenarios, minlength=cells.n_scenarios).astype(np.int64)
    return sums_by_group(cells.doubled_ranks, cells.scenarios, n_groups=cells.n_scenarios), counts


def sums_by_group(doubled_ranks: Integers, groups: Integers, *, n_groups: int) -> Integers:
    """Return the sums of ranks of every group of rows.

    Parameters
    ----------
    doubled_ranks : ndarray of int, shape (m, k)
    groups : ndarray of int, shape (m,)
        From 0 to n_groups - 1.
    n_groups : int

    Returns
    -------
    ndarray of int, shape (n_groups, k)

    Examples
    --------
    >>> rows = np.array([[2, 8], [4, 6], [8, 2]])
    >>> sums_by_group(rows, np.array([1, 1, 0]), n_groups=2).tolist()
    [[8, 2], [6, 14]]
    """
    # A double holds every whole number up to 2^53, so these sums are exact too.
    return np.stack(
        [np.bincount(groups, weights=column, minlength=n_groups) for column in doubled_ranks.T],
        axis=-1,
    ).astype(np.int64)


def scenario_ranks(cells: Cells) -> Floats:
    """Return the mean rank of each action over the participants of its scenario.

    Parameters
    ----------
    cells : Cells

    Returns
    -------
    ndarray of float, shape (n_scenarios, 4)
        From 1 to 4, lower is better; nan in a scenario without cells.

    Examples
    --------
    >>> zero = np.zeros(1, dtype=np.int64)
    >>> scenario_ranks(Cells(zero, zero, code_ranks()[[63]], 2)).tolist()
    [[1.0, 2.0, 3.0, 4.0], [nan, nan, nan, nan]]
    """
    return mean_ranks(*doubled_rank_sums(cells))


def mean_ranks(sums: Integers, counts: Integers) -> Floats:
    """Return mean ranks from the sums of `doubled_rank_sums`.

    Parameters
    ----------
    sums : ndarray of int, shape (n, 4)
    counts : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of float, shape (n, 4)
        nan where the count is 0.

    Examples
    --------
    >>> mean_ranks(np.array([[5, 7, 12, 16]]), np.array([2])).tolist()
    [[1.25, 1.75, 3.0, 4.0]]
    """
    # Dividing by nan, not by 0, keeps NumPy quiet.
    return sums / np.where(counts > 0, 2.0 * counts, np.nan)[:, None]


def round_for_ranking(values: ArrayLike) -> Floats:
    """Return values rounded so that equal designs tie.

    Two designs that are equal by symmetry differ by rounding noise, and ranks would order it.

    Parameters
    ----------
    values : array_like of float
        Any shape.

    Returns
    -------
    ndarray of float
        Rounded to ten significant digits, that is to at most 1e-9 of the value. Values that are
        not finite stay.

    Examples
    --------
    >>> round_for_ranking([0.1 + 0.2, 0.3, 1 / 3]).tolist()
    [0.3, 0.3, 0.3333333333]
    """
    checked = np.asarray(values, dtype=np.float64)
    rounded = [float(f"{value:.{RANKING_DIGITS - 1}e}") for value in checked.ravel().tolist()]
    return np.array(rounded, dtype=np.float64).reshape(checked.shape)
