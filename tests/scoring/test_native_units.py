import math

import numpy as np
import pytest

from scoring import surfaces
from scoring.native_units import native_recovery

FAMILY = "forecasting"


def test_recovery_of_an_error_family_is_that_of_the_errors_whatever_their_scale():
    # Errors 8, 6, 2, 4 with s = 2: effects 6, 2 of A and 2, 2 of B, A = 3. Predicted 8, 6, 5, 4:
    # two effects are wrong by 3, E = 6/4, recovery 1 - 1.5/3 = 0.5.
    truth, prediction = 1 / (1 + np.array([[8, 6, 2, 4], [8, 6, 5, 4]]) / 2)
    assert native_recovery(truth, prediction, FAMILY) == pytest.approx(0.5, rel=1e-14)


@pytest.mark.parametrize("family", ["retrieval", "graph_link_prediction"])
def test_a_utility_that_is_the_native_metric_is_graded_as_it_is(family):
    truth, prediction = [0.0, 0.25, 0.5, 1.0], [0.0, 0.25, 0.75, 1.0]
    recovery = surfaces.grade(truth, prediction).effect_recovery
    assert native_recovery(truth, prediction, family) == recovery


def test_a_predicted_utility_of_zero_is_an_endless_error():
    assert native_recovery([0.2, 0.4, 0.6, 0.8], [0.2, 0.4, 0.0, 0.8], FAMILY) == 0.0


def test_a_true_utility_of_zero_leaves_it_undefined():
    assert math.isnan(native_recovery([0.0, 0.4, 0.6, 0.8], [0.2, 0.4, 0.6, 0.8], FAMILY))


def test_the_truth_itself_is_recovered_whole():
    truth = np.random.default_rng(4).uniform(0.01, 1, 16)
    assert native_recovery(truth, truth, FAMILY) == 1.0
