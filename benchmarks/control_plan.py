"""Time the whole plan of numerical controls against plain per-episode code, on one thread.

Run as ``python -m benchmarks.control_plan``; prints one JSON line per track and one for all 4,206
records. ``ratio`` is the CPU time of the plan over that of plain NumPy code that follows the
specification and shares nothing between episodes, budgets or tasks; both grade every record, the
plan first and on empty caches. Scores are compared at 1e-9. ``n_tied`` counts records that differ:
NumPy's sums let the processor decide which of two tied candidates is bought.
"""

import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.workflows.conditions import CONDITIONS, Condition
from catalog.workflows.environment import single_threaded
from catalog.workflows.tables import read_table
from leaderboards.control_plan import PLANS, Key, PlayedTask, play, trajectories
from scoring.controls import CODE_METHODS
from scoring.equivalences import representatives
from scoring.surfaces import SurfaceScore, grade

TOLERANCE = 1e-9
ALPHAS = (1e-5, 0.001, 0.1, 1.0, 10.0)
LENGTH_SCALES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NUGGETS = (1e-6, 0.001, 0.03, 0.3)
RANDOM_ORDER_SEED = 20260907
COMPARED = ("effect_recovery", "effect_mae", "interaction_mae", "grid_mae")

Floats = NDArray[np.floating[Any]]
Purchase = Callable[[list[int], list[float], list[int]], int]
Fit = Callable[[list[int], list[float]], Floats]
Scores = dict[tuple[int, Key], SurfaceScore]


def main() -> None:
    totals = {"plan_s": 0.0, "plain_s": 0.0, "n": 0, "n_tied": 0}
    with single_threaded():
        for track, tasks in catalogue().items():
            started = time.process_time()
            ours = play_plan(track, tasks)
            between = time.process_time()
            plain = play_plain(track, tasks)
            figures = {
                "plan_s": between - started,
                "plain_s": time.process_time() - between,
                "n": len(ours),
                "n_tied": count_differing(ours, plain),
            }
            report(track, figures)
            totals = {name: total + figures[name] for name, total in totals.items()}
    report("all", totals)


def catalogue() -> dict[str, list[PlayedTask]]:
    tasks: dict[str, list[PlayedTask]] = {track: [] for track in PLANS}
    for number, (slug, condition) in enumerate(CONDITIONS.items()):
        surface = tuple(read_table(slug).utility.values())
        tasks[track_of(condition)].append(PlayedTask(number, surface, condition.family.name))
    return tasks


def track_of(condition: Condition) -> str:
    if condition.d == 4:
        return "d4"
    return "d6-paired" if 4 in condition.source.n_factors else "d6-added"


def play_plan(track: str, tasks: list[PlayedTask]) -> Scores:
    keys = list(PLANS[track].record_keys())
    return {
        (control.task_id, (control.method, control.seed, control.budget)): control.score
        for trajectory in trajectories(dict.fromkeys(tasks, keys))
        for control in play(trajectory)
    }


def play_plain(track: str, tasks: list[PlayedTask]) -> Scores:
    scores = {}
    for task in tasks:
        d = len(task.surface).bit_length() - 1
        for method, seed, budget in PLANS[track].record_keys():
            delivered = play_episode(
                method,
                task.surface,
                budget,
                seed=seed,
                classes=representatives(task.family, d) if method in CODE_METHODS else None,
            )
            scores[task.task_id, (method, seed, budget)] = grade(task.surface, delivered)
    return scores


def count_differing(ours: Scores, plain: Scores) -> int:
    differing = [key for key, score in ours.items() if not alike(score, plain[key])]
    for _, (method, *_) in differing:
        if method == "random_degree2":
            msg = f"{method} has no ties, and scores differ"
            raise AssertionError(msg)
    return len(differing)


def alike(ours: SurfaceScore, plain: SurfaceScore) -> bool:
    return all(abs(getattr(ours, name) - getattr(plain, name)) <= TOLERANCE for name in COMPARED)


def report(track: str, figures: Mapping[str, float]) -> None:
    ratio = round(figures["plan_s"] / figures["plain_s"], 3)
    print(json.dumps({"benchmark": "control_plan", "track": track, "ratio": ratio, **figures}))


# The plain implementation: one episode after the other.


def play_episode(
    method: str,
    truth: Sequence[float],
    budget: int,
    *,
    seed: int,
    classes: NDArray[np.intp] | None,
) -> Floats:
    """Return the surface that a method delivers; ``classes`` are the masks it takes for equal."""
    n_masks = len(truth)
    d = n_masks.bit_length() - 1
    representative = np.arange(n_masks) if classes is None else classes
    purchase, fit = rules(method, d, seed, representative)
    known = {int(representative[anchor]): truth[anchor] for anchor in (0, n_masks - 1)}
    for _ in range(budget):
        candidates = sorted(set(representative.tolist()) - known.keys())
        if not candidates:
            break
        bought = purchase(list(known), list(known.values()), candidates)
        known[bought] = truth[bought]
    surface = np.clip(fit(list(known), list(known.values())), 0.0, 1.0)
    surface[list(known)] = list(known.values())
    delivered: Floats = surface[representative]
    return delivered


