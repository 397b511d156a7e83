"""Say what an experiment costs, in whole units, and whether a budget affords it.

Costs are multiples of 1/20, which binary fractions cannot hold: 1 + 0.6 * 2 + 0.35 * 8 is not 5.
In units of 1/20 every cost, and every comparison with a budget, is exact.

References
----------
.. [1] Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
   arXiv 2611.00773v1, Eq. 3.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.information import MIN_SEEDS, N_INTERVENTIONS, SEEDS, check_seeds, set_members
from scoring.masks import Floats

UNITS = 20  # in a cost of 1
BASELINE_UNITS = 20
INTERVENTION_UNITS = 12
SEED_UNITS = 7
MIN_BUDGET = 3  # the cheapest design costs 2.3


@dataclass(frozen=True)
class Design:
    """One complete experiment.

    Attributes
    ----------
    interventions : tuple of int
        The set A in ascending order: at least one of 0 to 5.
    n : int
        Seeds per condition, 2 to 12; the unablated baseline always runs too.

    Raises
    ------
    ValueError
        If the interventions are not such a set, or ``n`` is not such an integer.

    Examples
    --------
    >>> design = Design((1, 3), 8)
    >>> design.cost, design.cost_units, design.index
    (5.0, 100, (9, 6))
    """

    interventions: tuple[int, ...]
    n: int

    def __post_init__(self) -> None:
        legal = [j for j in range(N_INTERVENTIONS) if j in self.interventions]
        if not legal or tuple(legal) != self.interventions:
            msg = f"interventions must be some of 0 to {N_INTERVENTIONS - 1} in ascending order, "
            msg += f"got {self.interventions!r}"
            raise ValueError(msg)
        check_seeds(self.n)

    @property
    def cost_units(self) -> int:
        """Cost in units of 1/20."""
        return BASELINE_UNITS + INTERVENTION_UNITS * len(self.interventions) + SEED_UNITS * self.n

    @property
    def cost(self) -> float:
        """Cost C = 1 + 0.6 |A| + 0.35 n, correctly rounded."""
        return self.cost_units / UNITS

    @property
    def index(self) -> tuple[int, int]:
        """Row and column in the tables of all designs (`scoring.information`)."""
        return sum(1 << j for j in self.interventions) - 1, self.n - MIN_SEEDS


def all_designs() -> tuple[Design, ...]:
    """Return the 693 designs in the order of the tables: by set, then by seeds.

    Returns
    -------
    tuple of Design

    Examples
    --------
    >>> len(all_designs()), all_designs()[0]
    (693, Design(interventions=(0,), n=2))
    """
    return tuple(
        Design(tuple(np.flatnonzero(members).tolist()), n)
        for members in set_members()
        for n in SEEDS
    )


@functools.cache
def cost_units() -> NDArray[np.intp]:
    """Return the cost of all designs in units of 1/20.

    Returns
    -------
    ndarray of int, shape (63, 11)
        20 + 12 |A| + 7 n; row A - 1, column n - 2. Cached and shared, therefore read-only.

    Examples
    --------
    >>> int(cost_units()[0b001010 - 1, 8 - 2])
    100
    """
    n_interventions = set_members().sum(axis=1)
    seeds = np.array(SEEDS)
    units: NDArray[np.intp] = (
        BASELINE_UNITS + INTERVENTION_UNITS * n_interventions[:, None] + SEED_UNITS * seeds
    )
    units.setflags(write=False)
    return units


def costs() -> Floats:
    """Return the cost of all designs.

    Returns
    -------
    ndarray of float, shape (63, 11)
        1 + 0.6 |A| + 0.35 n, correctly rounded; row A - 1, column n - 2.

    Examples
    --------
    >>> float(costs()[0b001010 - 1, 8 - 2])
    5.0
    """
    exact: Floats = cost_units() / UNITS
    return exact


def affordable(budget: int) -> NDArray[np.bool_]:
    """Tell which designs a budget affords.

    Parameters
    ----------
    budget : int
        In units of cost, at least 3, which affords something; the states have 4, 6 or 8.

    Returns
    -------
    ndarray of bool, shape (63, 11)
        Row A - 1, column n - 2; a design that costs exactly the budget is affordable.

    Raises
    ------
    ValueError
        If the budget is not an integer of at least 3.

    Examples
    --------
    >>> [int(affordable(budget).sum()) for budget in (4, 6, 8)]
    [130, 478, 684]
    """
    is_integer = isinstance(budget, int | np.integer) and not isinstance(budget, bool)
    if not (is_integer and budget >= MIN_BUDGET):
        msg = f"budget must be an integer of at least {MIN_BUDGET}, got {budget!r}"
        raise ValueError(msg)
    within: NDArray[np.bool_] = cost_units() <= UNITS * budget
    return within


def contains(j: int) -> NDArray[np.bool_]:
    """Tell which designs run an intervention.

    Parameters
    ----------
    j : int
        The intervention, 0 to 5.

    Returns
    -------
    ndarray of bool, shape (63, 1)
        Row A - 1; broadcasts over the seeds.

    Raises
    ------
    ValueError
        If ``j`` is not one of 0 to 5.

    Examples
    --------
    >>> int(contains(2).sum())
    32
    """
    if j not in range(N_INTERVENTIONS):
        msg = f"j must be an integer from 0 to {N_INTERVENTIONS - 1}, got {j!r}"
        raise ValueError(msg)
    runs: NDArray[np.bool_] = set_members()[:, [j]] == 1
    return runs
