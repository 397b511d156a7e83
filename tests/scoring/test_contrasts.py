import json
import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from scoring import contrasts
from scoring.contrasts import Flag, holm, paired_contrasts


def test_holm_by_hand():
    # Sorted 0.005 0.01 0.03 0.04 times 4 3 2 1: 0.02 0.03 0.06 0.04, the last raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_twelve_contrasts_with_holm_by_hand():
    p = [0.001, 0.6, 0.0004, 0.03, 0.2, 0.004, 0.005, 0.9, 0.05, 0.01, 0.002, 0.008]
    # Sorted: 0.0004*12 0.001*11 0.002*10 0.004*9 0.005*8 0.008*7 0.01*6 0.03*5 0.05*4 0.2*3 0.6*2
    # 0.9*1 = .0048 .011 .02 .036 .04 .056 .06 .15 .2 .6 1.2 .9; at most 1, never falling.
    expected = [0.011, 1.0, 0.0048, 0.15, 0.6, 0.036, 0.04, 1.0, 0.2, 0.06, 0.02, 0.056]
    assert holm(p).tolist() == pytest.approx(expected, abs=1e-15)


def test_tied_p_values_share_the_larger_factor_and_no_test_is_no_family():
    assert holm([0.02, 0.02, 0.5]).tolist() == pytest.approx([0.06, 0.06, 0.5])
    assert holm([]).tolist() == []
    assert paired_contrasts({}) == {}


def test_a_test_that_could_not_be_made_counts_in_the_family():
    assert holm([0.01, math.nan, 0.02]).tolist() == pytest.approx(
        [0.03, math.nan, 0.04], nan_ok=True
    )


def test_twelve_contrasts_are_scipys_paired_tests_adjusted_over_all():
    rng = np.random.default_rng(1)
    family = {
        f"{group} {pair}": (rng.random(30), rng.random(30) + shift)
        for group, shift in [("a", 0.0), ("b", 0.2), ("low-max", 0.1)]
        for pair in ("L1-L2", "L1-L3", "L1-L4", "L3-L4")
    }
    tested = paired_contrasts(family)
    assert list(tested) == list(family)
    for name, (first, second) in family.items():
        theirs = ttest_rel(first, second)
        assert tested[name].t == pytest.approx(theirs.statistic, rel=1e-12)
        assert tested[name].p == pytest.approx(theirs.pvalue, rel=1e-10)
        assert tested[name].dz == pytest.approx(theirs.statistic / math.sqrt(30), rel=1e-12)
        assert tested[name].flag is None
    adjusted = holm([contrast.p for contrast in tested.values()])
    assert [contrast.p_holm for contrast in tested.values()] == adjusted.tolist()


def test_degenerate_contrasts_have_the_stated_results_and_count_all_the_same():
    values = np.array([0.1, 0.2, 0.4])
    tested = paired_contrasts(
        {
            "identical": (values, values),
            "identical up to rounding": ([0.1 + 0.2, 0.5], [0.3, 0.5]),
            "constant": (values + 0.1, values),
            "one state": ([0.3], [0.1]),
            "undefined": ([0.3, math.nan], [0.1, 0.2]),
            "infinite": ([0.3, math.inf], [0.1, math.inf]),
            "ordinary": ([0.6, 0.5, 0.9, 0.8], [0.2, 0.3, 0.4, 0.3]),
        }
    )
    for name in ("identical", "identical up to rounding"):
        contrast = tested[name]
        assert (contrast.t, contrast.p, contrast.dz, contrast.p_holm) == (0.0, 1.0, 0.0, 1.0)
        assert contrast.flag is Flag.IDENTICAL
    for name, flag in [
        ("constant", Flag.CONSTANT),
        ("one state", Flag.ONE_STATE),
        ("undefined", Flag.UNDEFINED),
        ("infinite", Flag.UNDEFINED),
    ]:
        contrast = tested[name]
        assert contrast.flag is flag
        for figure in (contrast.t, contrast.p, contrast.dz, contrast.p_holm):
            assert math.isnan(figure)
    assert tested["constant"].mean_difference == pytest.approx(0.1)
    assert tested["ordinary"].p_holm == pytest.approx(7 * tested["ordinary"].p)


def test_a_figure_is_a_finite_number_or_nan_and_never_infinite():
    # nan is what a door writes as null; an infinity would not be JSON either.
    # Constant but for rounding: 0.3 - 0.1 and 0.5 - 0.3 are two doubles.
    constant = paired_contrasts({"c": ([0.3, 0.5], [0.1, 0.3])})["c"]
    figures = [constant.t, constant.p, constant.dz, constant.p_holm]
    assert json.dumps([None if math.isnan(f) else f for f in figures], allow_nan=False) == (
        "[null, null, null, null]"
    )


def test_the_difference_is_first_minus_second():
    assert paired_contrasts({"c": ([1.0, 3.0], [0.0, 1.0])})["c"].mean_difference == 1.5


def test_repetitions_are_averaged_before_settings_and_an_invalid_one_is_zero():
    # State 0: (0.6 + 0) / 2 = 0.3 and 0.5; state 1: 0.2 and (0.4 + 0.8 + 0) / 3 = 0.4.
    settings = [[[0.6, 0.0], [0.2]], [[0.5], [0.4, 0.8, 0.0]]]
    assert contrasts.family_values(settings).tolist() == pytest.approx([0.4, 0.3], abs=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_contrasts({"a-b": ([0.1], [0.1, 0.2])}), "a-b must hold two vectors"),
        (lambda: paired_contrasts({"a-b": ([], [])}), "at least 1"),
        (lambda: holm([0.2, 1.2]), "p must be a vector of values in"),
        (lambda: holm([[0.2]]), "p must be a vector"),
        (lambda: contrasts.family_values([]), "at least one"),
        (lambda: contrasts.family_values([[[0.1], []]]), "at least one repetition"),
        (lambda: contrasts.family_values([[[0.1]], [[0.1], [0.2]]]), "shorter|longer"),
    ],
)
def test_impossible_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
