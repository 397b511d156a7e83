import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from catalog.research_states import ResearchState, generate_states
from scoring import readings
from scoring.costs import Design, affordable, all_designs
from scoring.information import information_gain, removal_matrix
from scoring.readings import Action, reading_set, score

UNIFORM = [1 / 6] * 6
STATES = generate_states()


def mean_share(action_of: Callable[[ResearchState], Action], mode: str = "default") -> float:
    """Mean affordable efficiency share over the 30 states, percent."""
    shares = [
        100 * score(s.prior, s.budget, reading_set(action_of(s), mode=mode)).efficiency
        for s in STATES
    ]
    return math.fsum(shares) / len(shares)


def name_only(state: ResearchState) -> Action:
    return Action()


def top_target(state: ResearchState) -> Action:
    return Action(target=readings.top_prior(state.prior))


def test_a_target_is_read_with_the_lowest_other_intervention_at_two_and_eight_seeds():
    assert reading_set(Action(target=0)) == (Design((0, 1), 2), Design((0, 1), 8))
    assert reading_set(Action(target=4)) == (Design((0, 4), 2), Design((0, 4), 8))


def test_the_resolver_takes_the_two_interventions_that_it_believes_in_most():
    for target in range(6):
        belief = [0.75 * (0.8 if h == target else 0.04) + 0.25 / 6 for h in range(6)]
        assert math.fsum(belief) == pytest.approx(1.0)
        first, second = sorted(range(6), key=lambda h: (-belief[h], h))[:2]
        for design in reading_set(Action(target=target)):
            assert design.interventions == tuple(sorted((first, second)))


def test_a_name_alone_has_the_four_readings_of_the_specification():
    assert reading_set(Action()) == (
        Design((0,), 2),
        Design((0, 1), 2),
        Design((0, 1, 2, 3), 2),
        Design((0,), 4),
    )


def test_a_complete_design_passes_the_resolver_by():
    assert reading_set(Action(5, (1, 3), 8)) == (Design((1, 3), 8),)
    assert reading_set(Action(None, (1, 3), 8)) == (Design((1, 3), 8),)


def test_a_half_written_design_is_filled():
    interventions_only = Action(interventions=(2, 5))
    assert reading_set(interventions_only) == (Design((2, 5), 2), Design((2, 5), 8))
    assert reading_set(Action(target=3, n=7)) == (Design((0, 3), 7),)
    assert reading_set(Action(n=7)) == (Design((0, 1), 7),)


def test_conservative_and_permissive_are_the_cheaper_and_the_dearer_half():
    # Costs of the four: 2.3, 2.9, 4.1, 3.0.
    assert reading_set(Action(), mode="conservative") == (Design((0,), 2), Design((0, 1), 2))
    assert reading_set(Action(), mode="permissive") == (Design((0,), 4), Design((0, 1, 2, 3), 2))
    complete = Action(0, (0,), 2)
    for mode in readings.MODES:
        assert reading_set(complete, mode=mode) == (Design((0,), 2),)


@pytest.mark.parametrize(("action_of", "expected"), [(name_only, 13.19), (top_target, 25.67)])
def test_the_shares_of_the_specification(action_of, expected):
    assert round(mean_share(action_of), 2) == expected


@pytest.mark.parametrize(
    ("action_of", "expected"), [(name_only, (10.8, 13.2, 15.6)), (top_target, (14.7, 25.7, 36.6))]
)
def test_the_shares_by_executor_mode_of_the_specification(action_of, expected):
    modes = ("conservative", "default", "permissive")
    assert tuple(round(mean_share(action_of, mode), 1) for mode in modes) == expected


def test_an_unaffordable_reading_counts_nothing_and_stays_in_the_denominator():
    cheap, dear = Design((0,), 2), Design((0, 1, 2, 3, 4, 5), 12)  # 2.3 and 8.8
    gains = information_gain(UNIFORM)
    result = score(UNIFORM, 4, [cheap, dear])
    assert result.n_affordable == 1
    assert result.rate == pytest.approx(gains[cheap.index] / 2.3 / 2, rel=1e-15)
    ungated = (gains[cheap.index] / 2.3 + gains[dear.index] / 8.8) / 2
    assert result.ungated_rate == pytest.approx(ungated, rel=1e-15)
    assert result.mean_gain == pytest.approx((gains[cheap.index] + gains[dear.index]) / 2)


