"""Reads of the public side of the catalogue."""

import itertools
from collections.abc import Callable, Iterable, Iterator

from django.db.models import QuerySet

from catalog.effect_tables import RELEASE_STRUCTURE, TABLES, Outcomes, TaskSurface
from catalog.models import Disclosure, ReleaseStructure, ResearchState, Scenario, Task
from catalog.state_texts import StateText, request_text
from catalog.tabular_files import FlatTable, Row
from scoring.masks import all_masks
from scoring.responses import Interface
from scoring.structure import REVERSAL_FLOORS


class TaskNotFound(Exception):
    """No current task has this slug."""

    code = "task_not_found"

    def __init__(self) -> None:
        super().__init__("There is no such task.")
        self.details = {"task": ["is not in the catalogue"]}


class StateNotFound(Exception):
    """No research state has this slug."""

    code = "state_not_found"

    def __init__(self) -> None:
        super().__init__("There is no such research state.")
        self.details = {"state": ["is not in the catalogue"]}


def research_states() -> QuerySet[ResearchState]:
    """Return every research state with its set, in catalogue order."""
    return ResearchState.objects.select_related("state_set")


def find_state(slug: str) -> ResearchState:
    """Return the research state.

    Raises
    ------
    StateNotFound
        If the catalogue has no such state.
    """
    state = research_states().filter(slug=slug).first()
    if state is None:
        raise StateNotFound
    return state


def state_requests(state: ResearchState) -> dict[Interface, str]:
    """Return what a request of each interface says of the state."""
    text = StateText(**state.text)
    return {
        interface: request_text(text, budget=state.budget, interface=interface)
        for interface in Interface
    }


def current_tasks() -> QuerySet[Task]:
    """Return the current version of every task with its source and family, in catalogue order."""
    return _tasks().filter(is_current=True)


def find_task(slug: str) -> Task:
    """Return the current version of the task.

    Raises
    ------
    TaskNotFound
        If the catalogue has no such task.
    """
    task = current_tasks().filter(slug=slug).first()
    if task is None:
        raise TaskNotFound
    return task


def task_versions(slug: str) -> list[Task]:
    """Return all versions of a task, the current one first, then the newest."""
    return list(_tasks().filter(slug=slug).order_by("-is_current", "-published_at", "version"))


def shown_passages(scenario: Scenario) -> list[str]:
    """Return every text of a scenario that people or models may read, its actions included."""
    parts = [*scenario.mechanisms, *scenario.interventions]
    return [
        scenario.title,
        scenario.question,
        scenario.baseline,
        *scenario.observations,
        *(text for part in parts for text in (part["name"], part["text"])),
        *(action.text for action in scenario.actions.all()),  # may be fetched beforehand
    ]


def task_surface(task: Task, outcomes: Outcomes) -> TaskSurface:
    """Return a task's outcomes as plain values with what names the task."""
    return TaskSurface(
        release=task.release_id,
        family=task.source.family_id,
        source=task.source_id,
        task=task.slug,
        version=task.version,
        track=task.track,
        disclosure=task.disclosure,
        factors={factor["letter"]: factor["name"] for factor in task.factors},
        outcomes=outcomes,
    )


def open_surface(task: Task) -> TaskSurface | None:
    """Return the surface of a task if everybody may see it."""
    utilities = task.open_surface
    if utilities is None:
        return None
    in_mask_order = {mask: utilities[mask] for mask in all_masks(task.n_factors)}
    return task_surface(task, Outcomes(in_mask_order))


def open_surfaces() -> Iterator[TaskSurface]:
    """Yield the surfaces that everybody may see, in catalogue order."""
    for task in current_tasks().filter(disclosure=Disclosure.OPEN):
        if surface := open_surface(task):
            yield surface


def every_surface(read: Callable[[Task], Outcomes]) -> Iterator[TaskSurface]:
    """Yield the surface of every current task; the door brings the right to read the outcomes."""
    for task in current_tasks():
        yield task_surface(task, read(task))


def release_structures() -> QuerySet[ReleaseStructure]:
    """Return the counts over each release that has current tasks, the newest first."""
    counted = ReleaseStructure.objects.select_related("release").filter(n_tasks__gt=0)
    return counted.order_by("-release__published_at", "release")


def flat_tables(
    surfaces: Callable[[], Iterable[TaskSurface]],
) -> dict[FlatTable, Callable[[], Iterable[Row]]]:
    """Return the tables of the exports, each with a function that yields its rows anew."""
    rows = {
        table: lambda write=write: write(surfaces())  # bound now: the loop goes on
        for table, write in TABLES.items()
    }
    return rows | {RELEASE_STRUCTURE: _release_structure_rows}


def _release_structure_rows() -> Iterator[Row]:
    for one in release_structures():
        # A release of few tasks has no counts: its cells stay empty.
        for floor, n_tasks, n_factors in itertools.zip_longest(
            REVERSAL_FLOORS, one.n_reversing, one.n_factors_reversing
        ):
            yield (
                one.release_id,
                one.n_tasks,
                one.n_records,
                one.n_effects,
                one.n_interactions,
                one.n_factors,
                one.median_higher_order_share,
                floor,
                n_tasks,
                n_factors,
                one.scoring_version,
            )


def _tasks() -> QuerySet[Task]:
    return Task.objects.select_related("source__family", "release")
