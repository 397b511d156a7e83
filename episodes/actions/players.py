"""Which numerical players take part: one agent a method, one job for each task that it can play."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from django.db import transaction

from catalog.models import Task
from episodes.actions import jobs
from episodes.models import Agent, AgentKind, PlayerJob, View
from episodes.states import JobState
from scoring.controls import CODE_METHODS
from scoring.equivalences import guards_of

log = structlog.get_logger(__name__)

DESCRIPTIONS = {
    "design_degree1": "Buys where a ridge fit of main effects is least certain; predicts with it.",
    "design_degree2": "Buys where a ridge fit of main effects and pairs is least certain; "
    "predicts with it.",
    "random_degree2": "Buys in random order; predicts with a ridge fit of main effects and pairs.",
    "gp_grid_variance": "Gaussian process: buys what removes most variance of the utilities.",
    "gp_effect_variance": "Gaussian process: buys what removes most variance of the effects.",
    "code_canonical_design_degree1": "design_degree1 that reads from the code which masks are "
    "one configuration.",
    "code_canonical_design_degree2": "design_degree2 that reads from the code which masks are "
    "one configuration.",
    "gp_code_effect_variance": "gp_effect_variance that reads from the code which masks are one "
    "configuration.",
}
_SEEDED_METHODS = frozenset({"random_degree2"})


class BudgetTooLarge(Exception):
    """A task has fewer masks to buy than the budget."""

    def __init__(self, budget: int, tasks: Iterable[Task]) -> None:
        most = ", ".join(f"{task.slug} {task.n_masks - 2}" for task in tasks)
        super().__init__(f"A budget of {budget} is more than can be bought: at most {most}.")


class PlayerNameTaken(Exception):
    """An agent of another kind has the name of a player."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The agent {name!r} is no numerical player: rename it first.")


@dataclass(frozen=True)
class Enqueued:
    """What one call of `enqueue_players` found and did."""

    n_new: int
    n_again: int  # the last run was lost, so a new run was added
    n_present: int


@transaction.atomic(durable=True)
def enqueue_players(
    *,
    budget: int,
    tasks: Sequence[Task],
    methods: Iterable[str],
    seeds: Iterable[int],
    view: View,
    now: datetime,
) -> Enqueued:
    """Ask for every method on every task that it can play; what was asked already is not repeated.

    Raises
    ------
    BudgetTooLarge
        If a task has fewer masks to buy.
    PlayerNameTaken
        If an agent of another kind has the name of a method.
    """
    if too_small := [task for task in tasks if not 0 <= budget <= task.n_masks - 2]:
        raise BudgetTooLarge(budget, too_small)
    seeds = tuple(seeds)
    wanted = [
        (method, seed, task)
        for method in methods
        for task in tasks
        if _can_play(method, task, view)
        for seed in (seeds if method in _SEEDED_METHODS else (0,))
    ]
    _ensure_agents({method for method, _, _ in wanted}, now=now)
    last = _last_runs(budget=budget, tasks=tasks, view=view)
    rows = [
        PlayerJob(
            method=method,
            seed=seed,
            task=task,
            budget_credits=budget,
            view=view,
            run=run + 1,
            created_at=now,
        )
        for method, seed, task in wanted
        for run, state in [last.get((method, seed, task.pk), (0, JobState.LOST))]
        if state == JobState.LOST
    ]
    # Somebody else may be asking for the same; their rows win and are not sent from here.
    PlayerJob.objects.bulk_create(rows, ignore_conflicts=True)
    added = dict(PlayerJob.objects.filter(id__in=[row.id for row in rows]).values_list("id", "run"))
    transaction.on_commit(partial(jobs.send_jobs, job_ids=list(added), now=now))
    n_new = sum(run == 1 for run in added.values())
    counts = Enqueued(n_new=n_new, n_again=len(added) - n_new, n_present=len(wanted) - len(added))
    log.info("players_enqueued", budget=budget, view=str(view), n_new=n_new)
    return counts


def _can_play(method: str, task: Task, view: View) -> bool:
    """Tell whether a method differs from its plain form: it needs code, and guards in it."""
    if method not in CODE_METHODS:
        return True
    has_guards = bool(guards_of(task.source.family_id, task.n_factors))
    return view == View.FULL and has_guards


def _ensure_agents(names: set[str], *, now: datetime) -> None:
    Agent.objects.bulk_create(
        [
            Agent(name=name, kind=AgentKind.PLAYER, description=DESCRIPTIONS[name], created_at=now)
            for name in sorted(names)
        ],
        ignore_conflicts=True,
    )
    if taken := Agent.objects.filter(name__in=names).exclude(kind=AgentKind.PLAYER).first():
        raise PlayerNameTaken(taken.name)


def _last_runs(
    *, budget: int, tasks: Iterable[Task], view: View
) -> dict[tuple[str, int, int], tuple[int, str]]:
    """Return number and state of the last run, by method, seed and task."""
    jobs = PlayerJob.objects.filter(budget_credits=budget, task__in=tasks, view=view)
    return {
        (job.method, job.seed, job.task_id): (job.run, job.state) for job in jobs.order_by("run")
    }
