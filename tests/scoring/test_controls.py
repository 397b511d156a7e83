import json

import numpy as np
import pytest

from benchmarks import scoring_surfaces
from scoring import controls, equivalences, masks
from scoring.masks import Floats

TRUTH = np.random.default_rng(8).random(16)
FAMILY = "regression"


def utilities(truth: Floats) -> dict[str, float]:
    return dict(zip(masks.all_masks(len(truth).bit_length() - 1), truth.tolist(), strict=True))


@pytest.mark.parametrize("method", controls.METHODS)
@pytest.mark.parametrize("budget", [0, 5, 14])
def test_a_run_spends_its_budget_on_distinct_masks_beyond_the_anchors(method, budget):
    run = controls.run_control(method, TRUTH, budget, family=FAMILY)
    assert len(set(run.purchased)) == len(run.purchased) == budget
    assert not set(run.purchased) & set(masks.anchors(4))


@pytest.mark.parametrize("method", controls.METHODS)
def test_measured_cells_are_delivered_exactly(method):
    run = controls.run_control(method, TRUTH, 5, family=FAMILY)
    for mask in (*masks.anchors(4), *run.purchased):
        assert run.prediction[masks.index_of(mask, 4)] == utilities(TRUTH)[mask]


@pytest.mark.parametrize("method", controls.METHODS)
def test_buying_everything_recovers_everything(method):
    run = controls.run_control(method, TRUTH, 14, family=FAMILY)
    assert run.prediction.tolist() == TRUTH.tolist()
    assert run.score.effect_recovery == 1.0


@pytest.mark.parametrize("method", controls.METHODS)
def test_a_player_that_crashed_goes_on_where_it_stopped(method):
    whole = controls.run_control(method, TRUTH, 8, family=FAMILY, seed=3)
    observed = {anchor: utilities(TRUTH)[anchor] for anchor in masks.anchors(4)}
    for mask in whole.purchased:
        # A fresh process: a new player, and observations that went through a store.
        player = controls.start(method, 4, 8, family=FAMILY, seed=3)
        observed = json.loads(json.dumps(observed))
        assert player.next_purchase(observed) == mask
        observed[mask] = utilities(TRUTH)[mask]
    player = controls.start(method, 4, 8, family=FAMILY, seed=3)
    assert player.next_purchase(observed) is None
    assert player.predict(observed).tolist() == whole.prediction.tolist()


def test_a_player_depends_on_nothing_but_the_cells_it_bought():
    run = controls.run_control("gp_effect_variance", TRUTH, 5)
    elsewhere = TRUTH[::-1].copy()
    for mask in (*masks.anchors(4), *run.purchased):
        elsewhere[masks.index_of(mask, 4)] = utilities(TRUTH)[mask]
    other = controls.run_control("gp_effect_variance", elsewhere, 5)
    assert other.purchased == run.purchased
    assert other.prediction.tolist() == run.prediction.tolist()


def test_the_gaussian_process_agrees_with_a_plain_implementation():
    run = controls.run_control("gp_effect_variance", TRUTH, 4)
    purchased, prediction = scoring_surfaces.plain_player(utilities(TRUTH), 4)
    assert run.purchased == purchased
    assert run.prediction == pytest.approx(list(prediction.values()), rel=0, abs=1e-12)


@pytest.mark.parametrize("method", sorted(controls.CODE_METHODS))
def test_a_method_that_reads_code_stops_when_every_class_is_known(method):
    representative = equivalences.representatives("regression", 6)
    truth = np.random.default_rng(9).random(64)[representative]
    run = controls.run_control(method, truth, 62, family="regression")
    assert len(run.purchased) == 34  # 36 classes without those of the anchors
    assert run.prediction.tolist() == truth.tolist()


@pytest.mark.parametrize("method", sorted(controls.CODE_METHODS))
def test_purchases_and_inferred_aliases_are_kept_apart(method):
    representative = equivalences.representatives("retrieval", 6)
    truth = np.random.default_rng(10).random(64)[representative]
    run = controls.run_control(method, truth, 10, family="retrieval")
    assert not set(run.inferred) & {*run.purchased, *masks.anchors(6)}
    assert "110111" in run.inferred  # the alias of anchor 111111, so never bought
    for mask in run.inferred:
        assert run.prediction[masks.index_of(mask, 6)] == utilities(truth)[mask]


@pytest.mark.parametrize(
    ("code", "plain"),
    [
        ("code_canonical_design_degree1", "design_degree1"),
        ("code_canonical_design_degree2", "design_degree2"),
        ("gp_code_effect_variance", "gp_effect_variance"),
    ],
)
def test_without_equivalences_code_changes_nothing(code, plain):
    truth = np.random.default_rng(11).random(64)
    with_code = controls.run_control(code, truth, 6, family="forecasting")
    without = controls.run_control(plain, truth, 6)
    assert with_code.purchased == without.purchased
    assert with_code.prediction.tolist() == without.prediction.tolist()
    assert with_code.inferred == ()


