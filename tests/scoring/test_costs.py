from fractions import Fraction

import pytest

from scoring import costs
from scoring.costs import Design


def test_the_affordable_counts_of_the_specification():
    assert [int(costs.affordable(budget).sum()) for budget in (4, 6, 8)] == [130, 478, 684]


def test_every_cost_is_the_exact_one_rounded_once():
    for design in costs.all_designs():
        exact = 1 + Fraction(6, 10) * len(design.interventions) + Fraction(35, 100) * design.n
        assert design.cost == float(exact) == costs.costs()[design.index]
        assert design.cost_units == 20 * exact == costs.cost_units()[design.index]


def test_a_design_that_costs_exactly_the_budget_is_affordable():
    design = Design((0, 1, 2, 3, 4, 5), 4)  # 20 + 72 + 28 units
    assert design.cost_units == 20 * 6
    assert costs.affordable(6)[design.index]
    assert not costs.affordable(5)[design.index]


def test_the_designs_are_in_the_order_of_the_tables():
    designs = costs.all_designs()
    assert len(set(designs)) == 693
    assert [row * 11 + column for row, column in (d.index for d in designs)] == list(range(693))


@pytest.mark.parametrize(
    ("interventions", "n", "message"),
    [
        ((), 5, "ascending order"),
        ((1, 0), 5, "ascending order"),
        ((1, 1), 5, "ascending order"),
        ((6,), 5, "ascending order"),
        ((0,), 1, "from 2 to 12, got 1"),
        ((0,), 13, "from 2 to 12, got 13"),
        ((0,), 8.0, "from 2 to 12, got 8.0"),
        ((0,), True, "from 2 to 12, got True"),
    ],
)
def test_impossible_designs_are_refused(interventions, n, message):
    with pytest.raises(ValueError, match=message):
        Design(interventions, n)


@pytest.mark.parametrize("intervention", [-1, 6])
def test_an_intervention_that_does_not_exist_is_refused(intervention):
    with pytest.raises(ValueError, match=f"from 0 to 5, got {intervention}"):
        costs.contains(intervention)


@pytest.mark.parametrize("budget", [2, 6.0, True])
def test_impossible_budgets_are_refused(budget):
    with pytest.raises(ValueError, match="integer of at least 3"):
        costs.affordable(budget)
