import math

import pytest

from catalog.research_states import generate_states
from scoring import policies
from scoring.costs import Design
from scoring.policies import best_design, policy_readings
from scoring.readings import score, top_prior

UNIFORM = [1 / 6] * 6


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("uniform_affordable", 45.14),
        ("top_prior_arm_two_seeds", 10.83),
        ("six_arms_five_seeds", 15.01),
        ("oracle_top_prior_target", 100.0),
        ("oracle", 100.0),
    ],
)
def test_the_shares_of_the_specification(policy, expected):
    shares = [
        100 * score(s.prior, s.budget, policy_readings(policy, s.prior, s.budget)).efficiency
        for s in generate_states()
    ]
    assert round(math.fsum(shares) / len(shares), 2) == expected


def test_of_equal_designs_the_cheapest_and_then_the_smallest_set_is_best():
    # Under the uniform prior all sets of one size are equal, up to the rounding of their sums.
    for budget in (4, 6, 8):
        best = best_design(UNIFORM, budget)
        assert best.interventions == tuple(range(len(best.interventions)))


def test_the_best_design_with_a_target_holds_it_and_is_no_better():
    prior = [0.4, 0.3, 0.1, 0.1, 0.05, 0.05]
    best = best_design(prior, 4, target=5)
    assert 5 in best.interventions
    assert score(prior, 4, [best]).efficiency < 1.0
    assert top_prior(prior) in best_design(prior, 4).interventions


def test_six_interventions_with_five_seeds_cost_more_than_the_budgets_four_and_six():
    (design,) = policy_readings("six_arms_five_seeds", UNIFORM, 4)
    assert design == Design((0, 1, 2, 3, 4, 5), 5)
    assert design.cost == 6.35
    assert score(UNIFORM, 6, [design]).efficiency == 0.0


def test_all_policies_are_listed_and_no_other_is_accepted():
    for policy in policies.POLICIES:
        assert policy_readings(policy, UNIFORM, 6)
    with pytest.raises(policies.UnknownPolicyError, match="policy must be one of oracle, "):
        policy_readings("best", UNIFORM, 6)
