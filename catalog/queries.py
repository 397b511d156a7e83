"""Reads of the public side of the catalogue."""

from django.db.models import QuerySet

from catalog.models import Scenario, Task


class TaskNotFound(Exception):
    """No current task has this slug."""

    code = "task_not_found"

    def __init__(self) -> None:
        super().__init__("There is no such task.")
        self.details = {"task": ["is not in the catalogue"]}


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
        *scenario.actions.values_list("text", flat=True),
    ]


def _tasks() -> QuerySet[Task]:
    return Task.objects.select_related("source__family", "release")
