"""Time the plan of numerical controls against one episode at a time, on one thread.

Run as ``python -m benchmarks.control_plan``; prints one JSON line per track, for the whole plan of
one condition, and one for the catalogue, where each track weighs as many conditions as it has.
``ratio`` is the CPU time of the trajectories over that of the single episodes, measured in one run;
predictions of both are compared bit by bit. The trajectories run first, on empty caches.
"""

import json
import time
from collections import defaultdict

from catalog.workflows.conditions import CONDITIONS
from catalog.workflows.environment import single_threaded
from catalog.workflows.tables import read_table
from leaderboards.control_plan import PLANS, trajectories
from scoring.controls import run_budgets, run_control

CONDITION_OF = {"d4": "wine", "d6-paired": "wine__d6", "d6-added": "karate__d6"}
N_CONDITIONS = {"d4": 22, "d6-paired": 6, "d6-added": 8}

Predictions = dict[tuple[str, int, int], list[float]]


def main() -> None:
    plan_s: defaultdict[str, float] = defaultdict(float)
    episodes_s: defaultdict[str, float] = defaultdict(float)
    n_records = 0
    with single_threaded():
        for track, slug in CONDITION_OF.items():
            family = CONDITIONS[slug].family.name
            surface = tuple(read_table(slug).utility.values())
            started = time.process_time()
            ours = play_plan(track, surface, family)
            between = time.process_time()
            alone = play_episodes(track, surface, family)
            plan_s[track] = between - started
            episodes_s[track] = time.process_time() - between
            if ours != alone:
                msg = f"{slug}: predictions differ"
                raise AssertionError(msg)
            report(track, plan_s[track], episodes_s[track], n_records=len(ours))
            n_records += N_CONDITIONS[track] * len(ours)
    whole = [
        sum(N_CONDITIONS[track] * seconds for track, seconds in of_track.items())
        for of_track in (plan_s, episodes_s)
    ]
    report("all", *whole, n_records=n_records)


def play_plan(track: str, surface: tuple[float, ...], family: str) -> Predictions:
    return {
        (found.method, found.seed, budget): run.prediction.tolist()
        for found in trajectories(PLANS[track].record_keys(), surface=surface, family=family)
        for budget, run in run_budgets(
            found.method, surface, found.budgets, seed=found.seed, family=family
        ).items()
    }


def play_episodes(track: str, surface: tuple[float, ...], family: str) -> Predictions:
    return {
        (method, seed, budget): run_control(
            method, surface, budget, seed=seed, family=family
        ).prediction.tolist()
        for method, seed, budget in PLANS[track].record_keys()
    }


def report(track: str, plan_s: float, episodes_s: float, *, n_records: int) -> None:
    ratio = round(plan_s / episodes_s, 3)
    figures = {"ratio": ratio, "plan_s": plan_s, "episodes_s": episodes_s, "n": n_records}
    print(json.dumps({"benchmark": "control_plan", "track": track, **figures}))


if __name__ == "__main__":
    main()
