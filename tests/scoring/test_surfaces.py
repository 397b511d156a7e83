import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks import scoring_surfaces
from scoring import masks, surfaces

UTILITIES = st.floats(0, 1)
SURFACES = st.integers(2, 5).flatmap(lambda d: arrays(np.float64, 2**d, elements=UTILITIES))

# By hand, masks 00 01 10 11. Effects of A: 0.5, 0.75; of B: 0.25, 0.5. Interaction 0.25.
TRUTH = [0.0, 0.25, 0.5, 1.0]
# Effects of A: 0.5, 0.5; of B: 0.25, 0.25. Interaction 0.
PREDICTION = [0.0, 0.25, 0.5, 0.75]


def test_two_factors_by_hand():
    score = surfaces.grade(TRUTH, PREDICTION)
    assert score == surfaces.SurfaceScore(
        effect_recovery=0.75,  # 1 - 0.125 / 0.5
        effect_mae=0.125,  # (0 + 0.25 + 0 + 0.25) / 4
        mean_absolute_effect=0.5,  # (0.5 + 0.75 + 0.25 + 0.5) / 4
        interaction_mae=0.25,
        grid_mae=0.0625,
        selection_regret=0.0,
        selected_mask="11",
        exact_choice=True,
        near_choice=True,
        strict={0.025: False, 0.05: False, 0.1: False, 0.2: False, 0.4: True},
        utility_range=1.0,
    )


def test_effects_are_ordered_by_factor_then_background():
    assert surfaces.conditional_effects(TRUTH).tolist() == [[0.5, 0.75], [0.25, 0.5]]
    cube = np.arange(8) / 8
    assert surfaces.conditional_effects(cube).tolist() == [[0.5] * 4, [0.25] * 4, [0.125] * 4]


def test_pairs_are_in_lexicographic_order():
    bits = masks.bits(3)
    b_times_c = bits[:, 1] * bits[:, 2]
    assert surfaces.pair_interactions(b_times_c).tolist() == [0, 0, 1]


def test_an_interaction_is_the_mean_over_its_backgrounds():
    all_three = masks.bits(3).prod(axis=1)  # interacts on one of two backgrounds
    assert surfaces.pair_interactions(all_three).tolist() == [0.5, 0.5, 0.5]


def test_recovery_is_never_negative():
    assert surfaces.grade(TRUTH, [1.0, 0.5, 0.25, 0.0]).effect_recovery == 0.0


@pytest.mark.parametrize(
    ("prediction", "recovery"),
    [([0.5] * 4, 1.0), ([0.3] * 4, 1.0), ([0.5, 0.5, 0.5, 0.5 + 1e-12], 1.0), (TRUTH, 0.0)],
)
def test_a_surface_without_effects_is_recovered_by_a_prediction_without_effects(
    prediction, recovery
):
    score = surfaces.grade([0.5] * 4, prediction)
    assert score.mean_absolute_effect == 0.0
    assert score.effect_recovery == recovery


def test_effects_of_rounding_size_count_as_none():
    truth = [0.5, 0.5, 0.5, 0.5 + 1e-12]
    assert surfaces.grade(truth, truth).effect_recovery == 1.0
    assert surfaces.grade(truth, TRUTH).effect_recovery == 0.0


def test_a_tied_choice_takes_fewer_switches_then_the_smaller_mask():
    choice = {mask: 0.5 for mask in masks.all_masks(4)} | {"0111": 0.9, "1100": 0.9, "0110": 0.9}
    assert surfaces.grade([0.5] * 16, list(choice.values())).selected_mask == "0110"
    assert surfaces.grade([0.5] * 16, [0.5] * 16).selected_mask == "0000"