def test_each_seed_of_the_random_method_is_its_own_order():
    runs = {controls.run_control("random_degree2", TRUTH, 6, seed=s).purchased for s in range(20)}
    assert len(runs) == 20


@pytest.mark.parametrize("d", [2, 3, 8])
def test_other_numbers_of_factors_are_played_too(d):
    truth = np.random.default_rng(d).random(2**d)
    for method in controls.METHODS:
        run = controls.run_control(method, truth, 2, family=FAMILY)
        assert len(run.purchased) == 2


def test_an_unknown_method_is_refused_with_the_known_ones():
    with pytest.raises(controls.UnknownMethodError, match=r"design_degree1, .*; got 'oracle'"):
        controls.run_control("oracle", TRUTH, 4)


def test_an_unknown_family_is_refused_even_where_it_plays_no_part():
    with pytest.raises(equivalences.UnknownFamilyError, match="'astrology'"):
        controls.run_control("design_degree1", TRUTH, 4, family="astrology")


@pytest.mark.parametrize("method", sorted(controls.CODE_METHODS))
def test_a_method_that_reads_code_needs_the_family(method):
    with pytest.raises(equivalences.UnknownFamilyError, match="None"):
        controls.run_control(method, TRUTH, 4)


@pytest.mark.parametrize("budget", [-1, 15, 4.0, "4", True, None])
def test_a_budget_that_is_no_integer_in_range_is_refused(budget):
    with pytest.raises(controls.BudgetOutOfRangeError, match="integer from 0 to 14 for d = 4"):
        controls.start("design_degree1", 4, budget)


def test_a_missing_anchor_is_refused():
    player = controls.start("design_degree1", 4, 4)
    for call in (player.next_purchase, player.predict, player.inferred_masks):
        with pytest.raises(ValueError, match="both anchors, got none for 1111"):
            call({"0000": 0.5, "0011": 0.5})


def test_an_observation_that_is_no_utility_is_refused():
    player = controls.start("design_degree1", 4, 4)
    with pytest.raises(ValueError, match="at mask 1111"):
        player.next_purchase({"0000": 0.5, "1111": float("nan")})
    with pytest.raises(masks.IllegalMaskError, match="'11111'"):
        player.predict({"0000": 0.5, "1111": 0.5, "11111": 0.5})


@pytest.mark.parametrize("method", controls.METHODS)
def test_one_trajectory_gives_the_run_of_every_budget(method):
    truth = np.random.default_rng(5).random(64)
    runs = controls.run_budgets(method, truth, (20, 0, 4), family=FAMILY)
    assert list(runs) == [0, 4, 20]
    for budget, run in runs.items():
        alone = controls.run_control(method, truth, budget, family=FAMILY)
        assert run.prediction.tolist() == alone.prediction.tolist()
        assert (run.purchased, run.inferred, run.score) == (
            alone.purchased,
            alone.inferred,
            alone.score,
        )


def test_no_budget_is_refused():
    with pytest.raises(ValueError, match="budgets must hold at least one"):
        controls.run_budgets("design_degree1", TRUTH, ())


@pytest.mark.parametrize("method", controls.METHODS)
def test_a_surface_played_with_others_gets_the_digits_it_gets_alone(method):
    truths = np.random.default_rng(6).random((5, 64))
    truths[1] = truths[0]  # ties of a surface with another, and a flat one
    truths[2] = 0.5
    together = controls.run_surfaces(method, truths, (0, 9, 20, 62), family=FAMILY, seed=1)
    for truth, runs in zip(truths, together, strict=True):
        for budget, run in runs.items():
            alone = controls.run_control(method, truth, budget, family=FAMILY, seed=1)
            assert run.prediction.tolist() == alone.prediction.tolist()
            assert (run.purchased, run.inferred, run.score) == (
                alone.purchased,
                alone.inferred,
                alone.score,
            )


@pytest.mark.parametrize("truths", [[], [[0.5] * 4, [0.5] * 8]])
def test_surfaces_of_no_or_of_several_numbers_of_factors_are_refused(truths):
    with pytest.raises(ValueError, match="one number of factors"):
        controls.run_surfaces("design_degree1", truths, (0,))


@pytest.mark.parametrize("method", controls.METHODS)
def test_exactly_the_blind_methods_buy_the_same_masks_whatever_they_observe(method):
    # The design's orders follow from the masks alone; so do the random ones.
    truths = np.random.default_rng(12).random((6, 64))
    runs = [controls.run_control(method, truth, 12, family=FAMILY) for truth in truths]
    assert (len({run.purchased for run in runs}) == 1) is (method in controls.BLIND_METHODS)


@pytest.mark.parametrize(
    "ledgers",
    [
        [],
        [{"0000": 0.5, "1111": 0.5}, {"1111": 0.5, "0000": 0.5}],
        [{"0000": 0.5, "1111": 0.5}, {"0000": 0.5, "1111": 0.5, "0011": 0.5}],
    ],
)
def test_only_surfaces_measured_alike_are_predicted_together(ledgers):
    with pytest.raises(ValueError, match="same masks in the same order"):
        controls.start("design_degree1", 4, 4).predict_all(ledgers)
