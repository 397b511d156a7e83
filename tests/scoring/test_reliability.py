import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, spearmanr

from scoring import reliability
from scoring.ranks import Cells, code_ranks
from scoring.reliability import kendall_w, ordinal_alpha

ORDER, REVERSE = 0b111111, 0


def cells_of(codes_by_scenario: list[list[int]]) -> Cells:
    """Cells of a new person for every code."""
    scenarios = [s for s, codes in enumerate(codes_by_scenario) for _ in codes]
    codes = [code for codes in codes_by_scenario for code in codes]
    m = len(codes)
    return Cells(np.arange(m), np.array(scenarios), code_ranks()[codes], len(codes_by_scenario))


def test_concordance_without_ties_by_hand():
    # Ranks 1234, 2134, 1243: sums 4, 5, 10, 11 around 7.5, S = 37, W = 12 * 37 / (9 * 60).
    doubled = [[2, 4, 6, 8], [4, 2, 6, 8], [2, 4, 8, 6]]
    assert kendall_w(doubled) == pytest.approx(12 * 37 / 540, abs=1e-15)


def test_concordance_with_ties_by_hand():
    # Ranks 1 3 3 3 and 1 2 3 4: sums 2, 5, 6, 7 around 5, S = 14; one group of three: T = 24.
    # W = 12 * 14 / (4 * 60 - 2 * 24).
    assert kendall_w([[2, 6, 6, 6], [2, 4, 6, 8]]) == pytest.approx(168 / 192, abs=1e-15)
    # Equal rankings with ties still agree completely.
    assert kendall_w([[2, 6, 6, 6]] * 3) == pytest.approx(1.0, abs=1e-15)


def test_concordance_is_friedmans_statistic_over_its_largest_value():
    # SciPy corrects Friedman's statistic for ties; m (k - 1) W is the same number.
    rng = np.random.default_rng(3)
    for m in range(2, 12):
        doubled = code_ranks()[rng.integers(64, size=m)]
        statistic = friedmanchisquare(*doubled.T).statistic
        assert kendall_w(doubled) == pytest.approx(statistic / (m * 3), abs=1e-12)


def test_opposite_people_have_no_concordance():
    assert kendall_w([[2, 4, 6, 8], [8, 6, 4, 2]]) == 0.0


@pytest.mark.parametrize("doubled", [[[2, 4, 6, 8]], [[5, 5, 5, 5], [5, 5, 5, 5]]])
def test_one_person_or_ties_only_have_no_concordance_to_speak_of(doubled):
    assert math.isnan(kendall_w(doubled))


def test_concordance_by_scenario():
    values = reliability.concordance(cells_of([[ORDER, ORDER], [ORDER, REVERSE], [ORDER], []]))
    assert values[:2].tolist() == [1.0, 0.0]
    assert np.isnan(values[2:]).all()


def test_alpha_of_krippendorffs_own_example():
    # Krippendorff 2011, section C: four observers, twelve units, five values; ordinal 0.815.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    counts = np.zeros((12, 5), dtype=int)
    for observer in observers:
        for unit, value in enumerate(observer):
            if value is not None:
                counts[unit, value - 1] += 1
    assert round(ordinal_alpha(counts), 3) == 0.815


def test_alpha_is_that_of_all_pairs_of_values_one_by_one():
    # Krippendorff's definition, in fractions: units of one value leave no pair and do not count.
    rng = np.random.default_rng(4)
    for _ in range(20):
        units = [rng.integers(5, size=n).tolist() for n in rng.integers(0, 5, size=8)]
        paired = [unit for unit in units if len(unit) > 1]
        values = [value for unit in paired for value in unit]

        def distance(first: int, second: int, values: list[int] = values) -> Fraction:
            low, high = sorted((first, second))
            between = sum(low <= value <= high for value in values)
            ends = values.count(low) + values.count(high)
            return Fraction(0) if low == high else (between - Fraction(ends, 2)) ** 2

        observed = sum(
            sum(distance(*pair) for pair in itertools.permutations(unit, 2)) / (len(unit) - 1)
            for unit in paired
        )
        expected = sum(distance(*pair) for pair in itertools.permutations(values, 2))
        counts = [[unit.count(value) for value in range(5)] for unit in units]
        alpha = 1 - (len(values) - 1) * Fraction(observed) / expected
        assert ordinal_alpha(counts) == pytest.approx(float(alpha), abs=1e-12)


def test_alpha_is_nought_by_chance_and_undefined_without_variation():
    counts = np.random.default_rng(1).multinomial(3, [0.25] * 4, size=20_000)
    assert abs(ordinal_alpha(counts)) < 0.02
    assert math.isnan(ordinal_alpha([[3, 0], [2, 0]]))
    assert math.isnan(ordinal_alpha([[1, 0], [0, 1]]))


