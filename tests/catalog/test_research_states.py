import json

import pytest

from catalog.research_states import PUBLISHED_STATE_0, generate_states
from scoring.costs import Design, affordable
from tests.shared import SHARED, needs_shared


@needs_shared
def test_the_generator_gives_the_published_fixture_exactly():
    fixture = json.loads((SHARED / "data/reading_sets/g1_states.json").read_text())
    states = [
        {
            "budget": state.budget,
            "improved": list(state.improved),
            "deltas": list(state.deltas),
            "signatures": [[int(mark) for mark in row] for row in state.signatures],
            "weights": list(state.weights),
        }
        for state in generate_states()
    ]
    assert states == fixture


def test_the_thirty_states_have_the_budgets_of_the_specification():
    budgets = [state.budget for state in generate_states()]
    assert [budgets.count(budget) for budget in (4, 6, 8)] == [11, 10, 9]


def test_a_prior_weighs_the_improved_data_sets_that_a_mechanism_marks():
    state = generate_states()[0]  # the second of four data sets improved
    assert state.improved == (False, True, False, False)
    assert state.weights == (2, 2, 1, 2, 2, 1)
    assert state.prior == (0.2, 0.2, 0.1, 0.2, 0.2, 0.1)


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_every_state_of_any_seed_keeps_the_rules(seed):
    for state in generate_states(seed=seed, n_states=200):
        assert 0 < sum(state.improved) < len(state.improved) in {3, 4}
        assert all(any(signature) for signature in state.signatures)
        for better, delta in zip(state.improved, state.deltas, strict=True):
            assert 1.0 <= delta <= 4.0 if better else -0.5 <= delta <= 0.3
        assert sum(state.prior) == pytest.approx(1.0, abs=1e-15)


def test_another_seed_gives_other_states_and_the_same_seed_the_same():
    assert generate_states(seed=12) == generate_states(seed=12) != generate_states()


def test_more_states_continue_the_same_ones():
    assert generate_states(n_states=40)[:30] == generate_states()


def test_the_designs_of_the_published_state_cost_what_the_paper_says():
    designs = [Design(*PUBLISHED_STATE_0.design), Design(*PUBLISHED_STATE_0.design_with_prediction)]
    assert [design.cost for design in designs] == [5.0, 7.75]
    assert all(affordable(PUBLISHED_STATE_0.budget)[design.index] for design in designs)