def rules(method: str, d: int, seed: int, representative: NDArray[np.intp]) -> tuple[Purchase, Fit]:
    if "gp" in method:
        return gaussian_process(d, representative, by_effects=method != "gp_grid_variance")
    x = features(d, 1 if method.endswith("1") else 2)
    if method.startswith("random"):
        rng = np.random.default_rng(RANDOM_ORDER_SEED + seed)
        order = rng.permutation(np.arange(1, 2**d - 1)).tolist()
        return lambda cells, _, __: order[len(cells) - 2], ridge(x)
    return lambda cells, _, candidates: most_uncertain(x, cells, candidates), ridge(x)


def levels(d: int) -> NDArray[np.intp]:
    return np.array(list(itertools.product((0, 1), repeat=d)), dtype=np.intp)


def features(d: int, degree: int) -> Floats:
    signs = 2.0 * levels(d) - 1.0
    pairs = [signs[:, [i]] * signs[:, [j]] for i, j in itertools.combinations(range(d), 2)]
    return np.hstack([signs, *(pairs if degree == 2 else ())])


def most_uncertain(x: Floats, cells: list[int], candidates: list[int]) -> int:
    z = np.hstack([np.ones((len(x), 1)), x])
    penalty = np.diag([1e-8] + [0.01] * x.shape[1])
    inverse = np.linalg.inv(z[cells].T @ z[cells] + penalty)
    scores = np.round(((z @ inverse) * z).sum(axis=1), 10)
    return max(candidates, key=lambda cell: (scores[cell], -cell))


def ridge(x: Floats) -> Fit:
    def fit(cells: list[int], values: list[float]) -> Floats:
        y = np.array(values)
        losses = [leave_one_out_loss(x[cells], y, alpha) for alpha in ALPHAS]
        best = min(range(len(ALPHAS)), key=lambda at: (losses[at], -ALPHAS[at]))
        intercept, beta = penalised(x[cells], y, ALPHAS[best])
        surface: Floats = intercept + x @ beta
        return surface

    return fit


def leave_one_out_loss(x: Floats, y: Floats, alpha: float) -> float:
    squares = []
    for left_out in range(len(y)):
        kept = [row for row in range(len(y)) if row != left_out]
        intercept, beta = penalised(x[kept], y[kept], alpha)
        squares.append((y[left_out] - intercept - x[left_out] @ beta) ** 2)
    return round(float(np.mean(squares)), 14)


def penalised(x: Floats, y: Floats, alpha: float) -> tuple[float, Floats]:
    centred = x - x.mean(axis=0)
    gram = centred.T @ centred + alpha * np.eye(x.shape[1])
    beta = np.linalg.solve(gram, centred.T @ (y - y.mean()))
    return float(y.mean() - x.mean(axis=0) @ beta), beta


def gaussian_process(
    d: int, representative: NDArray[np.intp], *, by_effects: bool
) -> tuple[Purchase, Fit]:
    bits = levels(d)[representative]
    distance = (bits[:, None] != bits[None]).sum(axis=-1)
    low = np.array([cell for i in range(d) for cell in range(2**d) if not cell >> i & 1])
    high = np.array([cell | 1 << i for i in range(d) for cell in range(2**d) if not cell >> i & 1])

    def purchase(cells: list[int], values: list[float], candidates: list[int]) -> int:
        full, cross, inverse, nugget, _ = krige(distance, cells, np.array(values))
        z = inverse.sum(axis=1)
        m = 1.0 - cross @ z
        covariance = full - cross @ inverse @ cross.T + np.outer(m, m) / z.sum()
        covariance = (covariance + covariance.T) / 2.0
        counted = covariance[high] - covariance[low] if by_effects else covariance
        variance = np.maximum(np.diag(covariance) + nugget, 1e-12)
        scores = np.round((counted**2).sum(axis=0) / variance, 12)
        return max(candidates, key=lambda cell: (scores[cell], -cell))

    def fit(cells: list[int], values: list[float]) -> Floats:
        return krige(distance, cells, np.array(values))[-1]

    return purchase, fit


def krige(
    distance: NDArray[np.intp], cells: list[int], y: Floats
) -> tuple[Floats, Floats, Floats, float, Floats]:
    """Return prior and cross covariance, inverse, nugget and mean under the best setting."""
    grid = list(itertools.product(LENGTH_SCALES, NUGGETS))
    among = distance[np.ix_(cells, cells)]
    inverses = [
        np.linalg.inv(np.exp(-among / length_scale) + nugget * np.eye(len(y)))
        for length_scale, nugget in grid
    ]
    losses = [kriging_loss(inverse, y) for inverse in inverses]
    best = min(range(len(grid)), key=lambda at: (losses[at], -grid[at][0], -grid[at][1]))
    (length_scale, nugget), inverse = grid[best], inverses[best]
    full = np.exp(-distance / length_scale)
    z = inverse.sum(axis=1)
    constant = z @ y / z.sum()
    mean: Floats = constant + full[:, cells] @ (inverse @ (y - constant))
    return full, full[:, cells], inverse, nugget, mean


def kriging_loss(inverse: Floats, y: Floats) -> float:
    z = inverse.sum(axis=1)
    projected = inverse - np.outer(z, z) / z.sum()
    return round(float(np.mean((projected @ y / np.diag(projected)) ** 2)), 14)


if __name__ == "__main__":
    main()
