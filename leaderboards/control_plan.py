"""Which numerical controls are run: every method at every budget of a track, as published."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scoring.controls import BLIND_METHODS, CODE_METHODS, METHODS, run_surfaces
from scoring.native_units import ERROR_FAMILIES, native_recovery
from scoring.surfaces import SurfaceScore

N_RANDOM_ORDERS = 20
RANDOM_METHODS = frozenset({"random_degree2"})
PLAIN_METHODS = tuple(method for method in METHODS if method not in CODE_METHODS)

Key = tuple[str, int, int]  # method, seed, budget


@dataclass(frozen=True)
class Plan:
    """The budgets and methods of one track."""

    budgets: tuple[int, ...]
    methods: tuple[str, ...]

    def record_keys(self) -> Iterator[Key]:
        """Yield what identifies each record of one task."""
        for method in self.methods:
            for seed in range(n_seeds(method)):
                for budget in self.budgets:
                    yield method, seed, budget


# By track of the catalogue. Only the paired six-factor workflows have guards to read.
PLANS: Mapping[str, Plan] = {
    "d4": Plan((0, 4, 8, 14), PLAIN_METHODS),
    "d6-paired": Plan((0, 4, 8, 14, 20, 32, 62), METHODS),
    "d6-added": Plan((0, 8, 20, 32, 62), PLAIN_METHODS),
}


def n_seeds(method: str) -> int:
    """Return how many records a method has on one task at one budget."""
    return N_RANDOM_ORDERS if method in RANDOM_METHODS else 1


@dataclass(frozen=True)
class PlayedTask:
    """What is known of a task on which controls are run; hidden outcomes among it."""

    task_id: int
    surface: tuple[float, ...]
    family: str


@dataclass(frozen=True)
class Trajectory:
    """One method, to be graded at several budgets on tasks on which it buys the same masks."""

    method: str
    seed: int
    budgets: tuple[int, ...]
    tasks: tuple[PlayedTask, ...]


@dataclass(frozen=True)
class Control:
    """One graded control."""

    task_id: int
    method: str
    seed: int
    budget: int
    spent: int
    score: SurfaceScore
    native_recovery: float


def trajectories(missing: Mapping[PlayedTask, Iterable[Key]]) -> list[Trajectory]:
    """Return the trajectories that give these records, by method; each is played once."""
    found: dict[tuple[object, ...], Trajectory] = {}
    for task, keys in missing.items():
        budgets: dict[tuple[str, int], list[int]] = {}
        for method, seed, budget in keys:
            budgets.setdefault((method, seed), []).append(budget)
        for (method, seed), asked in budgets.items():
            key = (method, seed, *asked, *_purchases_follow(method, task))
            known = found[key].tasks if key in found else ()
            found[key] = Trajectory(method, seed, tuple(asked), (*known, task))
    return sorted(found.values(), key=lambda trajectory: METHODS.index(trajectory.method))


def _purchases_follow(method: str, task: PlayedTask) -> tuple[object, ...]:
    """Return what of a task decides which masks a method buys there."""
    if method not in BLIND_METHODS:
        return ("task", task.task_id)
    return (len(task.surface), task.family if method in CODE_METHODS else None)


def play(trajectory: Trajectory) -> list[Control]:
    """Play one trajectory: what a process is handed."""
    runs = run_surfaces(
        trajectory.method,
        [task.surface for task in trajectory.tasks],
        trajectory.budgets,
        seed=trajectory.seed,
        family=trajectory.tasks[0].family,
    )
    return [
        Control(
            task_id=task.task_id,
            method=trajectory.method,
            seed=trajectory.seed,
            budget=budget,
            spent=len(run.purchased),
            score=run.score,
            native_recovery=(
                native_recovery(task.surface, run.prediction, task.family)
                if task.family in ERROR_FAMILIES
                else run.score.effect_recovery
            ),
        )
        for task, of_task in zip(trajectory.tasks, runs, strict=True)
        for budget, run in of_task.items()
    ]
