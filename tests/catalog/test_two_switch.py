"""Two switches around a right choice whose effects are predicted worst."""

import itertools

import pytest

from catalog.effect_tables import Outcomes, TaskSurface
from catalog.two_switch import SMALL_RECOVERY, find_example
from catalog.workflows.conditions import CONDITIONS
from catalog.workflows.tables import read_table
from scoring.controls import run_control


def surface_of(slug: str) -> TaskSurface:
    letters = CONDITIONS[slug].factors
    names = dict.fromkeys(("release", "family", "source", "version", "track", "disclosure"), "")
    return TaskSurface(
        **names,
        task=slug,
        factors={factor.letter: factor.name for factor in letters},
        outcomes=Outcomes(read_table(slug).utility),
    )


@pytest.mark.parametrize("slug", ["digits", "rocket", "simulated_sinus__d6"])
def test_the_face_around_the_choice_is_the_one_with_the_largest_error(slug):
    truth = read_table(slug).utility
    run = run_control("design_degree2", list(truth.values()), 8)
    predicted = dict(zip(truth, run.prediction, strict=True))
    example = find_example(surface_of(slug))
    assert example.recovery == run.score.effect_recovery < SMALL_RECOVERY
    assert truth[example.chosen] == max(truth.values())

    errors, sizes = [], []
    for i, j in itertools.combinations(range(len(example.chosen)), 2):
        face = {
            a + b: example.chosen[:i] + a + example.chosen[i + 1 : j] + b + example.chosen[j + 1 :]
            for a in "01"
            for b in "01"
        }
        edges = [("00", "10"), ("01", "11"), ("00", "01"), ("10", "11")]
        off_by = [
            (predicted[face[on]] - predicted[face[off]]) - (truth[face[on]] - truth[face[off]])
            for off, on in edges
        ]
        errors.append(sum(map(abs, off_by)) / 4)
        sizes.append(sum(abs(truth[face[on]] - truth[face[off]]) for off, on in edges) / 4)
    assert example.effect_mae == pytest.approx(max(errors), abs=1e-12)
    assert example.mean_absolute_effect == pytest.approx(
        sizes[errors.index(max(errors))], abs=1e-12
    )


def test_measured_cells_are_predicted_as_they_were_measured():
    example = find_example(surface_of("rocket"))
    measured = [cell for cell in example.cells if cell.is_measured]
    assert measured
    assert all(cell.true_utility == cell.predicted_utility for cell in measured)
    assert {cell.mask for cell in example.cells} >= {example.chosen}
    assert len({cell.mask for cell in example.cells}) == 4


@pytest.mark.parametrize("slug", ["debtags", "nile"])
def test_a_wrong_choice_or_a_good_recovery_is_no_example(slug):
    assert find_example(surface_of(slug)) is None
