import itertools
import math

import numpy as np
import pytest
from scipy.stats import bootstrap

from scoring import intervals


def test_trials_then_sources_then_families_weigh_the_same():
    macro = intervals.family_macro(
        [1.0, 0.0, 0.5, 0.2],  # source a twice: 0.5
        ["a", "a", "b", "c"],
        ["x", "x", "x", "y"],
    )
    assert macro.by_source == {"a": 0.5, "b": 0.5, "c": 0.2}
    assert macro.by_family == {"x": 0.5, "y": 0.2}
    assert macro.mean == 0.35  # the plain mean would be 0.425
    assert macro.n_trials == 4


def test_a_paired_variant_is_a_trial_of_its_source_and_no_second_source():
    macro = intervals.family_macro([1.0, 0.0, 0.0], ["wine", "wine", "glass"], ["clustering"] * 3)
    assert macro.mean == 0.25


def test_a_missing_delivery_stays_in_the_denominator():
    # Case C40: 8 episodes, 2 score 1, 4 score 0, 2 deliver nothing.
    values = [1.0] * 2 + [0.0] * 4 + [0.0] * 2
    assert intervals.family_macro(values, list("abcdefgh"), ["x"] * 8).mean == 0.25


def test_nothing_has_no_mean():
    assert math.isnan(intervals.family_macro([], [], []).mean)


def test_an_undefined_value_makes_the_means_above_it_undefined_and_no_other():
    macro = intervals.family_macro([math.nan, 0.4], ["a", "b"], ["x", "y"])
    assert math.isnan(macro.mean)
    assert macro.by_family["y"] == 0.4


def test_a_source_in_two_families_is_refused():
    with pytest.raises(ValueError, match="'a' in 'x' and 'y'"):
        intervals.family_macro([0.1, 0.2], ["a", "a"], ["x", "y"])


def test_the_interval_is_the_quantile_of_all_resamples():
    # Four sources of one family: the exact bootstrap distribution has 4^4 equally likely draws.
    row = [0.1, 0.2, 0.4, 0.8]
    exact = sorted(sum(draw) / 4 for draw in itertools.product(row, repeat=4))
    entry = intervals.bootstrap_sources([row], ["x"] * 4, seed=1, draws=40_000).entries[0]
    # Sampling moves the order statistic by some positions of 256; the step there is below 0.025.
    assert entry.lower == pytest.approx(exact[math.ceil(0.025 * 256) - 1], abs=0.0251)
    assert entry.upper == pytest.approx(exact[math.ceil(0.975 * 256) - 1], abs=0.0251)
    assert entry.mean == 0.375


def test_families_are_fixed_and_weigh_the_same_in_every_draw():
    # y has one source, so a draw's mean is 0.5 * (0, 0.5 or 1) + 0.5 * 0.6.
    result = intervals.bootstrap_sources([[0.0, 1.0, 0.6]], ["x", "x", "y"], seed=2)
    entry = result.entries[0]
    assert (entry.lower, entry.mean, entry.upper) == pytest.approx((0.3, 0.55, 0.8), abs=1e-15)


def test_single_source_families_add_no_variation():
    entry = intervals.bootstrap_sources([[0.2, 0.6]], ["x", "y"], seed=3).entries[0]
    assert entry.lower == entry.mean == entry.upper == 0.4


def test_draws_are_paired_so_a_constant_lead_is_never_lost():
    rng = np.random.default_rng(4)
    weaker = rng.random(6) * 0.9
    result = intervals.bootstrap_sources([weaker, weaker + 0.01], ["x"] * 6, seed=4)
    second, first = result.entries
    assert (first.rank, first.best_rank, first.worst_rank) == (1, 1, 1)
    assert (second.rank, second.best_rank, second.worst_rank) == (2, 2, 2)
    assert second.upper > first.lower  # the intervals overlap all the same


def test_ties_share_the_best_rank():
    table = [[0.5, 0.5], [0.5, 0.5], [0.2, 0.2], [0.9, 0.9]]
    ranks = [e.rank for e in intervals.bootstrap_sources(table, ["x", "x"], seed=5).entries]
    assert ranks == [2, 2, 4, 1]


def test_the_order_of_a_sum_does_not_split_a_tie():
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit.
    table = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]
    result = intervals.bootstrap_sources(table, ["x", "y", "z"], seed=6)
    assert [(e.rank, e.best_rank, e.worst_rank) for e in result.entries] == [(1, 1, 1)] * 2


