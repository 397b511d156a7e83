"""Time `grade`, `grade_all` and a player against plain code, and compare results.

Run as ``python -m benchmarks.scoring_surfaces``; prints one JSON line per benchmark. ``ratio`` is
plain CPU time over ours, measured in one run. Plain is Python mask by mask; for
`grade_all` it is a loop of `grade` over predictions of one task, as many as its budgets or 100.
"""

import itertools
import json
import math
import random
import time
from collections.abc import Callable
from typing import TypeVar

from scoring import controls, gaussian_process, masks, surfaces

Table = dict[str, float]
Matrix = list[list[float]]
Result = TypeVar("Result")

TOLERANCE = 1e-12


def main() -> None:
    for d, repeats in ((4, 200), (6, 50)):
        report_grade(d, repeats)
    for d, n_predictions in ((4, 4), (6, 7), (6, 100)):
        report_grade_all(d, n_predictions)
    for d, budget in ((4, 8), (6, 8), (6, 20)):
        report_player(d, budget)


def report_grade(d: int, repeats: int) -> None:
    truth, prediction = surface(d, seed=1), surface(d, seed=2)
    truth_values, prediction_values = list(truth.values()), list(prediction.values())
    ours_s, score = timed(lambda: surfaces.grade(truth_values, prediction_values), repeats)
    plain_s, plain = timed(lambda: plain_grade(truth, prediction), repeats)
    for name, value in plain.items():
        assert_equal(name, getattr(score, name), value)
    report("grade", ours_s, plain_s, d=d, n=repeats)


def report_grade_all(d: int, n_predictions: int) -> None:
    truth = list(surface(d, seed=1).values())
    predictions = [list(surface(d, seed=seed).values()) for seed in range(2, n_predictions + 2)]
    ours_s, scores = timed(lambda: surfaces.grade_all(truth, predictions), 20)
    loop_s, alone = timed(lambda: [surfaces.grade(truth, each) for each in predictions], 20)
    if scores != alone:
        msg = "the scores of a batch differ from those of single predictions"
        raise AssertionError(msg)
    report("grade_all", ours_s, loop_s, d=d, n=n_predictions)


def report_player(d: int, budget: int) -> None:
    truth = surface(d, seed=3)
    values = list(truth.values())
    ours_s, run = timed(lambda: controls.run_control("gp_effect_variance", values, budget), 3)
    plain_s, (purchased, prediction) = timed(lambda: plain_player(truth, budget), 1)
    if run.purchased != purchased:
        msg = f"purchases differ: {run.purchased} and {purchased}"
        raise AssertionError(msg)
    for mask, value in zip(truth, run.prediction.tolist(), strict=True):
        assert_equal(mask, value, prediction[mask])
    report("gp_effect_variance", ours_s, plain_s, d=d, budget=budget, n=1)


def report(benchmark: str, ours_s: float, plain_s: float, **setting: int) -> None:
    figures = {"ratio": round(plain_s / ours_s, 2), "ours_s": ours_s, "plain_s": plain_s}
    print(json.dumps({"benchmark": benchmark, **figures, **setting}))


def timed(call: Callable[[], Result], repeats: int) -> tuple[float, Result]:
    call()  # fills the caches of index arrays, which a process pays for once
    started = time.process_time()
    for _ in range(repeats):
        result = call()
    return (time.process_time() - started) / repeats, result


def assert_equal(name: str, ours: float, plain: float) -> None:
    if not abs(ours - plain) <= TOLERANCE:
        msg = f"{name} differs: {ours!r} and {plain!r}"
        raise AssertionError(msg)


def surface(d: int, *, seed: int) -> Table:
    rng = random.Random(seed)  # noqa: S311 - a benchmark's data, not a secret
    return {mask: rng.random() for mask in masks.all_masks(d)}


# The plain implementation: dictionaries of masks and lists of lists, straight from the formulas.


def switched(mask: str, *factors: int) -> str:
    return "".join("1" if i in factors else level for i, level in enumerate(mask))


