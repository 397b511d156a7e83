"""Which numerical controls are run: every method at every budget of a track, as published."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scoring.controls import CODE_METHODS, METHODS, run_budgets
from scoring.native_units import native_recovery
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
class Trajectory:
    """One method on one surface, to be graded at several budgets."""

    method: str
    seed: int
    budgets: tuple[int, ...]
    surface: tuple[float, ...]
    family: str


@dataclass(frozen=True)
class Control:
    """One graded control."""

    method: str
    seed: int
    budget: int
    spent: int
    score: SurfaceScore
    native_recovery: float


def trajectories(
    keys: Iterable[Key], *, surface: tuple[float, ...], family: str
) -> list[Trajectory]:
    """Return the trajectories that give the records of these keys, each played once."""
    budgets: dict[tuple[str, int], list[int]] = {}
    for method, seed, budget in keys:
        budgets.setdefault((method, seed), []).append(budget)
    return [
        Trajectory(method, seed, tuple(asked), surface, family)
        for (method, seed), asked in budgets.items()
    ]


def play(trajectory: Trajectory) -> list[Control]:
    """Play one trajectory: what a process is handed."""
    runs = run_budgets(
        trajectory.method,
        trajectory.surface,
        trajectory.budgets,
        seed=trajectory.seed,
        family=trajectory.family,
    )
    return [
        Control(
            method=trajectory.method,
            seed=trajectory.seed,
            budget=budget,
            spent=len(run.purchased),
            score=run.score,
            native_recovery=native_recovery(trajectory.surface, run.prediction, trajectory.family),
        )
        for budget, run in runs.items()
    ]