def test_the_best_design_has_efficiency_one_and_no_ambiguity():
    gains = information_gain(UNIFORM)
    best = max(
        (d for d in all_designs() if affordable(6)[d.index]), key=lambda d: gains[d.index] / d.cost
    )
    result = score(UNIFORM, 6, [best])
    assert (result.efficiency, result.ambiguity) == (1.0, 0.0)


def test_ambiguity_counts_the_readings():
    assert score(UNIFORM, 6, reading_set(Action())).ambiguity == 0.75
    assert score(UNIFORM, 6, reading_set(Action(target=1))).ambiguity == 0.5


def test_an_invalid_response_scores_zero_and_has_no_gaps():
    result = score(UNIFORM, 6, ())
    assert (result.rate, result.ungated_rate, result.efficiency, result.n_readings) == (0, 0, 0, 0)
    for value in (result.ambiguity, result.mean_gain, result.target_gap, result.resolution_gap):
        assert math.isnan(value)
    assert math.isnan(result.total_gap)


def test_the_gaps_split_what_is_lost_between_target_and_resolution():
    state = STATES[0]
    gains, within = information_gain(state.prior), affordable(state.budget)
    with_five = [d for d in all_designs() if 5 in d.interventions and within[d.index]]
    result = score(state.prior, state.budget, reading_set(Action(target=5)), target=5)
    assert result.best_gain == gains[within].max()
    assert result.best_target_gain == max(gains[d.index] for d in with_five)
    assert result.target_gap == result.best_gain - result.best_target_gain >= 0
    assert result.resolution_gap == result.best_target_gain - result.mean_gain
    assert result.total_gap == pytest.approx(result.target_gap + result.resolution_gap, abs=1e-15)


def test_an_unstated_target_is_the_first_mechanism_of_the_highest_prior():
    prior = [0.1, 0.3, 0.1, 0.3, 0.1, 0.1]
    unstated, stated = score(prior, 4, ()), score(prior, 4, (), target=1)
    assert unstated.best_target_gain == stated.best_target_gain
    assert stated.best_target_gain > score(prior, 4, (), target=0).best_target_gain


def test_a_gap_is_not_gated_so_an_unaffordable_reading_can_make_it_negative():
    dear = score(UNIFORM, 4, [Design((0, 1, 2, 3, 4, 5), 12)])
    cheap = score(UNIFORM, 4, [Design((0,), 2)])
    rounding = replace(cheap, resolution_gap=-5e-11)
    assert readings.summarise_gaps([rounding]).n_negative == 0
    summary = readings.summarise_gaps([dear, cheap, score(UNIFORM, 4, ())])
    assert dear.resolution_gap < -1e-10
    assert (summary.n_responses, summary.n_parsed, summary.n_negative) == (3, 2, 1)
    assert summary.total_gap == pytest.approx((dear.total_gap + cheap.total_gap) / 2, abs=1e-15)


def test_no_parsed_response_has_no_mean_gap():
    summary = readings.summarise_gaps([score(UNIFORM, 4, ())])
    assert summary.n_parsed == 0
    assert math.isnan(summary.total_gap)


def test_a_certain_mechanism_leaves_no_efficiency_to_speak_of():
    certain = [1, 0, 0, 0, 0, 0]
    assert math.isnan(score(certain, 8, [Design((0,), 2)]).efficiency)
    assert score(certain, 8, [Design((0,), 2)]).rate <= 1e-12


def test_the_removal_matrix_reaches_the_score():
    mu = removal_matrix([[0, 4], [1], [2], [3], [4], [5]])
    design = Design((0,), 8)
    result = score(UNIFORM, 6, [design], mu)
    assert result.mean_gain == information_gain(UNIFORM, mu)[design.index]
    assert result.mean_gain > score(UNIFORM, 6, [design]).mean_gain


def test_remembered_tables_are_right_for_either_spelling_and_cannot_be_changed():
    tuple_table = readings.gain_table(tuple(UNIFORM), np.eye(6).tolist())
    assert (tuple_table == readings.gain_table(np.array(UNIFORM))).all()
    with pytest.raises(ValueError, match="read-only"):
        tuple_table[0, 0] = 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Action(target=6), "target must be an integer from 0 to 5, got 6"),
        (lambda: score(UNIFORM, 6, (), target=-1), "got -1"),
        (lambda: reading_set(Action(n=13)), "from 2 to 12, got 13"),
        (lambda: reading_set(Action(interventions=())), "ascending order"),
        (lambda: reading_set(Action(), mode="bold"), "mode must be one of default, "),
    ],
)
def test_impossible_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
