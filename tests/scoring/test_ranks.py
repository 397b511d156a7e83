import itertools

import numpy as np
import pytest
from scipy.stats import rankdata

from scoring import ranks
from scoring.ranks import Cells, code_of, code_ranks, code_triads, doubled_mid_ranks, doubled_wins


def code_of_order(order: tuple[int, ...]) -> int:
    """The code of someone who always chooses the action that comes earlier in the order."""
    return code_of([order.index(first) < order.index(second) for first, second in ranks.PAIRS])


def test_a_consistent_person_has_the_ranks_of_their_order_and_no_triad():
    for order in itertools.permutations(range(4)):
        code = code_of_order(order)
        expected = [2 * (order.index(action) + 1) for action in range(4)]
        assert code_ranks()[code].tolist() == expected
        assert code_triads()[code] == 0


def test_the_four_patterns_of_mid_ranks_of_the_specification():
    patterns = {tuple(sorted(row)) for row in (code_ranks() / 2).tolist()}
    assert patterns == {(1, 2, 3, 4), (1, 3, 3, 3), (2, 2, 2, 4), (1.5, 1.5, 3.5, 3.5)}


def test_triads_by_hand():
    # 0 beats all, 1 > 2 > 3 > 1: one circle, ranks 1 3 3 3.
    one = code_of([True, True, True, True, False, True])
    assert code_ranks()[one].tolist() == [2, 6, 6, 6]
    assert code_triads()[one] == 1
    # Wins 2, 2, 1, 1: two circles.
    two = code_of([True, True, False, True, True, True])
    assert code_ranks()[two].tolist() == [3, 3, 7, 7]
    assert code_triads()[two] == 2


def test_triads_are_the_circles_that_can_be_counted():
    for code in range(64):
        beats = {}
        for pair, (first, second) in enumerate(ranks.PAIRS):
            beats[first, second] = bool(code >> pair & 1)
            beats[second, first] = not beats[first, second]
        circles = sum(
            beats[a, b] == beats[b, c] == beats[c, a]
            for a, b, c in itertools.combinations(range(4), 3)
        )
        assert code_triads()[code] == circles


def test_equal_is_half_a_win_for_both():
    assert doubled_wins([0.5] * 6).tolist() == [3, 3, 3, 3]
    # 0 beats all; 1, 2 and 3 are equal to each other.
    wins = doubled_wins([1, 1, 1, 0.5, 0.5, 0.5])
    assert wins.tolist() == [6, 2, 2, 2]
    assert doubled_mid_ranks(wins).tolist() == [2, 6, 6, 6]


def test_mid_ranks_are_scipys():
    values = np.random.default_rng(1).integers(4, size=(50, 7))
    expected = 2 * rankdata(-values, axis=-1)
    assert (doubled_mid_ranks(values) == expected).all()


def test_scenario_ranks_are_means_over_the_people_who_ranked_it():
    codes = [code_of_order((0, 1, 2, 3)), code_of_order((1, 0, 2, 3)), code_of_order((3, 2, 1, 0))]
    cells = Cells(np.array([0, 1, 0]), np.array([0, 0, 2]), code_ranks()[codes], 3)
    sums, counts = ranks.doubled_rank_sums(cells)
    assert sums.tolist() == [[6, 6, 12, 16], [0] * 4, [8, 6, 4, 2]]
    assert counts.tolist() == [2, 0, 1]
    means = ranks.scenario_ranks(cells)
    assert means[[0, 2]].tolist() == [[1.5, 1.5, 3, 4], [4, 3, 2, 1]]
    assert np.isnan(means[1]).all()


def test_rounding_joins_what_noise_has_split_and_nothing_else():
    rounded = ranks.round_for_ranking([0.1 + 0.2, 0.3, 0.3 * (1 + 1e-8), 3e-12, np.nan])
    assert rounded[0] == rounded[1] != rounded[2]
    assert rounded[3] == 3e-12  # relative, so a small value is not lost
    assert np.isnan(rounded[4])
    values = np.random.default_rng(2).lognormal(0, 20, 1000)
    assert (np.abs(ranks.round_for_ranking(values) / values - 1) <= 1e-9).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: code_of([True] * 5), "6 choices, got 5"),
        (lambda: doubled_wins([1, 1, 1, 1, 1, 0.4]), "values 0, 0.5 or 1"),
        (lambda: doubled_wins([1] * 5), "6 values"),
        (lambda: Cells(np.array([0]), np.array([1]), code_ranks()[[0]], 1), "from 0 to 0"),
        (lambda: Cells(np.array([]), np.array([1]), code_ranks()[[0]], 2), "one entry per cell"),
    ],
)
def test_impossible_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
