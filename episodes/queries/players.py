"""How far the numerical players are."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db.models import Max, QuerySet

from episodes.models import PlayerJob
from episodes.states import JobState
from scoring.controls import METHODS


@dataclass(frozen=True)
class Panel:
    """The players of one budget and view: they are asked for together and read together."""

    budget_credits: int
    view: str

    @property
    def key(self) -> str:
        """What names the panel in an address."""
        return f"{self.budget_credits}-{self.view}"


@dataclass(frozen=True)
class Tally:
    """How many jobs of a group stand where; of jobs that were run again, the last run counts."""

    n_done: int
    n_running: int
    n_queued: int
    n_lost: int

    @classmethod
    def of(cls, states: Iterable[str]) -> Self:
        """Count the states."""
        listed = list(states)
        return cls(
            n_done=listed.count(JobState.DONE),
            n_running=listed.count(JobState.RUNNING),
            n_queued=listed.count(JobState.QUEUED),
            n_lost=listed.count(JobState.LOST),
        )

    @property
    def n_jobs(self) -> int:
        """All jobs of the group."""
        return self.n_done + self.n_running + self.n_queued + self.n_lost

    @property
    def is_over(self) -> bool:
        """Whether every job is done or lost."""
        return self.n_running + self.n_queued == 0

    @property
    def status(self) -> str:
        """One word for the group: done only if every job is, so that no loss hides (case C56)."""
        if not self.is_over:
            return "running" if self.n_running or self.n_done else "queued"
        if not self.n_lost:
            return "done"
        return "partial" if self.n_done else "lost"

    @property
    def label(self) -> str:
        """The status, with the share that is done where only some jobs are."""
        if self.n_done in (0, self.n_jobs):
            return self.status
        return f"{self.status} ({self.n_done}/{self.n_jobs})"


@dataclass(frozen=True)
class TaskProgress:
    """One task's row: a tally for each method, None for a method that does not play it."""

    slug: str
    tallies: tuple[Tally | None, ...]


@dataclass(frozen=True)
class LostJob:
    """A job that ended by our fault, and why."""

    method: str
    seed: int
    slug: str
    cause: str


@dataclass(frozen=True)
class PanelProgress:
    """Where the jobs of a panel stand: a table of tasks by methods, its total, what was lost."""

    panel: Panel
    methods: tuple[str, ...]
    tasks: tuple[TaskProgress, ...]
    total: Tally
    lost: tuple[LostJob, ...]
    last_activity_at: datetime | None


def list_panels() -> list[Panel]:
    """Return every panel that was asked for, the one asked for last first."""
    rows = PlayerJob.objects.values("budget_credits", "view").annotate(last=Max("created_at"))
    ordered = rows.order_by("-last", "budget_credits", "view")
    return [Panel(row["budget_credits"], row["view"]) for row in ordered]


def panel_progress(panel: Panel) -> PanelProgress:
    """Return where the last run of every job of the panel stands."""
    jobs = PlayerJob.objects.filter(
        budget_credits=panel.budget_credits, view=panel.view, task__is_current=True
    )
    last_runs = list(
        jobs.order_by("task__slug", "method", "seed", "-run")
        .distinct("task__slug", "method", "seed")
        .select_related("task")
    )
    states: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for job in last_runs:
        states[job.task.slug, job.method].append(job.state)
    tallies = {cell: Tally.of(group) for cell, group in states.items()}
    played = {method for _, method in tallies}
    methods = tuple(method for method in METHODS if method in played)
    return PanelProgress(
        panel=panel,
        methods=methods,
        tasks=tuple(
            TaskProgress(slug, tuple(tallies.get((slug, method)) for method in methods))
            for slug in sorted({slug for slug, _ in tallies})
        ),
        total=Tally.of(job.state for job in last_runs),
        lost=tuple(
            LostJob(job.method, job.seed, job.task.slug, job.cause)
            for job in last_runs
            if job.state == JobState.LOST
        ),
        last_activity_at=_last_activity_at(jobs),
    )


def _last_activity_at(jobs: QuerySet[PlayerJob]) -> datetime | None:
    times = jobs.aggregate(
        created=Max("created_at"), finished=Max("finished_at"), leased=Max("lease_until")
    )
    if times["leased"]:
        times["leased"] -= timedelta(seconds=settings.JOB_LEASE_SECONDS)
    return max((time for time in times.values() if time), default=None)
