import math

import pytest

from scoring.proportions import proportion


def test_the_interval_is_the_one_of_the_tables():
    # Clopper and Pearson 1934, n = 10: 5 successes give 0.187 to 0.813 at 95 %.
    half = proportion(5, 10)
    assert (round(half.lower, 3), round(half.upper, 3), half.p_value) == (0.187, 0.813, 1.0)


def test_all_on_one_side_is_counted_by_hand():
    left = proportion(6, 6)
    assert left.p_value == pytest.approx(2 / 64)
    assert left.lower == pytest.approx(0.025 ** (1 / 6))
    assert left.upper == 1.0


def test_no_trials_have_no_share():
    nothing = proportion(0, 0)
    assert all(math.isnan(value) for value in (nothing.share, nothing.lower, nothing.p_value))


@pytest.mark.parametrize("expected", [-0.1, 1.1, math.nan])
def test_an_expected_share_that_is_no_probability_is_refused(expected):
    with pytest.raises(ValueError, match="expected must be in"):
        proportion(0, 0, expected=expected)


@pytest.mark.parametrize(("n_successes", "n"), [(3, 2), (-1, 4)])
def test_counts_that_contradict_each_other_are_refused(n_successes, n):
    with pytest.raises(ValueError, match="n_successes"):
        proportion(n_successes, n)
