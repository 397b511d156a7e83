"""What a board is computed from: its closed episodes, as means per entry."""

import json
from typing import Any

from django.db import connection

import scoring
from episodes.models import Episode
from episodes.states import EpisodeState
from leaderboards.metrics import METRICS, RECOVERY
from leaderboards.models import Board
from leaderboards.queries import statements
from leaderboards.standings import BoardRecords, EntryRecord


class NothingToPublish(Exception):
    """The board has no closed episode."""


def missing_boards() -> list[Board]:
    """Return a board, not yet saved, for every kind of closed episode that no board counts."""
    closed = Episode.objects.exclude(state=EpisodeState.OPEN).order_by()
    known = Board.objects.order_by().values_list("release", "track", "budget_credits", "view")
    keys = closed.values_list("task__release", "task__track", "budget_credits", "view")
    return [
        Board(
            slug=f"{track}-b{budget_credits}-{view}-{release}".replace(".", "-"),
            release_id=release,
            track=track,
            budget_credits=budget_credits,
            view=view,
        )
        for release, track, budget_credits, view in keys.difference(known)
    ]


def stale_boards() -> list[Board]:
    """Return the boards whose facts or scoring version are not those of their computation."""
    boards = list(Board.objects.select_related("current"))
    parameters: dict[str, Any] = {
        "boards": [board.slug for board in boards],
        "scoring_version": scoring.VERSION,
    }
    with connection.cursor() as cursor:
        cursor.execute(statements.DIGESTS, parameters)
        digests = dict(cursor.fetchall())
    return [
        board
        for board in boards
        if board.slug in digests
        and (
            board.current is None
            or board.current.scoring_version != scoring.VERSION
            or board.current.input_digest != digests[board.slug]
        )
    ]


def load_records(board: Board) -> BoardRecords:
    """Return what one computation of the board starts from, in one statement: one snapshot.

    Raises
    ------
    NothingToPublish
        If no episode of the board is closed.
    """
    parameters: dict[str, Any] = {
        "boards": [board.slug],
        "scoring_version": scoring.VERSION,
        "names": [metric.name for metric in METRICS],
        "paths": ["/".join(metric.path) for metric in METRICS],
        "missing": [metric.missing for metric in METRICS],
    }
    with connection.cursor() as cursor:
        cursor.execute(statements.RECORDS, parameters)
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    if not rows:
        raise NothingToPublish(f"{board.slug}: no closed episode")
    first = rows[0]
    return BoardRecords(
        input_digest=first["input_digest"],
        facts_until=first["facts_until"],
        n_tasks=first["n_tasks"],
        n_episodes=first["n_episodes"],
        source_families=first["source_families"],
        source_slugs=first["source_slugs"],
        entries=[_entry(row) for row in rows],
    )


def _entry(row: dict[str, Any]) -> EntryRecord:
    means = _floats(row["means"])
    return EntryRecord(
        agent_id=row["agent_id"],
        is_baseline=row["is_baseline"],
        is_person=row["is_person"],
        is_active=row["is_active"],
        recovery_score=means[RECOVERY.name],
        means=means,
        family_scores=_floats(row["family_scores"]),
        source_scores=row["source_scores"],
        n_attempted=row["n_attempted"],
        n_delivered=row["n_delivered"],
        n_attempted_tasks=row["n_attempted_tasks"],
        n_lost=row["n_lost"],
    )


def _floats(text: str) -> dict[str, Any]:
    # PostgreSQL writes the float 1.0 as 1; every digit that leaves must come from a float.
    return dict(json.loads(text, parse_int=float))
