"""Who is ranked and where, on plain values."""

import dataclasses
from uuid import UUID

import pytest

from leaderboards.metrics import METRICS, RECOVERY, Direction
from leaderboards.standings import (
    BoardRecords,
    EntryRecord,
    SentinelOutOfOrder,
    check_sentinels,
    place_entries,
)
from tests.builders import NOW


def entry(number: int, *source_scores: float, **changes: object) -> EntryRecord:
    """Return an entry on one family; its errors are halves of what it missed."""
    mean = sum(source_scores) / len(source_scores)
    errors = dict.fromkeys(("selection_regret", "grid_mae", "interaction_mae"), (1 - mean) / 2)
    shares = dict.fromkeys(
        ("recovery_score", "delivered_recovery_score", "exact_share", "strict_share"), mean
    )
    plain = EntryRecord(
        agent_id=UUID(int=number),
        is_baseline=False,
        is_person=False,
        is_active=True,
        recovery_score=mean,
        means=shares | errors,
        family_scores={"forecasting": mean},
        source_scores=source_scores,
        n_attempted=2,
        n_delivered=2,
        n_attempted_tasks=2,
        n_lost=0,
    )
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def place(*entries: EntryRecord):
    records = BoardRecords(
        input_digest="0" * 64,
        facts_until=NOW,
        n_tasks=2,
        n_episodes=4,
        source_families=["forecasting", "forecasting"],
        source_slugs=["nile", "sunspots"],
        entries=entries,
    )
    return place_entries(records, seed=3, n_draws=200)


def test_ties_share_a_rank_and_the_next_rank_is_left_out():
    places = place(entry(1, 0.5, 0.3), entry(2, 0.3, 0.5), entry(3, 0.1, 0.1))
    assert [found.rank for found in places] == [1, 1, 3]


def test_scores_that_differ_by_rounding_only_are_a_tie():
    places = place(entry(1, 0.1 + 0.2, 0.3), entry(2, 0.3, 0.3))
    assert [found.rank for found in places] == [1, 1]


def test_an_entry_better_on_every_source_keeps_its_rank_in_every_draw():
    best, worst = place(entry(1, 0.9, 0.7), entry(2, 0.4, 0.2))
    assert (best.rank, best.rank_low, best.rank_high) == (1, 1, 1)
    assert (worst.rank, worst.rank_low, worst.rank_high) == (2, 2, 2)
    assert (best.recovery_low, best.recovery_high) == (0.7, 0.9)


def test_entries_that_win_on_different_sources_have_a_range_of_ranks():
    first, second = place(entry(1, 0.9, 0.3), entry(2, 0.2, 0.8))
    assert (first.rank_low, first.rank_high) == (1, 2)
    assert (second.rank_low, second.rank_high) == (1, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"is_active": False}, "withdrawn"),
        ({"is_person": True}, "plays in a browser, anonymous"),
        ({"n_delivered": 0}, "nothing delivered"),
        ({"n_lost": 1}, "1 episode lost by us, to be run again"),
        ({"n_lost": 2}, "2 episodes lost by us, to be run again"),
    ],
)
def test_an_entry_that_is_not_ranked_says_why_and_takes_no_rank(changes, reason):
    unranked, other = place(entry(1, 0.9, 0.9, **changes), entry(2, 0.1, 0.1))
    assert (unranked.rank, unranked.unranked_reason) == (None, reason)
    assert other.rank == 1


def test_a_board_without_a_ranked_entry_has_places_all_the_same():
    (only,) = place(entry(1, 0.9, 0.9, is_active=False))
    assert only.rank is None


def test_the_oracle_is_first_and_the_constant_last_by_every_definition():  # C44
    check_sentinels([entry(1, 1.0, 1.0), entry(2, 0.0, 0.0), entry(3, 0.4, 0.6)])


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_turned_upside_down_stops_publishing(metric):  # C44
    other = Direction.LOWER if metric.direction is Direction.HIGHER else Direction.HIGHER
    with pytest.raises(SentinelOutOfOrder, match=metric.title):
        check_sentinels([entry(1, 0.5)], [dataclasses.replace(metric, direction=other)])


def test_a_score_outside_what_can_be_reached_stops_publishing():
    with pytest.raises(SentinelOutOfOrder, match="oracle is not first"):
        check_sentinels([entry(1, 1.2)])
    with pytest.raises(SentinelOutOfOrder, match="constant is not last"):
        check_sentinels([entry(1, -0.2)], [RECOVERY])
