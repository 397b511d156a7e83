"""Which numerical controls are run: every method at every budget of a track, as published."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scoring.controls import CODE_METHODS, METHODS

N_RANDOM_ORDERS = 20
RANDOM_METHODS = frozenset({"random_degree2"})
PLAIN_METHODS = tuple(method for method in METHODS if method not in CODE_METHODS)


@dataclass(frozen=True)
class Plan:
    """The budgets and methods of one track; random orders count once a seed."""

    budgets: tuple[int, ...]
    methods: tuple[str, ...]

    def trajectories(self) -> Iterator[tuple[str, int]]:
        """Yield method and seed of every trajectory on one task; each is graded at all budgets."""
        for method in self.methods:
            for seed in range(n_seeds(method)):
                yield method, seed

    @property
    def n_records(self) -> int:
        """Number of records of one task."""
        return len(self.budgets) * sum(map(n_seeds, self.methods))


# By track of the catalogue. Only the paired six-factor workflows have guards to read.
PLANS: Mapping[str, Plan] = {
    "d4": Plan((0, 4, 8, 14), PLAIN_METHODS),
    "d6-paired": Plan((0, 4, 8, 14, 20, 32, 62), METHODS),
    "d6-added": Plan((0, 8, 20, 32, 62), PLAIN_METHODS),
}


def n_seeds(method: str) -> int:
    """Return how many records a method has on one task at one budget."""
    return N_RANDOM_ORDERS if method in RANDOM_METHODS else 1
