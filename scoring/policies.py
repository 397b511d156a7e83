"""Read a state without a model: the fixed policies that calibrate a board.

A policy is a reading set, so it is scored like any answer (`scoring.readings.score`).

References
----------
.. [1] Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
   arXiv 2611.00773v1.
"""

from numpy.typing import ArrayLike

from scoring import costs, ranks, readings
from scoring.costs import Design
from scoring.information import N_INTERVENTIONS

POLICIES = (
    "oracle",
    "oracle_top_prior_target",
    "uniform_affordable",
    "top_prior_arm_two_seeds",
    "six_arms_five_seeds",
)


class UnknownPolicyError(ValueError):
    """A policy is not one of `POLICIES`."""


def best_design(
    prior: ArrayLike, budget: int, mu: ArrayLike | None = None, *, target: int | None = None
) -> Design:
    """Return the affordable design of the most information per cost.

    Parameters
    ----------
    prior : array_like, shape (6,)
        Probability of each mechanism; sums to 1.
    budget : int
        In units of cost, at least 3.
    mu : array_like, shape (6, 6), optional
        Which intervention removes which mechanism (`scoring.information.information_gain`).
    target : int, optional
        Only designs with this intervention, 0 to 5. Default: all.

    Returns
    -------
    Design
        Of designs equal within 1e-9 relative, the cheapest; of those, the smaller bit mask.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> best_design([1 / 6] * 6, 4)
    Design(interventions=(0, 1), n=5)
    """
    readings.check_target(target)
    allowed = costs.affordable(budget)
    if target is not None:
        allowed = allowed & costs.contains(target)
    rates = ranks.round_for_ranking(readings.gain_table(prior, mu) / costs.costs())
    best = allowed & (rates == rates[allowed].max())
    tied = (design for design in costs.all_designs() if best[design.index])
    return min(tied, key=lambda design: (design.cost_units, design.index))


def policy_readings(
    policy: str, prior: ArrayLike, budget: int, mu: ArrayLike | None = None
) -> tuple[Design, ...]:
    """Return the reading set of a policy in one state.

    Parameters
    ----------
    policy : str
        One of `POLICIES`.
    prior : array_like, shape (6,)
        Probability of each mechanism; sums to 1.
    budget : int
        In units of cost, at least 3.
    mu : array_like, shape (6, 6), optional
        Which intervention removes which mechanism (`scoring.information.information_gain`).

    Returns
    -------
    tuple of Design
        All affordable designs for ``uniform_affordable``, else one. ``six_arms_five_seeds`` costs
        6.35, whatever the budget.

    Raises
    ------
    UnknownPolicyError
        If the policy is not known.
    ValueError
        If another argument is out of its range.

    Examples
    --------
    >>> policy_readings("top_prior_arm_two_seeds", [0.1, 0.2, 0.3, 0.2, 0.1, 0.1], 6)
    (Design(interventions=(2,), n=2),)
    """
    top = readings.top_prior(prior)
    match policy:
        case "oracle":
            return (best_design(prior, budget, mu),)
        case "oracle_top_prior_target":
            return (best_design(prior, budget, mu, target=top),)
        case "uniform_affordable":
            within = costs.affordable(budget)
            return tuple(design for design in costs.all_designs() if within[design.index])
        case "top_prior_arm_two_seeds":
            return (Design((top,), 2),)
        case "six_arms_five_seeds":
            return (Design(tuple(range(N_INTERVENTIONS)), 5),)
        case _:
            msg = f"policy must be one of {', '.join(POLICIES)}; got {policy!r}"
            raise UnknownPolicyError(msg)