@pytest.mark.parametrize(
    ("regret", "exact", "near"),
    [
        (0.0, True, True),
        (2.0**-40, True, True),  # 9.1e-13
        (2.0**-39, False, True),  # 1.8e-12
        (0.02, False, True),
        (0.0201, False, False),
    ],
)
def test_choice_thresholds(regret, exact, near):
    # The selected mask 11 has utility 0.0, so that no rounding enters the regret.
    score = surfaces.grade([regret, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
    assert score.selection_regret == regret
    assert (score.exact_choice, score.near_choice) == (exact, near)


@pytest.mark.parametrize("tolerance", surfaces.STRICT_TOLERANCES)
def test_strict_asks_for_every_effect_within_a_share_of_the_utility_range(tolerance):
    truth = [0.0, 0.0, 0.5, 0.5]
    within, beyond = 0.5 * tolerance - 1e-9, 0.5 * tolerance + 1e-9
    for error, passes in ((within, True), (beyond, False)):
        assert surfaces.grade(truth, [error, 0.0, 0.5, 0.5]).strict[tolerance] is passes


def test_an_error_of_exactly_the_share_passes_strict():
    assert surfaces.grade([0.0, 0.0, 1.0, 1.0], [0.1, 0.0, 1.0, 1.0]).strict[0.1]


def test_strict_on_a_constant_surface_allows_rounding_only():
    assert surfaces.grade([0.5] * 4, [0.5, 0.5, 0.5, 0.5 + 5e-13]).strict[0.025]
    assert not surfaces.grade([0.5] * 4, [0.5, 0.5, 0.5, 0.5 + 5e-12]).strict[0.4]


def test_means_are_exactly_rounded_sums():
    rng = np.random.default_rng(1)
    truth, prediction = rng.random(16), rng.random(16)
    expected = math.fsum(np.abs(prediction - truth)) / 16
    assert surfaces.grade(truth, prediction).grid_mae == expected


def test_sign_reversals_by_hand():
    surface = [0.0, 0.5, 0.25, 0.25]  # A: +0.25, -0.25; B: +0.5, 0; range 0.5
    assert surfaces.sign_reversals(surface).tolist() == [True, False]
    assert surfaces.sign_reversals(surface, 0.49).tolist() == [True, False]
    assert surfaces.sign_reversals(surface, 0.5).tolist() == [False, False]
    # A: +0.5, -0.25, then -0.5, +0.25: the smaller one must exceed its share of the range too.
    for lopsided in ([0.0, 0.5, 0.5, 0.25], [0.5, 0.0, 0.0, 0.25]):
        assert surfaces.sign_reversals(lopsided, 0.49).all()
        assert not surfaces.sign_reversals(lopsided, 0.5).any()


def test_a_reversal_of_rounding_size_has_no_sign():
    assert not surfaces.sign_reversals([0.5, 0.5, 0.75, 0.5 - 1e-13]).any()
    assert surfaces.sign_reversals([0.5, 0.5, 0.75, 0.5 - 1e-11]).tolist() == [True, False]


@pytest.mark.parametrize("floor", [-0.1, math.nan, math.inf])
def test_a_floor_that_is_no_share_is_refused(floor):
    with pytest.raises(ValueError, match="floor must be"):
        surfaces.sign_reversals(TRUTH, floor)


def test_measured_cells_overwrite_the_table_and_leave_the_submission_alone():
    submitted = np.array([0.5, 0.5, 0.5, 0.5])
    table = surfaces.overwrite_measured(submitted, {"11": 1.0, "01": 0.25})
    assert table.tolist() == [0.5, 0.25, 0.5, 1.0]
    assert submitted.tolist() == [0.5] * 4


@pytest.mark.parametrize("utility", [math.nan, -0.1, 1.1, math.inf])
def test_an_observation_that_is_no_utility_is_refused(utility):
    with pytest.raises(ValueError, match=r"observed must hold .* at mask 01"):
        surfaces.overwrite_measured(PREDICTION, {"01": utility})


def test_an_observation_of_an_illegal_mask_is_refused():
    with pytest.raises(masks.IllegalMaskError, match="'011'"):
        surfaces.overwrite_measured(PREDICTION, {"011": 0.5})


@pytest.mark.parametrize("name", ["truth", "prediction"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1e-9, 1.0000001])
def test_a_value_outside_the_unit_interval_is_refused_by_argument_and_mask(name, value):
    arguments = {"truth": TRUTH, "prediction": PREDICTION, name: [0.0, 0.5, value, 1.0]}
    with pytest.raises(ValueError, match=f"{name} must hold finite numbers .* at mask 10"):
        surfaces.grade(**arguments)


@pytest.mark.parametrize("shape", [(0,), (1,), (2,), (3,), (5,), (512,), (2, 2), ()])
def test_a_shape_that_is_no_cube_of_two_to_eight_factors_is_refused(shape):
    with pytest.raises(ValueError, match="truth must have shape"):
        surfaces.grade(np.zeros(shape), PREDICTION)


def test_two_surfaces_of_different_size_are_refused():
    with pytest.raises(ValueError, match="prediction must have truth's shape"):
        surfaces.grade([0.5] * 8, PREDICTION)


@given(SURFACES)
def test_the_truth_itself_is_a_perfect_prediction(surface):
    score = surfaces.grade(surface, surface)
    assert score.effect_recovery == 1.0
    assert score.effect_mae == score.interaction_mae == score.grid_mae == 0.0
    assert score.selection_regret == 0.0
    assert score.exact_choice
    assert score.near_choice
    assert all(score.strict.values())


@given(st.data())
def test_a_k_switch_intervention_is_predicted_within_k_times_the_largest_effect_error(data):
    truth = data.draw(SURFACES)
    prediction = data.draw(arrays(np.float64, truth.shape, elements=UTILITIES))
    effects = surfaces.conditional_effects
    eps = np.abs(effects(prediction) - effects(truth)).max()
    d = len(truth).bit_length() - 1
    switches = masks.bits(d).sum(axis=1)
    # The anchor 0...0 is known; a path of k single switches leads to every other mask.
    intervention_errors = np.abs((prediction - prediction[0]) - (truth - truth[0]))
    assert (intervention_errors <= switches * eps + 1e-12).all()


@given(st.data())
def test_overwriting_all_cells_gives_the_truth_and_never_a_larger_grid_error(data):
    truth = data.draw(SURFACES)
    prediction = data.draw(arrays(np.float64, truth.shape, elements=UTILITIES))
    legal = masks.all_masks(len(truth).bit_length() - 1)
    observed = dict(zip(legal, truth.tolist(), strict=True))
    measured = data.draw(st.sets(st.sampled_from(legal)))
    some = surfaces.overwrite_measured(prediction, {mask: observed[mask] for mask in measured})
    grid_mae = surfaces.grade(truth, some).grid_mae
    assert grid_mae <= surfaces.grade(truth, prediction).grid_mae
    assert surfaces.overwrite_measured(prediction, observed).tolist() == truth.tolist()


@given(st.data())
def test_grade_agrees_with_a_plain_mask_by_mask_implementation(data):
    truth = data.draw(SURFACES)
    prediction = data.draw(arrays(np.float64, truth.shape, elements=UTILITIES))
    score = surfaces.grade(truth, prediction)
    if score.mean_absolute_effect <= 1e-12:
        return
    legal = masks.all_masks(len(truth).bit_length() - 1)
    tables = [dict(zip(legal, values.tolist(), strict=True)) for values in (truth, prediction)]
    for name, expected in scoring_surfaces.plain_grade(*tables).items():
        assert getattr(score, name) == pytest.approx(expected, rel=0, abs=1e-12), name


@given(st.data())
def test_a_prediction_graded_with_others_gets_the_digits_it_gets_alone(data):
    truth = data.draw(SURFACES)
    table = arrays(np.float64, truth.shape, elements=UTILITIES)
    predictions = data.draw(st.lists(table | st.just(truth), max_size=4))
    alone = [surfaces.grade(truth, prediction) for prediction in predictions]
    assert surfaces.grade_all(truth, predictions) == alone


def test_among_many_predictions_the_one_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"prediction must hold .* got 1.5 at mask 10"):
        surfaces.grade_all(TRUTH, [PREDICTION, [0.5, 0.5, 1.5, 0.5]])
    with pytest.raises(ValueError, match=r"prediction must have truth's shape \(4,\), got \(8,\)"):
        surfaces.grade_all(TRUTH, [PREDICTION, [0.5] * 8])


def test_grading_does_not_depend_on_the_names_of_the_factors():
    rng = np.random.default_rng(2)
    truth, prediction = rng.random((2, 2, 2, 2)), rng.random((2, 2, 2, 2))
    recoveries = {
        round(
            surfaces.grade(
                truth.transpose(axes).ravel(), prediction.transpose(axes).ravel()
            ).effect_recovery,
            12,
        )
        for axes in itertools.permutations(range(4))
    }
    assert len(recoveries) == 1
