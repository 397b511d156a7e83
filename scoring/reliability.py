"""Say how far people agree among each other, and so how far anything can agree with them.

References
----------
.. [1] M. G. Kendall and B. Babington Smith, "The Problem of m Rankings", Annals of Mathematical
   Statistics 10(3), 1939.
.. [2] K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", University of Pennsylvania,
   2011.
.. [3] H. Nili et al., "A Toolbox for Representational Similarity Analysis", PLoS Computational
   Biology 10(4), 2014.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.agreement import spearman
from scoring.masks import Floats
from scoring.ranks import N_ACTIONS, Cells, doubled_rank_sums, sums_by_group


@dataclass(frozen=True)
class NoiseCeiling:
    """What people reach when they predict each other.

    Attributes
    ----------
    correlation : float
        Mean Spearman correlation, in [-1, 1]; nan if none is defined.
    n_defined, n : int
        Comparisons that are defined, of all that were made.
    """

    correlation: float
    n_defined: int
    n: int


@dataclass(frozen=True)
class SplitHalf:
    """How far one half of the people agrees with the other.

    Attributes
    ----------
    correlation : float
        Mean Spearman correlation of the halves, in [-1, 1]; nan if none is defined.
    corrected : float
        2 r / (1 + r), Spearman and Brown's estimate for all people; nan unless r > -1.
    n_defined, n : int
        Comparisons (a scenario in one split) that are defined, of all that were made.
    splits, seed : int
        Number of random splits and the seed of their generator.
    """

    correlation: float
    corrected: float
    n_defined: int
    n: int
    splits: int
    seed: int


def kendall_w(doubled_ranks: ArrayLike) -> float:
    """Return Kendall's coefficient of concordance, corrected for ties.

    Parameters
    ----------
    doubled_ranks : array_like of int, shape (m, k)
        Twice the mid-ranks that each of m people gave to k actions.

    Returns
    -------
    float
        12 S / (m^2 (k^3 - k) - m T) in [0, 1], S the squared deviations of the rank sums and T the
        sum of t^3 - t over all groups of t tied ranks. nan for fewer than two people, or if all
        people tie all actions.

    Raises
    ------
    ValueError
        If ``doubled_ranks`` is no matrix of finite numbers.

    Examples
    --------
    >>> kendall_w([[2, 4, 6, 8], [2, 4, 6, 8], [2, 4, 6, 8]])
    1.0
    """
    ranks = _matrix("doubled_ranks", doubled_ranks)
    m, k = ranks.shape
    sums = ranks.sum(axis=0)
    squared_deviations = float(((sums - m * (k + 1)) ** 2).sum()) / 4.0  # of undoubled ranks
    # Each member of a tied group of t sees t equal ranks: t^3 - t = sum over members of t^2 - 1.
    group_sizes = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=-1)
    ties = int((group_sizes**2 - 1).sum())
    most = m**2 * (k**3 - k) - m * ties
    return 12.0 * squared_deviations / most if m > 1 and most else math.nan


def concordance(cells: Cells) -> Floats:
    """Return Kendall's W of every scenario.

    Parameters
    ----------
    cells : scoring.ranks.Cells

    Returns
    -------
    ndarray of float, shape (n_scenarios,)
        See `kendall_w`; nan where undefined.

    Examples
    --------
    >>> from scoring.ranks import code_ranks
    >>> two = np.array([0, 1])
    >>> concordance(Cells(two, np.zeros(2, dtype=np.int64), code_ranks()[[63, 63]], 2))
    array([ 1., nan])
    """
    return np.array(
        [
            kendall_w(cells.doubled_ranks[cells.scenarios == scenario])
            for scenario in range(cells.n_scenarios)
        ]
    )


def ordinal_alpha(counts: ArrayLike) -> float:
    """Return Krippendorff's alpha for ordinal values.

    Parameters
    ----------
    counts : array_like of int, shape (n_units, n_values)
        How many people gave each unit each value; values in ascending order. Units with fewer than
        two values are left out.

    Returns
    -------
    float
        1 - observed / expected disagreement, at most 1; 0 is chance. nan if all values are equal or
        no unit has two.

    Raises
    ------
    ValueError
        If ``counts`` is no matrix of finite numbers.

    Examples
    --------
    >>> ordinal_alpha([[2, 0], [0, 2], [2, 0]])
    1.0
    """
    table = _matrix("counts", counts)
    table = table[table.sum(axis=1) >= 2]
    totals = table.sum(axis=0)
    # The squared ordinal distance: the values between two, each end counting half.
    places = np.cumsum(totals) - totals / 2.0
    distances = (places[:, None] - places[None, :]) ** 2
    pairs = np.einsum("ui,uj,ij->u", table, table, distances)
    observed = float((pairs / (table.sum(axis=1) - 1.0)).sum())
    expected = float(totals @ distances @ totals)
    return 1.0 - (float(totals.sum()) - 1.0) * observed / expected if expected else math.nan


def rank_alpha(cells: Cells) -> float:
    """Return Krippendorff's ordinal alpha of the participants' ranks.

    Parameters
    ----------
    cells : scoring.ranks.Cells

    Returns
    -------
    float
        See `ordinal_alpha`; the units are the actions of all scenarios.

    Examples
    --------
    >>> from scoring.ranks import code_ranks
    >>> two = np.array([0, 1])
    >>> rank_alpha(Cells(two, np.zeros(2, dtype=np.int64), code_ranks()[[63, 63]], 1))
    1.0
    """
    counts = np.zeros((cells.n_scenarios, N_ACTIONS, 2 * N_ACTIONS + 1), dtype=np.int64)
    np.add.at(counts, (cells.scenarios[:, None], np.arange(N_ACTIONS), cells.doubled_ranks), 1)
    return ordinal_alpha(counts.reshape(cells.n_scenarios * N_ACTIONS, -1))


def leave_one_out_ceiling(cells: Cells) -> NoiseCeiling:
    """Return how well the others' mean ranks predict one participant's.

    Parameters
    ----------
    cells : scoring.ranks.Cells

    Returns
    -------
    NoiseCeiling
        One comparison per cell; undefined if nobody else ranked the scenario, or a side is
        constant.

    Examples
    --------
    >>> from scoring.ranks import code_ranks
    >>> two = np.array([0, 1])
    >>> leave_one_out_ceiling(Cells(two, np.zeros(2, dtype=np.int64), code_ranks()[[63, 63]], 1))
    NoiseCeiling(correlation=1.0, n_defined=2, n=2)
    """
    sums, _ = doubled_rank_sums(cells)
    # Nobody else: the sums are all 0, a constant side.
    return _ceiling(spearman(cells.doubled_ranks, sums[cells.scenarios] - cells.doubled_ranks))


def split_half_ceiling(cells: Cells, *, splits: int = 200, seed: int = 3) -> SplitHalf:
    """Return how well the mean ranks of one half of the people predict the other half's.

    Parameters
    ----------
    cells : scoring.ranks.Cells
    splits : int, default 200
        Number of random splits, at least 1; each halves the people of every scenario anew.
    seed : int, default 3
        Seed of the splits, at least 0.

    Returns
    -------
    SplitHalf
        Of an odd number of people, the first half is the smaller one.

    Raises
    ------
    ValueError
        If ``splits`` is below 1.

    Examples
    --------
    >>> from scoring.ranks import code_ranks
    >>> two = np.array([0, 1])
    >>> split_half_ceiling(
    ...     Cells(two, np.zeros(2, dtype=np.int64), code_ranks()[[63, 63]], 1), splits=5
    ... ).corrected
    1.0
    """
    if splits < 1:
        msg = f"splits must be at least 1, got {splits!r}"
        raise ValueError(msg)
    rng = np.random.default_rng(seed)
    ceiling = _ceiling(np.concatenate([_split(cells, rng) for _ in range(splits)]))
    r = ceiling.correlation
    return SplitHalf(
        correlation=r,
        corrected=2.0 * r / (1.0 + r) if r > -1.0 else math.nan,
        n_defined=ceiling.n_defined,
        n=ceiling.n,
        splits=splits,
        seed=seed,
    )


def _matrix(name: str, values: ArrayLike) -> Floats:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2:
        msg = f"{name} must be a matrix, got shape {matrix.shape}"
        raise ValueError(msg)
    if not np.isfinite(matrix).all():
        msg = f"{name} must hold finite numbers"
        raise ValueError(msg)
    return matrix


def _split(cells: Cells, rng: np.random.Generator) -> Floats:
    sums, counts = doubled_rank_sums(cells)
    order = np.lexsort((rng.random(len(cells.scenarios)), cells.scenarios))
    scenarios = cells.scenarios[order]
    first_place = np.cumsum(counts) - counts
    place = np.arange(len(order)) - first_place[scenarios]
    first = order[place < counts[scenarios] // 2]
    half = sums_by_group(
        cells.doubled_ranks[first], cells.scenarios[first], n_groups=cells.n_scenarios
    )
    return spearman(half, sums - half)


def _ceiling(correlations: Floats) -> NoiseCeiling:
    defined = correlations[np.isfinite(correlations)].tolist()
    return NoiseCeiling(
        correlation=math.fsum(defined) / len(defined) if defined else math.nan,
        n_defined=len(defined),
        n=len(correlations),
    )
