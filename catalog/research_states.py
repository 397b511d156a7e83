"""The synthetic research states: what was seen so far, and how likely it makes each mechanism."""

import random
from dataclasses import dataclass

G1_SEED = 11
G1_STATES = 30
BUDGETS = (4, 6, 8)
N_MECHANISMS = 6


@dataclass(frozen=True)
class ResearchState:
    """A partly explained gain on three or four data sets.

    A data set is improved or not, by `deltas` points. The signature of a mechanism marks the data
    sets that it would improve; its weight is one more than the improved ones among them.
    """

    budget: int
    improved: tuple[bool, ...]
    deltas: tuple[float, ...]
    signatures: tuple[tuple[bool, ...], ...]

    @property
    def weights(self) -> tuple[int, ...]:
        return tuple(
            1
            + sum(
                marked and better for marked, better in zip(signature, self.improved, strict=True)
            )
            for signature in self.signatures
        )

    @property
    def prior(self) -> tuple[float, ...]:
        """The probability of each of the six mechanisms."""
        total = sum(self.weights)
        return tuple(weight / total for weight in self.weights)


@dataclass(frozen=True)
class PublishedState:
    """What the paper prints of its state 0: its prior and signatures are not recoverable.

    A design is the set of interventions and the number of seeds.
    """

    budget: int
    deltas: tuple[float, ...]
    design: tuple[tuple[int, ...], int]
    design_with_prediction: tuple[tuple[int, ...], int]


# Designing Informative Actions, arXiv 2611.00773v1: the designs cost 5.00 and 7.75.
PUBLISHED_STATE_0 = PublishedState(
    budget=8,
    deltas=(1.5, 2.6, -0.3, 3.5),
    design=((1, 3), 8),
    design_with_prediction=((0, 1, 2, 3, 4, 5), 9),
)


def generate_states(*, seed: int = G1_SEED, n_states: int = G1_STATES) -> tuple[ResearchState, ...]:
    """Draw states by generator G1; its own seed gives the 30 public ones, any other sealed ones."""
    # Only random() is called: its stream is the one that Python promises to keep.
    source = random.Random(seed)  # noqa: S311 - reproducible states, not a secret
    return tuple(_draw_state(source) for _ in range(n_states))


def _draw_state(source: random.Random) -> ResearchState:
    # The order of the draws is the generator: do not rearrange.
    budget = BUDGETS[int(source.random() * len(BUDGETS))]
    n_datasets = 3 + int(source.random() * 2)
    improved = _draw_marks(source, n_datasets)
    while not any(improved) or all(improved):
        improved = _draw_marks(source, n_datasets)
    deltas = tuple(
        round(1 + 3 * source.random(), 1) if better else round(-0.5 + 0.8 * source.random(), 1)
        for better in improved
    )
    signatures = tuple(_draw_signature(source, n_datasets) for _ in range(N_MECHANISMS))
    return ResearchState(budget, improved, deltas, signatures)


def _draw_signature(source: random.Random, n_datasets: int) -> tuple[bool, ...]:
    signature = _draw_marks(source, n_datasets)
    while not any(signature):
        signature = _draw_marks(source, n_datasets)
    return signature


def _draw_marks(source: random.Random, n_datasets: int) -> tuple[bool, ...]:
    return tuple(source.random() < 0.5 for _ in range(n_datasets))
