"""Time the information of all designs against plain enumeration and against NumPy's log.

Run as ``python -m benchmarks.information``; prints one JSON line per benchmark. The catalogue is
the 30 public states, 693 designs each; plain enumeration is timed on one state and taken 30 times.
"""

import functools
import itertools
import json
import math
import operator
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from catalog.research_states import generate_states
from scoring import costs
from scoring.information import N_INTERVENTIONS, N_MECHANISMS, SEEDS, information_gain

Result = TypeVar("Result")

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)
TOLERANCE = 1e-12
REPEATS = 20  # the fastest counts: other programs only ever add time


def main() -> None:
    priors = [state.prior for state in generate_states()]
    ours_s, gains = timed(lambda: [information_gain(prior) for prior in priors], REPEATS)
    report_enumeration(priors, ours_s, gains[0])
    report_log(len(priors), ours_s)


def report_enumeration(
    priors: Sequence[Sequence[float]], ours_s: float, gains: np.ndarray[tuple[int, int]]
) -> None:
    one_state_s, plain = timed(
        lambda: [plain_gain(priors[0], d.interventions, d.n) for d in costs.all_designs()], 1
    )
    for design, gain in zip(costs.all_designs(), plain, strict=True):
        if not abs(gains[design.index] - gain) <= TOLERANCE:
            msg = f"{design} differs: {gains[design.index]!r} and {gain!r}"
            raise AssertionError(msg)
    plain_s = len(priors) * one_state_s
    report("enumeration", round(plain_s / ours_s), ours_s=ours_s, plain_s=plain_s)


def report_log(n_states: int, ours_s: float) -> None:
    cells = np.random.default_rng(1).uniform(0.01, 9.0, (len(OUTCOMES) + 1) ** N_INTERVENTIONS)
    n_logs = n_states * len(SEEDS)
    log_s, _ = timed(lambda: [np.log(cells) for _ in range(n_logs)][-1], REPEATS)
    report("log", round(ours_s / log_s, 2), ours_s=ours_s, log_s=log_s)


def report(benchmark: str, ratio: float, **seconds: float) -> None:
    print(json.dumps({"benchmark": f"information_{benchmark}", "ratio": ratio, **seconds}))


def timed(call: Callable[[], Result], repeats: int) -> tuple[float, Result]:
    best_s = math.inf
    for _ in range(repeats):
        started = time.process_time()
        result = call()
        best_s = min(best_s, time.process_time() - started)
    return best_s, result


# The plain implementation: the definition, one outcome after the other.


def plain_gain(
    prior: Sequence[float],
    interventions: Sequence[int],
    n: int,
    mu: Sequence[Sequence[int]] | None = None,
) -> float:
    kernels = [plain_kernel(n, mean) for mean in (0, 1)]
    removes = [
        [int(h == j) if mu is None else mu[h][j] for j in interventions]
        for h in range(N_MECHANISMS)
    ]
    expected = 0.0
    for outcome in itertools.product(range(len(OUTCOMES)), repeat=len(interventions)):
        joint = [
            p * product(kernels[mean][y] for mean, y in zip(row, outcome, strict=True))
            for p, row in zip(prior, removes, strict=True)
        ]
        total = sum(joint)
        expected += total * entropy([weight / total for weight in joint])
    return entropy(prior) - expected


def plain_kernel(n: int, mean: float) -> list[float]:
    scale = 0.55 * math.sqrt(5 / n)
    weights = [math.exp(-((y - mean) ** 2) / (2 * scale**2)) for y in OUTCOMES]
    return [weight / sum(weights) for weight in weights]


product = functools.partial(functools.reduce, operator.mul)


def entropy(distribution: Sequence[float]) -> float:
    return -sum(p * math.log(p) for p in distribution if p > 0)


if __name__ == "__main__":
    main()
