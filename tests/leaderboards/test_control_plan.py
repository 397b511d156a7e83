"""The plan of the published controls (specs/numerical-controls.md, "The 4,206 records")."""

from collections import Counter

from catalog.models import Track
from leaderboards.control_plan import PLANS

N_TASKS = {Track.FOUR_FACTOR: 22, Track.SIX_FACTOR_PAIRED: 6, Track.SIX_FACTOR_ADDED: 8}


def test_every_track_has_a_plan():
    assert list(PLANS) == Track.values


def test_the_catalogues_structure_gives_4206_records():
    assert sum(n_tasks * PLANS[track].n_records for track, n_tasks in N_TASKS.items()) == 4206


def test_the_records_of_each_kind_are_the_published_ones():
    counts: Counter[tuple[str, str]] = Counter()
    for track, plan in PLANS.items():
        for method, _ in plan.trajectories():
            if track == Track.SIX_FACTOR_ADDED:
                kind = "any"
            elif method.startswith("gp"):
                kind = "gp"
            else:
                kind = "code ridge" if method.startswith("code") else "ridge"
            counts[track, kind] += N_TASKS[Track(track)] * len(plan.budgets)
    assert counts == {
        ("d4", "ridge"): 1936,
        ("d4", "gp"): 176,
        ("d6-paired", "gp"): 126,
        ("d6-paired", "ridge"): 924,
        ("d6-paired", "code ridge"): 84,
        ("d6-added", "any"): 960,
    }
