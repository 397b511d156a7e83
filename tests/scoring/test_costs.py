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
    on_the_edge = [d for d in costs.all_designs() if d.cost_units == 20 * 8]
    assert on_the_edge
    assert all(costs.affordable(8)[design.index] for design in on_the_edge)


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


@pytest.mark.parametrize("budget", [2, 6.0, True])
def test_impossible_budgets_are_refused(budget):
    with pytest.raises(ValueError, match="integer of at least 3"):
        costs.affordable(budget)
