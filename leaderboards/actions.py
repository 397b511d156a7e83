"""Writes of consequences. Each can be repeated: the same facts give the same rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isnan

import structlog
from django.db import connection, transaction

import scoring
from judgments.models import Study
from leaderboards import agreement_report, queries, state_standings
from leaderboards.control_plan import Control
from leaderboards.metrics import as_row
from leaderboards.models import (
    AgreementComputation,
    Board,
    Computation,
    ControlRecord,
    EpisodeScore,
    Standing,
    StateBoard,
    StateComputation,
    StateStanding,
)
from leaderboards.standings import BoardRecords, Place, place_entries

SEED = 3
N_DRAWS = 2000
EPISODES_AT_ONCE = 500
# People may answer while their answers are read, one statement after the other.
READS_UNTIL_STILL = 5
# Names the lock of this database under which boards are made anew; nothing else uses the number.
_RECOMPUTATION = 20_261_130

log = structlog.get_logger(__name__)


@contextmanager
def recomputation(*, waits: bool) -> Iterator[bool]:
    """Keep every other recomputation out; yield whether that is so, which it is if it waits.

    A rebuild from scratch deletes boards that another one is about to compute.
    """
    take = "SELECT pg_advisory_lock(%s)" if waits else "SELECT pg_try_advisory_lock(%s)"
    with connection.cursor() as cursor:
        cursor.execute(take, [_RECOMPUTATION])
        is_alone = waits or bool(cursor.fetchone()[0])
        try:
            yield is_alone
        finally:
            if is_alone:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_RECOMPUTATION])


def score_episodes(*, n_at_once: int = EPISODES_AT_ONCE) -> int:
    """Grade every delivered episode that has no score under this version; return how many.

    Each list of at most `n_at_once` is a transaction of its own: one that is interrupted goes on
    from there.

    Raises
    ------
    catalog.truth.OutcomeMissing
        If a task's outcomes are not loaded whole.
    """
    n_scored = 0
    for graded in queries.unscored_episodes(n_at_once=n_at_once):
        with transaction.atomic(durable=True):
            # Two workers may grade the same episode; both find the same.
            EpisodeScore.objects.bulk_create(
                [
                    EpisodeScore(episode=episode, scoring_version=scoring.VERSION, **as_row(score))
                    for episode, score in graded
                ],
                ignore_conflicts=True,
            )
        n_scored += len(graded)
    if n_scored:
        log.info("episodes_scored", n_episodes=n_scored, scoring_version=scoring.VERSION)
    return n_scored


def open_boards() -> None:
    """Make the boards that closed episodes call for."""
    with transaction.atomic(durable=True):
        boards = Board.objects.bulk_create(queries.missing_boards(), ignore_conflicts=True)
    if boards:
        log.info("boards_opened", boards=[board.slug for board in boards])


def publish(*, board: Board, seed: int = SEED, n_draws: int = N_DRAWS) -> Computation:
    """Compute the board from its facts and point it at the result.

    The same facts, scoring version, seed and draws find the row that they made before.

    Raises
    ------
    leaderboards.queries.NothingToPublish
        If no episode of the board is closed.
    leaderboards.standings.SentinelOutOfOrder
        If the order of a metric contradicts its definition; the board stays as it was.
    """
    with transaction.atomic(durable=True):
        locked = Board.objects.select_for_update().get(pk=board.pk)
        records = queries.load_records(locked)
        computation, is_new = Computation.objects.get_or_create(
            board=locked,
            scoring_version=scoring.VERSION,
            input_digest=records.input_digest,
            seed=seed,
            n_draws=n_draws,
            defaults={
                "n_tasks": records.n_tasks,
                "n_sources": len(records.source_families),
                "n_families": len(set(records.source_families)),
                "n_episodes": records.n_episodes,
                "facts_until": records.facts_until,
            },
        )
        if is_new:
            _write_standings(computation, records)
        locked.current = computation
        locked.save(update_fields=["current"])
    log.info("board_published", board=board.slug, input_digest=computation.input_digest)
    return computation


def _write_standings(computation: Computation, records: BoardRecords) -> None:
    places = place_entries(records, seed=computation.seed, n_draws=computation.n_draws)
    Standing.objects.bulk_create(_standing(computation, place) for place in places)


def _standing(computation: Computation, place: Place) -> Standing:
    entry = place.entry
    return Standing(
        computation=computation,
        agent_id=entry.agent_id,
        is_baseline=entry.is_baseline,
        rank=place.rank,
        rank_low=place.rank_low,
        rank_high=place.rank_high,
        unranked_reason=place.unranked_reason,
        recovery_low=place.recovery_low,
        recovery_high=place.recovery_high,
        n_delivered=entry.n_delivered,
        n_attempted=entry.n_attempted,
        n_attempted_tasks=entry.n_attempted_tasks,
        family_scores=entry.family_scores,
        **entry.means,
    )


def open_state_boards() -> None:
    """Make the boards that published sets of research states call for, one an interface."""
    with transaction.atomic(durable=True):
        StateBoard.objects.bulk_create(queries.missing_state_boards(), ignore_conflicts=True)


def publish_state_board(*, board: StateBoard) -> StateComputation:
    """Compute a board of states from its facts and point it at the result."""
    with transaction.atomic(durable=True):
        locked = StateBoard.objects.select_for_update().get(pk=board.pk)
        records = queries.load_state_records(locked)
        computation, is_new = StateComputation.objects.get_or_create(
            board=locked,
            scoring_version=scoring.VERSION,
            input_digest=records.input_digest,
            defaults={
                "seed": state_standings.SEED,
                "n_draws": state_standings.N_DRAWS,
                "n_states": len(records.states),
                "n_open_states": records.n_open_states,
                "n_proposals": records.n_proposals,
                "facts_until": records.facts_until,
            },
        )
        if is_new:
            StateStanding.objects.bulk_create(
                StateStanding(computation=computation, position=position, **vars(place))
                for position, place in enumerate(queries.placed_states(records))
            )
        locked.current = computation
        locked.save(update_fields=["current"])
    log.info("state_board_published", board=board.slug, input_digest=computation.input_digest)
    return computation


def recompute_stale_boards() -> list[Computation | StateComputation]:
    """Bring scores, boards and reports up to the facts; return the boards published."""
    score_episodes()
    open_boards()
    open_state_boards()
    published: list[Computation | StateComputation] = [
        *(publish(board=board) for board in queries.stale_boards()),
        *(publish_state_board(board=board) for board in queries.stale_state_boards()),
    ]
    recompute_stale_agreements()
    return published


def publish_agreement(*, study: Study, versions: Sequence[int]) -> AgreementComputation:
    """Compute the report on these protocol versions together, in place of the one before.

    Raises
    ------
    leaderboards.queries.NothingToReport
        If nobody who counts has completed a scenario.
    leaderboards.queries.MetricsMissing
        If an action has no metric; the message names it.
    leaderboards.agreement_report.PathsDisagree
        If Postgres and NumPy find different numbers; the stored report stays as it was.
    """
    with transaction.atomic(durable=True):
        for _ in range(READS_UNTIL_STILL):
            stamp = queries.facts_stamp(study)
            records = queries.load_agreement_records(study, versions)
            if queries.facts_stamp(study) == stamp:
                break
        computation, _ = AgreementComputation.objects.update_or_create(
            study=study,
            versions=queries.versions_key(versions),
            defaults={
                "scoring_version": scoring.VERSION,
                "input_digest": records.input_digest,
                # Should the facts have moved while they were read, the next look finds this old.
                "facts_stamp": stamp,
                "seed": agreement_report.SEED,
                "n_draws": agreement_report.N_DRAWS,
                "facts_until": records.facts_until,
                "report": agreement_report.write_report(records),
            },
        )
    log.info("agreement_published", study=study.pk, input_digest=computation.input_digest)
    return computation


def bring_agreement_up_to_date(*, study: Study, versions: Sequence[int]) -> AgreementComputation:
    """Return the report on these protocol versions, computed again if the facts have changed.

    Raises
    ------
    NothingToReport, MetricsMissing, PathsDisagree
        As `publish_agreement`.
    """
    stored = queries.current_agreement(study, versions)
    return stored or publish_agreement(study=study, versions=versions)


def recompute_stale_agreements() -> None:
    """Bring the report on every protocol version of every study up to the facts.

    Where metrics are missing the report stays as it was; other studies do not wait for them.
    """
    for study in Study.objects.all():
        for version in queries.answered_versions(study):
            try:
                bring_agreement_up_to_date(study=study, versions=[version])
            except queries.MetricsMissing as gap:
                log.error("agreement_not_published", study=study.pk, reason=str(gap))


def record_controls(*, controls: Sequence[Control]) -> int:
    """Store graded controls; return how many. One that is there stays as it is."""
    with transaction.atomic(durable=True):
        records = ControlRecord.objects.bulk_create(
            [_control_record(control) for control in controls], ignore_conflicts=True
        )
    n_tasks = len({control.task_id for control in controls})
    log.info("controls_recorded", n_tasks=n_tasks, n_records=len(records))
    return len(records)


def _control_record(control: Control) -> ControlRecord:
    metrics = as_row(control.score)
    # Where a sealed task's best mask is predicted would tell about its surface.
    del metrics["selected_mask"]
    return ControlRecord(
        task_id=control.task_id,
        scoring_version=scoring.VERSION,
        method=control.method,
        seed=control.seed,
        budget_credits=control.budget,
        spent_credits=control.spent,
        native_recovery=None if isnan(control.native_recovery) else control.native_recovery,
        **metrics,
    )


def delete_consequences() -> None:
    """Delete every score, board, report and computation: facts are enough to make them again."""
    with transaction.atomic(durable=True):
        Board.objects.update(current=None)
        StateBoard.objects.update(current=None)
        for model in (
            *(Standing, Computation, Board, EpisodeScore),
            *(StateStanding, StateComputation, StateBoard, AgreementComputation),
        ):
            model.objects.all().delete()
    log.info("consequences_deleted")
