"""The plan of the published controls (specs/numerical-controls.md, "The 4,206 records")."""

from collections import Counter

from catalog.models import Track
from leaderboards.control_plan import PLANS

N_TASKS = {Track.FOUR_FACTOR: 22, Track.SIX_FACTOR_PAIRED: 6, Track.SIX_FACTOR_ADDED: 8}


def test_every_track_has_a_plan():
    assert list(PLANS) == Track.values


def test_the_catalogues_structure_gives_4206_records():
    n_records = {track: len(list(plan.record_keys())) for track, plan in PLANS.items()}
    assert sum(n_tasks * n_records[track] for track, n_tasks in N_TASKS.items()) == 4206


def test_the_records_of_each_kind_are_the_published_ones():
    counts: Counter[tuple[str, str]] = Counter()
    for track, plan in PLANS.items():
        for method, _, _ in plan.record_keys():
            if track == Track.SIX_FACTOR_ADDED:
                kind = "any"
            elif method.startswith("gp"):
                kind = "gp"
            else:
                kind = "code ridge" if method.startswith("code") else "ridge"
            counts[track, kind] += N_TASKS[Track(track)]
    assert counts == {
        ("d4", "ridge"): 1936,
        ("d4", "gp"): 176,
        ("d6-paired", "gp"): 126,
        ("d6-paired", "ridge"): 924,
        ("d6-paired", "code ridge"): 84,
        ("d6-added", "any"): 960,
    }