def plain_grade(truth: Table, prediction: Table) -> dict[str, float]:
    d = len(next(iter(truth)))
    effect_errors, sizes = [], []
    for i in range(d):
        for mask in (mask for mask in truth if mask[i] == "0"):
            effect = truth[switched(mask, i)] - truth[mask]
            sizes.append(abs(effect))
            effect_errors.append(abs(prediction[switched(mask, i)] - prediction[mask] - effect))
    interaction_errors = [
        abs(plain_interaction(prediction, i, j) - plain_interaction(truth, i, j))
        for i, j in itertools.combinations(range(d), 2)
    ]
    effect_mae, mean_absolute_effect = mean(effect_errors), mean(sizes)
    selected = min(prediction, key=lambda mask: (-prediction[mask], mask.count("1"), mask))
    return {
        "effect_mae": effect_mae,
        "mean_absolute_effect": mean_absolute_effect,
        "effect_recovery": max(0.0, 1.0 - effect_mae / mean_absolute_effect),
        "interaction_mae": mean(interaction_errors),
        "grid_mae": mean([abs(prediction[mask] - truth[mask]) for mask in truth]),
        "selection_regret": max(truth.values()) - truth[selected],
    }


def plain_interaction(table: Table, i: int, j: int) -> float:
    return mean(
        [
            table[switched(mask, i, j)]
            - table[switched(mask, i)]
            - table[switched(mask, j)]
            + table[mask]
            for mask in table
            if mask[i] == mask[j] == "0"
        ]
    )


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def plain_player(truth: Table, budget: int) -> tuple[tuple[str, ...], Table]:
    d = len(next(iter(truth)))
    observed = {anchor: truth[anchor] for anchor in masks.anchors(d)}
    purchased: list[str] = []
    while len(purchased) < budget:
        mask = plain_purchase(tuple(truth), observed)
        observed[mask] = truth[mask]
        purchased.append(mask)
    scale, nugget = plain_hyperparameters(observed)
    weights, _, z = plain_weights(tuple(truth), observed, scale, nugget)
    constant = dot(z, list(observed.values())) / math.fsum(z)
    residuals = [utility - constant for utility in observed.values()]
    fitted = {mask: constant + dot(weights[mask], residuals) for mask in truth}
    return tuple(purchased), {
        mask: observed.get(mask, min(1.0, max(0.0, value))) for mask, value in fitted.items()
    }


def plain_purchase(cells: tuple[str, ...], observed: Table) -> str:
    scale, nugget = plain_hyperparameters(observed)
    weights, cross, z = plain_weights(cells, observed, scale, nugget)
    total = math.fsum(z)
    m = {mask: 1.0 - dot(cross[mask], z) for mask in cells}
    covariance = {
        (a, b): kernel(a, b, scale) - dot(weights[a], cross[b]) + m[a] * m[b] / total
        for a in cells
        for b in cells
    }

    def score(candidate: str) -> float:
        gain = math.fsum(
            (covariance[switched(low, i), candidate] - covariance[low, candidate]) ** 2
            for i in range(len(candidate))
            for low in cells
            if low[i] == "0"
        )
        return round(gain / max(covariance[candidate, candidate] + nugget, 1e-12), 12)

    return max((mask for mask in cells if mask not in observed), key=score)


def plain_weights(
    cells: tuple[str, ...], observed: Table, scale: float, nugget: float
) -> tuple[dict[str, list[float]], dict[str, list[float]], list[float]]:
    inverse = inverted(plain_kernel_matrix(observed, scale, nugget))
    cross = {mask: [kernel(mask, other, scale) for other in observed] for mask in cells}
    weights = {mask: [dot(row, cross[mask]) for row in inverse] for mask in cells}
    return weights, cross, [math.fsum(row) for row in inverse]


def plain_hyperparameters(observed: Table) -> tuple[float, float]:
    grid = itertools.product(gaussian_process.LENGTH_SCALES, gaussian_process.NUGGETS)
    return min(grid, key=lambda pair: (plain_loss(observed, *pair), -pair[0], -pair[1]))


def plain_loss(observed: Table, scale: float, nugget: float) -> float:
    inverse, y = inverted(plain_kernel_matrix(observed, scale, nugget)), list(observed.values())
    z = [math.fsum(row) for row in inverse]
    total = math.fsum(z)
    squares = []
    for i, row in enumerate(inverse):
        projected = [q - z[i] * z_j / total for q, z_j in zip(row, z, strict=True)]
        squares.append((dot(projected, y) / projected[i]) ** 2)
    return round(mean(squares), 14)


def plain_kernel_matrix(observed: Table, scale: float, nugget: float) -> Matrix:
    return [[kernel(a, b, scale) + nugget * (a == b) for b in observed] for a in observed]


def kernel(a: str, b: str, scale: float) -> float:
    return math.exp(-sum(x != y for x, y in zip(a, b, strict=True)) / scale)


def dot(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def inverted(matrix: Matrix) -> Matrix:
    # Gauss-Jordan; the kernel matrix is positive definite, so no pivoting is needed.
    n = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for k in range(n):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


if __name__ == "__main__":
    main()
