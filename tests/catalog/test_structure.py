"""The structure figures of the catalogue, counted again by hand from the committed tables."""

import pytest
from django.core.management import call_command

from catalog.actions.releases import publish_structure
from catalog.models import Release, ReleaseStructure, Scale, Task
from catalog.truth import surface
from catalog.workflows.conditions import CONDITIONS
from catalog.workflows.tables import read_table
from scoring import VERSION
from tests.builders import make_release, make_task
from tests.catalog.first_release import load_first_release

pytestmark = pytest.mark.django_db


def effects_by_hand(utility: dict[str, float]) -> list[list[float]]:
    """Return the conditional effects of each factor, from the masks as strings."""
    d = len(next(iter(utility)))
    return [
        [
            utility[f"{mask[:i]}1{mask[i + 1 :]}"] - utility[mask]
            for mask in utility
            if mask[i] == "0"
        ]
        for i in range(d)
    ]


def test_the_first_release_has_the_counts_of_the_specification():
    """specs/surface-episodes.md, structure of the catalogue."""
    load_first_release()
    found = Release.objects.get().structure
    assert found.n_tasks == 36
    assert found.n_records == 22 * 16 + 6 * 64 + 8 * 64 == 1248
    assert found.n_effects == 22 * 32 + 14 * 192 == 3392
    assert found.n_interactions == 22 * 6 + 14 * 15 == 342
    assert found.n_factors == 22 * 4 + 14 * 6
    assert found.n_reversing == [36, 33, 28, 21]
    assert found.scoring_version == VERSION


def test_the_counts_of_whatever_is_loaded_are_those_counted_by_hand():
    call_command("load_catalog", verbosity=0)
    by_task, by_factor = [0] * 4, [0] * 4
    n_records, n_effects = 0, 0
    for slug in CONDITIONS:
        utility = read_table(slug).utility
        effects_of = effects_by_hand(utility)
        n_records += len(utility)
        n_effects += sum(map(len, effects_of))
        width = max(utility.values()) - min(utility.values())
        for column, floor in enumerate((1e-12, 0.01 * width, 0.05 * width, 0.1 * width)):
            n = sum(
                any(e > floor for e in effects) and any(e < -floor for e in effects)
                for effects in effects_of
            )
            by_factor[column] += n
            by_task[column] += n > 0
    found = Release.objects.get().structure
    assert (found.n_tasks, found.n_records, found.n_effects) == (
        len(CONDITIONS),
        n_records,
        n_effects,
    )
    assert found.n_reversing == by_task
    assert found.n_factors_reversing == by_factor


def test_the_scale_of_every_task_is_stored_sealed_ones_too():
    call_command("load_catalog", verbosity=0)
    assert Scale.objects.count() == len(CONDITIONS)
    for scale in Scale.objects.select_related("task"):
        utility = read_table(scale.task.slug).utility
        effects = [effect for factor in effects_by_hand(utility) for effect in factor]
        assert scale.utility_range == max(utility.values()) - min(utility.values())
        assert scale.mean_absolute_effect == pytest.approx(
            sum(map(abs, effects)) / len(effects), abs=1e-15
        )


def test_counts_follow_the_tasks_that_are_current():
    load_first_release()
    Task.objects.filter(n_factors=6).update(is_current=False)
    release = Release.objects.get()
    current = {task: surface(task) for task in release.tasks.filter(is_current=True)}
    publish_structure(release=release, surfaces=current)
    assert ReleaseStructure.objects.get().n_effects == 22 * 32


def flat_release(n_tasks: int) -> ReleaseStructure:
    tasks = [make_task(f"flat-{number}", truth=[0.5] * 16) for number in range(n_tasks)]
    return publish_structure(
        release=make_release(), surfaces={task: surface(task) for task in tasks}
    )


def test_a_release_whose_surfaces_are_flat_has_no_median():
    found = flat_release(8)
    assert found.median_higher_order_share is None
    assert found.n_reversing == [0, 0, 0, 0]


def test_of_fewer_than_eight_tasks_no_reversal_is_stored_since_it_would_tell_of_single_ones():
    found = flat_release(7)
    assert found.n_effects == 7 * 32
    assert found.n_reversing == found.n_factors_reversing == []
    assert found.median_higher_order_share is None
