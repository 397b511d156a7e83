"""Reads that cross tables: what scores and boards are made from, and what their doors show."""

from leaderboards.queries.boards import (
    BY_RANK,
    ORDERS,
    BoardNotFound,
    BoardReading,
    Entry,
    Trial,
    count_open_episodes,
    count_open_tasks,
    featured_board,
    list_trials,
    published_boards,
    read_board,
    read_boards,
    read_entry,
)
from leaderboards.queries.records import (
    NothingToPublish,
    load_records,
    missing_boards,
    stale_boards,
)
from leaderboards.queries.scores import (
    ClosedEpisode,
    EpisodeOpen,
    grade_episode,
    load_score,
    read_score,
    unscored_episodes,
)
from leaderboards.queries.tables import board_table

__all__ = [
    "BY_RANK",
    "ORDERS",
    "BoardNotFound",
    "BoardReading",
    "ClosedEpisode",
    "Entry",
    "EpisodeOpen",
    "NothingToPublish",
    "Trial",
    "board_table",
    "count_open_episodes",
    "count_open_tasks",
    "featured_board",
    "grade_episode",
    "list_trials",
    "load_records",
    "load_score",
    "missing_boards",
    "published_boards",
    "read_board",
    "read_boards",
    "read_entry",
    "read_score",
    "stale_boards",
    "unscored_episodes",
]
