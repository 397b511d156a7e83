import math

import pytest

from scoring.unmeasured import unmeasured_effects

TRUTH = [0.0, 0.25, 0.5, 1.0]  # effects 0.5, 0.75 of A and 0.25, 0.5 of B: A = 0.5


def test_an_effect_is_measured_when_both_its_ends_are():
    found = unmeasured_effects(TRUTH, [0.0, 0.25, 1.0, 1.0], ["00", "01", "11"])
    assert (found.n_effects, found.n_unmeasured, found.share) == (4, 2, 0.5)
    assert found.normalised_error == 1.0  # both effects at mask 10 are wrong by 0.5 = A


def test_the_anchors_alone_measure_no_effect():
    assert unmeasured_effects(TRUTH, TRUTH, ["00", "11"]).share == 1.0


def test_the_error_is_undefined_when_everything_was_measured_or_nothing_has_an_effect():
    everything = unmeasured_effects(TRUTH, TRUTH, ["00", "01", "10", "11"])
    assert everything.n_unmeasured == 0
    assert math.isnan(everything.normalised_error)
    assert math.isnan(unmeasured_effects([0.5] * 4, TRUTH, ["00"]).normalised_error)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="shape"):
        unmeasured_effects(TRUTH, [0.5] * 8, [])