def test_sources_that_disagree_widen_the_rank_range():
    table = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.9]]
    first = intervals.bootstrap_sources(table, ["x"] * 4, seed=7).entries[0]
    assert (first.rank, first.best_rank, first.worst_rank) == (1, 1, 2)


def test_ranks_follow_the_direction():
    table = [[0.1, 0.2], [0.5, 0.6]]
    result = intervals.bootstrap_sources(table, ["x", "x"], seed=8, higher_is_better=False)
    assert [entry.rank for entry in result.entries] == [1, 2]
    assert result.entries[0].mean == pytest.approx(0.15, abs=1e-15)


def test_an_undefined_entry_has_no_rank_and_takes_none_from_the_others():
    table = [[0.9, math.nan], [0.5, 0.5], [0.1, 0.1]]
    undefined, *others = intervals.bootstrap_sources(table, ["x", "y"], seed=9).entries
    assert all(math.isnan(value) for value in vars(undefined).values())
    assert [entry.rank for entry in others] == [1, 2]


@pytest.mark.parametrize("n_entries", [0, 1])
def test_boards_with_no_or_one_entry(n_entries):
    result = intervals.bootstrap_sources(np.full((n_entries, 2), 0.5), ["x", "y"], seed=10)
    assert [entry.rank for entry in result.entries] == [1] * n_entries


def test_the_same_seed_gives_the_same_result_and_the_result_says_how_it_was_made():
    table = np.random.default_rng(11).random((3, 5))
    first, second = (
        intervals.bootstrap_sources(table, list("xxyyy"), seed=12, draws=300) for _ in range(2)
    )
    assert first == second
    assert first != intervals.bootstrap_sources(table, list("xxyyy"), seed=13, draws=300)
    assert (first.unit, first.draws, first.seed, first.level) == ("source", 300, 12, 0.95)
    assert first.method == "percentile bootstrap, sources resampled within families"


@pytest.mark.parametrize(
    ("values", "families", "draws", "message"),
    [
        ([0.1, 0.2], ["x", "x"], 10, "values must have shape"),
        ([[0.1, 0.2]], ["x"], 10, "values must have shape"),
        ([[]], [], 10, "values must have shape"),
        ([[0.1]], ["x"], 0, "draws must be at least 1"),
    ],
)
def test_impossible_arguments_are_refused(values, families, draws, message):
    with pytest.raises(ValueError, match=message):
        intervals.bootstrap_sources(values, families, seed=1, draws=draws)


def test_the_bootstrap_of_a_mean_is_scipys_and_the_plain_index_draw():
    values = np.random.default_rng(14).random(30)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=5000, method="percentile", rng=np.random.default_rng(3)
    )
    plain = values[np.random.default_rng(3).integers(30, size=(5000, 30))].mean(axis=1)
    ours = intervals.bootstrap_mean(values)
    low, high = theirs.confidence_interval
    assert [ours.lower, ours.upper] == pytest.approx([low, high], rel=1e-12)
    assert [ours.lower, ours.upper] == np.quantile(plain, [0.025, 0.975]).tolist()
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
    assert ours.estimate == pytest.approx(values.mean(), rel=1e-15)
    assert (ours.n, ours.draws, ours.n_dropped, ours.seed, ours.level) == (30, 5000, 0, 3, 0.95)


def test_one_value_has_a_mean_and_no_interval():
    interval = intervals.bootstrap_mean([0.4])
    assert interval.estimate == 0.4
    assert math.isnan(interval.lower)
    assert math.isnan(interval.upper)


@pytest.mark.parametrize("undefined", [math.nan, math.inf])
def test_an_undefined_value_has_no_mean_and_no_interval(undefined):
    interval = intervals.bootstrap_mean([0.4, undefined, 0.2])
    assert math.isnan(interval.estimate)
    assert math.isnan(interval.lower)


@pytest.mark.parametrize(
    ("values", "draws", "message"),
    [
        ([], 10, "values must have shape"),
        ([[0.1]], 10, "values must have shape"),
        ([0.1], 1, "draws at least 2"),
    ],
)
def test_impossible_values_are_refused(values, draws, message):
    with pytest.raises(ValueError, match=message):
        intervals.bootstrap_mean(values, draws=draws)
