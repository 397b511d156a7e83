"""Time the replay of all records with shared stages against one mask at a time, on one thread.

Run as ``python -m benchmarks.replay_stages``; prints one JSON line per family and one for all.
``ratio`` is the CPU time of the shared replay over that of the other, measured in one run;
predictions of both are compared.
"""

import json
import time
from collections import defaultdict

from catalog.workflows.conditions import CONDITIONS
from catalog.workflows.environment import single_threaded
from catalog.workflows.replay import replay
from catalog.workflows.tables import table_of


def main() -> None:
    shared_s: defaultdict[str, float] = defaultdict(float)
    single_s: defaultdict[str, float] = defaultdict(float)
    for slug, condition in CONDITIONS.items():
        started = time.process_time()
        table = table_of(slug, replay(condition))
        shared_s[condition.family.name] += time.process_time() - started

        started = time.process_time()
        prepared = condition.source.prepare()
        with single_threaded():
            outcomes = {mask: condition.family.run(prepared, mask) for mask in condition.masks}
        single_s[condition.family.name] += time.process_time() - started

        for mask, outcome in outcomes.items():
            if outcome.prediction_sha256 != table.prediction_sha256[mask]:
                msg = f"{slug} {mask}: predictions differ"
                raise AssertionError(msg)
    for family in shared_s:
        report(family, shared_s[family], single_s[family])
    report("all", sum(shared_s.values()), sum(single_s.values()))


def report(family: str, shared_s: float, single_s: float) -> None:
    figures = {"ratio": round(shared_s / single_s, 3), "shared_s": shared_s, "single_s": single_s}
    print(json.dumps({"benchmark": "replay_stages", "family": family, **figures}))


if __name__ == "__main__":
    main()
