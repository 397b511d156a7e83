"""`manage.py run_controls --jobs 2`: let every numerical control run on every current task."""

from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from multiprocessing import get_context
from typing import Protocol

from django.core.management.base import BaseCommand, CommandError

from catalog.models import Task
from leaderboards import actions, queries
from leaderboards.control_plan import Control, Trajectory, play


class Command(BaseCommand):
    """Stores what each trajectory gives; a run that was stopped goes on with what is missing."""

    help = "Run the plan of numerical controls on the current tasks; what is stored is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--task", metavar="SLUG", help="one task only")
        parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")

    def handle(self, *args: object, task: str | None, jobs: int, **options: object) -> None:
        """Play, store, and say how far it is; one line a method."""
        if task is not None and not Task.objects.filter(slug=task, is_current=True).exists():
            raise CommandError(f"There is no current task {task}.")
        if jobs < 1:
            raise CommandError("--jobs must be at least 1.")
        pending = queries.pending_controls(task)
        with _players(jobs) as play_all:
            played = zip(pending, play_all(pending), strict=True)
            for method, of_method in groupby(played, lambda pair: pair[0].method):
                n_new = sum(actions.record_controls(controls=found) for _, found in of_method)
                self.stdout.write(f"{method}: {n_new} records, {_progress()}")
        self.stdout.write(_progress())


class PlayAll(Protocol):
    """Play every trajectory, in their order."""

    def __call__(self, trajectories: list[Trajectory], /) -> Iterator[list[Control]]: ...


@contextmanager
def _players(n_jobs: int) -> Iterator[PlayAll]:
    if n_jobs == 1:
        yield lambda trajectories: map(play, trajectories)
        return
    # Fresh processes: a forked one would share this one's connection to the database.
    with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool:
        yield lambda trajectories: pool.map(play, trajectories)


def _progress() -> str:
    tables = queries.control_tables()
    n_records = sum(table.n_records for table in tables)
    return f"{n_records} of {sum(table.n_planned for table in tables)} records stored"
