import math

import numpy as np
import pytest
from scipy.stats import bootstrap

from scoring import ratios

RNG = np.random.default_rng(1)
NAME, SHORT, DESIGN = RNG.random((3, 30)) + np.array([[0.0], [0.5], [1.0]])


def test_the_relative_increase_is_scipys_percentile_bootstrap_of_the_ratio_of_means():
    def increase(design, name, axis):
        return 100 * (design.mean(axis) - name.mean(axis)) / name.mean(axis)

    theirs = bootstrap(
        (DESIGN, NAME),
        increase,
        paired=True,
        vectorized=True,
        n_resamples=5000,
        method="percentile",
        rng=np.random.default_rng(3),
    )
    ours = ratios.relative_increase(NAME, DESIGN)
    assert ours.estimate == pytest.approx(100 * (DESIGN.mean() / NAME.mean() - 1), rel=1e-12)
    assert ours.lower == pytest.approx(theirs.confidence_interval.low, rel=1e-12)
    assert ours.upper == pytest.approx(theirs.confidence_interval.high, rel=1e-12)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)


def test_the_gain_retained_draws_the_same_states_for_all_three():
    drawn = np.random.default_rng(7).integers(30, size=(4000, 30))
    name, short, design = (values[drawn].mean(axis=1) for values in (NAME, SHORT, DESIGN))
    expected = np.quantile((short - name) / (design - name), [0.025, 0.975])
    interval = ratios.gain_retained(SHORT, NAME, DESIGN)
    assert (interval.draws, interval.seed) == (4000, 7)
    assert [interval.lower, interval.upper] == pytest.approx(expected.tolist(), rel=1e-12)


@pytest.mark.parametrize(
    ("numerators", "denominators"),
    [
        ([1.0, 2.0], [0.0, 0.0]),
        ([1.0, 2.0], [1.0, -1.0]),
        ([1.0, 2.0], [1.0, math.inf]),
        ([1.0, 2.0], [math.inf, -math.inf]),
        ([1.0, math.inf], [1.0, 2.0]),
        ([math.inf, -math.inf], [1.0, 2.0]),
    ],
)
def test_no_finite_denominator_or_numerator_has_no_ratio_and_no_interval(numerators, denominators):
    interval = ratios.bootstrap_ratio(numerators, denominators)
    assert math.isnan(interval.estimate)
    assert math.isnan(interval.lower)
    assert math.isnan(interval.standard_error)
    assert math.isnan(ratios.relative_increase(denominators, [math.inf, 1.0]).estimate)


def test_equal_means_up_to_rounding_are_no_denominator():
    same = np.array([0.1 + 0.2, 0.3])
    assert math.isnan(ratios.gain_retained([1.0, 1.0], [0.3, 0.3], same).estimate)


def test_few_dropped_draws_are_counted_and_more_than_one_percent_leave_no_interval():
    # A draw is dropped if it takes only states with a zero: probability (1/2)^n and (1/8)^n.
    many = ratios.bootstrap_ratio([1.0] * 4, [0.0, 0.0, 1.0, 1.0])
    assert many.n_dropped / many.draws == pytest.approx(1 / 16, abs=0.02)
    assert math.isnan(many.lower)
    assert many.estimate == 2.0
    few = ratios.bootstrap_ratio([1.0] * 8, [0.0] * 4 + [1.0] * 4)
    assert 0 < few.n_dropped <= 50
    assert few.lower < few.estimate == 2.0 < few.upper


def test_one_state_has_a_ratio_and_no_interval():
    interval = ratios.bootstrap_ratio([1.0], [2.0])
    assert interval.estimate == 0.5
    assert math.isnan(interval.lower)
    assert math.isnan(interval.upper)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ratios.bootstrap_ratio([1.0], [1.0, 2.0]), "got 2 for 1"),
        (lambda: ratios.bootstrap_ratio([], []), "n at least 1"),
        (lambda: ratios.relative_increase([1.0], [1.0, 2.0]), "same states"),
        (lambda: ratios.bootstrap_ratio([1.0], [1.0], draws=1), "draws at least 2"),
    ],
)
def test_impossible_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