def test_alpha_of_ranks_takes_every_action_of_every_scenario_as_a_unit():
    assert reliability.rank_alpha(cells_of([[ORDER, ORDER], [REVERSE, REVERSE]])) == 1.0
    # By hand: units {1,4} {2,3} {3,2} {4,1}; 8 values, two of each; places 1, 3, 5, 7.
    # Observed 2 (36 + 4 + 4 + 36) = 160; expected 2 * 4 * (3 * 4 + 2 * 16 + 36) = 640.
    assert reliability.rank_alpha(cells_of([[ORDER, REVERSE]])) == 1 - 7 * 160 / 640


def test_people_who_agree_reach_a_ceiling_of_one():
    cells = cells_of([[ORDER] * 3, [REVERSE] * 2])
    loo = reliability.leave_one_out_ceiling(cells)
    assert (loo.correlation, loo.n_defined, loo.n) == (1.0, 5, 5)
    halves = reliability.split_half_ceiling(cells, splits=10)
    assert (halves.correlation, halves.corrected, halves.n_defined, halves.n) == (1.0, 1.0, 20, 20)


def test_leave_one_out_by_hand():
    # Two agree and one is opposite. For the two, the others' sums are all equal: undefined. For the
    # opposite one, the others are the order: -1.
    loo = reliability.leave_one_out_ceiling(cells_of([[ORDER, ORDER, REVERSE]]))
    assert (loo.correlation, loo.n_defined, loo.n) == (-1.0, 1, 3)


def test_leave_one_out_is_spearman_with_the_mean_of_the_others():
    rng = np.random.default_rng(5)
    cells = cells_of([rng.integers(64, size=n).tolist() for n in (2, 3, 7)])
    expected = []
    for person in range(12):
        others = (cells.scenarios == cells.scenarios[person]) & (np.arange(12) != person)
        mean = cells.doubled_ranks[others].mean(axis=0).round(9)
        if np.ptp(mean):
            expected.append(spearmanr(cells.doubled_ranks[person], mean).statistic)
    loo = reliability.leave_one_out_ceiling(cells)
    assert loo.correlation == pytest.approx(np.mean(expected), abs=1e-12)
    assert (loo.n_defined, loo.n) == (len(expected), 12)


def test_nobody_else_is_no_comparison():
    cells = cells_of([[ORDER]])
    assert math.isnan(reliability.leave_one_out_ceiling(cells).correlation)
    halves = reliability.split_half_ceiling(cells, splits=3)
    assert (halves.n_defined, halves.n) == (0, 3)
    assert math.isnan(halves.corrected)


def test_opposite_halves_have_no_corrected_value():
    halves = reliability.split_half_ceiling(cells_of([[ORDER, REVERSE]]), splits=4)
    assert halves.correlation == -1.0
    assert math.isnan(halves.corrected)


@pytest.mark.parametrize("n_people", [2, 3, 4, 5])
def test_every_half_of_the_people_is_drawn_alike(n_people):
    # The mean over many splits comes near that over all choices of the first, smaller half.
    cells = cells_of([[ORDER, 0b011111, 0b110111, 0b101010, 0b111110][:n_people]])
    ranks = cells.doubled_ranks
    every = [
        spearmanr(ranks[list(half)].sum(axis=0), np.delete(ranks, half, axis=0).sum(axis=0))
        for half in itertools.combinations(range(n_people), n_people // 2)
    ]
    expected = np.mean([result.statistic for result in every])
    halves = reliability.split_half_ceiling(cells, splits=4000)
    assert halves.correlation == pytest.approx(expected, abs=0.03)
    assert halves.corrected == pytest.approx(2 * halves.correlation / (1 + halves.correlation))


def test_halves_are_drawn_anew_in_every_split_and_repeat_with_the_seed():
    cells = cells_of([[ORDER, ORDER, 0b011111]])
    first = reliability.split_half_ceiling(cells, splits=400, seed=1)
    assert first == reliability.split_half_ceiling(cells, splits=400, seed=1)
    assert first != reliability.split_half_ceiling(cells, splits=400, seed=2)
    assert first.n == 400


@pytest.mark.parametrize("function", [kendall_w, ordinal_alpha])
def test_what_is_no_matrix_is_refused_and_an_empty_one_is_undefined(function):
    with pytest.raises(ValueError, match=r"must be a matrix, got shape \(4,\)"):
        function([2, 4, 6, 8])
    with pytest.raises(ValueError, match="must hold finite numbers"):
        function([[2, 4], [math.nan, 6]])
    assert math.isnan(function(np.empty((0, 4))))


def test_a_split_needs_at_least_one_draw():
    with pytest.raises(ValueError, match="splits must be at least 1"):
        reliability.split_half_ceiling(cells_of([[ORDER]]), splits=0)
