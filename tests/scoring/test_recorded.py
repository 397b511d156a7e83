"""The published controls, agents' artifacts and aggregates, read from ../shared."""

import functools
import json
import statistics
from typing import Any

import pytest

from scoring import controls, designs, equivalences, masks, surfaces
from scoring.controls import ControlRun
from tests.shared import SHARED, needs_shared

DIGITS = 1e-12
PUBLISHED = SHARED / "data" / "wwb"
FIELDS = {  # recorded name: ours
    "effect_recovery": "effect_recovery",
    "effect_mae": "effect_mae",
    "interaction_mae": "interaction_mae",
    "grid_mae": "grid_mae",
    "support_regret": "selection_regret",
}
PAIRED = ("spambase", "concrete", "wine", "co2", "astronaut", "scifact")


def read(*parts: str) -> Any:
    return json.loads(PUBLISHED.joinpath(*parts).read_text())


def recorded(key: str) -> Any:
    return read("recorded_controls.json")[key] if SHARED.is_dir() else []


def names(folder: str) -> list[str]:
    return sorted(path.stem for path in (PUBLISHED / folder).glob("*.json"))


@functools.cache
def reference(instance: str) -> tuple[str, tuple[float, ...]]:
    table = read("references", f"{instance}.json")
    truth = table["truth"]
    d = len(table["factor_order"])
    return table["family"], tuple(truth[mask] for mask in masks.all_masks(d))


def play(method: str, instance: str, budget: int, seed: int = 0) -> ControlRun:
    family, truth = reference(instance)
    return controls.run_control(method, truth, budget, seed=seed, family=family)


# The artifacts whose observations the release also gave to the Gaussian process.
REFITTED = [
    name
    for name in names("artifacts")
    if "shared_gp_effect_recovery" in read("artifacts", f"{name}.json")["recorded_score"]
]


def cell_id(cell: dict[str, Any]) -> str:
    return f"{cell['condition']}-{cell['method']}-{cell['budget']}"


@needs_shared
def test_there_are_107_recorded_cells():
    assert len(recorded("recorded")) == 107


@needs_shared
@pytest.mark.parametrize("cell", recorded("recorded"), ids=cell_id)
def test_a_recorded_control_is_met_in_every_digit(cell):
    scores = [
        play(cell["method"], cell["condition"], cell["budget"], seed).score
        for seed in range(cell["records"])
    ]
    for recorded_name, name in FIELDS.items():
        mean = statistics.fmean(getattr(score, name) for score in scores)
        assert mean == pytest.approx(cell[recorded_name], rel=0, abs=DIGITS), name
    assert sum(score.exact_choice for score in scores) == cell["exact_count"]
    assert sum(score.strict[0.1] for score in scores) == cell["strict_count"]
    if cell["records"] > 1:
        deviation = statistics.stdev(score.effect_recovery for score in scores)
        assert deviation == pytest.approx(cell["recovery_sample_sd"], rel=0, abs=DIGITS)


@needs_shared
@pytest.mark.parametrize("name", recorded("design_orders"))
def test_a_recorded_design_order_is_met_to_its_end(name):
    instance, _, degree = name.rpartition("_degree")
    method = f"design_degree{degree}"
    if instance.endswith("_code"):
        instance, method = instance.removesuffix("_code"), f"code_canonical_{method}"
    else:
        instance = {"d4": "wine", "d6": "wine__d6"}[instance]
    n_masks = len(reference(instance)[1])
    order = recorded("design_orders")[name]
    assert play(method, instance, n_masks - 2).purchased == tuple(order)


@needs_shared
@pytest.mark.parametrize("d", [4, 6])
def test_the_recorded_random_orders_are_met(d):
    orders = recorded("random_orders_seed")[f"d{d}"]
    assert len(orders) == 20
    for seed, order in orders.items():
        assert [masks.mask_of(i, d) for i in designs.random_order(d, int(seed))] == order


@needs_shared
@pytest.mark.parametrize("name", names("artifacts"))
def test_a_recorded_artifact_is_graded_alike(name):
    artifact = read("artifacts", f"{name}.json")
    family, truth = reference(artifact["instance"])
    expected = artifact["recorded_score"]
    submitted = [artifact["submission"][mask] for mask in sorted(artifact["submission"])]
    score = surfaces.grade(truth, surfaces.overwrite_measured(submitted, artifact["observations"]))
    numbers = {theirs: getattr(score, field) for theirs, field in FIELDS.items()}
    for field in expected.keys() & numbers.keys():
        assert numbers[field] == pytest.approx(expected[field], rel=0, abs=DIGITS), field
    verdicts = {
        "selected_mask": score.selected_mask,
        "near_optimal_choice": score.near_choice,
        "strict_effect_reconstruction": score.strict[0.1],
    }
    for field in expected.keys() & verdicts.keys():
        assert verdicts[field] == expected[field], field
    if "projected_effect_recovery" in expected:
        representative = equivalences.representatives(family, 6)
        projected = equivalences.project(submitted, artifact["observations"], representative)
        recovery = surfaces.grade(truth, projected).effect_recovery
        assert recovery == pytest.approx(expected["projected_effect_recovery"], rel=0, abs=DIGITS)


@needs_shared
@pytest.mark.parametrize("name", REFITTED)
def test_the_shared_gaussian_process_fits_an_agents_observations_alike(name):
    artifact = read("artifacts", f"{name}.json")
    expected = artifact["recorded_score"]
    _, truth = reference(artifact["instance"])
    player = controls.start("gp_effect_variance", 6, artifact["budget"])
    score = surfaces.grade(truth, player.predict(artifact["observations"]))
    for field in ("effect_recovery", "effect_mae"):
        recorded_value = expected[f"shared_gp_{field}"]
        assert getattr(score, field) == pytest.approx(recorded_value, rel=0, abs=DIGITS), field


@needs_shared
@pytest.mark.parametrize(
    ("method", "budget", "recovery"),
    [
        ("design_degree2", 20, 0.157),
        ("code_canonical_design_degree2", 20, 0.389),
        ("gp_effect_variance", 20, 0.248),
        ("gp_code_effect_variance", 20, 0.462),
        ("design_degree2", 32, 0.445),
        ("code_canonical_design_degree2", 32, 0.650),
        ("gp_effect_variance", 32, 0.537),
        ("gp_code_effect_variance", 32, 0.697),
    ],
)
def test_the_published_means_of_the_six_paired_conditions_are_met(method, budget, recovery):
    runs = [play(method, f"{source}__d6", budget) for source in PAIRED]
    mean = statistics.fmean(run.score.effect_recovery for run in runs)
    assert mean == pytest.approx(recovery, rel=0, abs=0.0005)


@needs_shared
@pytest.mark.parametrize("instance", names("references"))
def test_some_factor_reverses_its_sign_everywhere_but_in_banknote(instance):
    _, truth = reference(instance)
    assert surfaces.sign_reversals(truth).any() == (instance != "banknote")


@needs_shared
@pytest.mark.parametrize("source", PAIRED)
def test_claimed_equivalences_stand_in_the_published_utilities(source):
    family, truth = reference(f"{source}__d6")
    representative = equivalences.representatives(family, 6)
    assert [truth[index] for index in representative] == list(truth)


@needs_shared
@pytest.mark.parametrize("source", PAIRED)
def test_a_paired_variant_repeats_the_four_factor_surface(source):
    _, four = reference(source)
    _, six = reference(f"{source}__d6")
    assert [six[index << 2] for index in range(16)] == list(four)
