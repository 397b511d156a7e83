"""Every write to an episode: start, buy, submit, expire, lose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from catalog import truth
from catalog.models import Task
from episodes.budget import check_budget, distinct_masks, masks_to_charge
from episodes.models import Agent, Episode, Measurement, Prediction, Purchase, View
from episodes.predictions import check_table
from episodes.queries.episodes import EpisodeNotFound, observations
from episodes.states import EpisodeClosed, EpisodeState, JobState, require_open

EXPIRY_CAUSE = "limit:deadline"

log = structlog.get_logger(__name__)


class IdempotencyKeyReused(Exception):
    """The key belongs to an earlier batch of other masks in the same episode."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__(
            "This Idempotency-Key was used for other masks. Reuse a key only to repeat the same "
            "request; take a new one for a new batch. Nothing was charged."
        )
        self.details: dict[str, object] = {}


@dataclass(frozen=True)
class BoughtMeasurements:
    """What an accepted batch gave: the utilities of the masks asked, and the balance after it."""

    observations: dict[str, float]
    charged: int
    credits_remaining: int
    replayed: bool


def start_episode(*, agent: Agent, task: Task, budget: int, view: str, now: datetime) -> Episode:
    """Open an episode of the task with the two anchors observed.

    Raises
    ------
    BudgetOutOfRange
        If the task has no such budget.
    """
    check_budget(budget, n_masks=task.n_masks)
    # One INSERT, committed on return; or with the job that opens its episode in one transaction.
    episode = Episode.objects.create(
        agent=agent,
        task=task,
        budget_credits=budget,
        view=View(view),
        created_at=now,
        deadline_at=now + timedelta(seconds=settings.EPISODE_SECONDS),
    )
    log.info("episode_started", episode_id=str(episode.id), agent=agent.name, task=task.slug)
    return episode


def buy_measurements(
    *,
    agent: Agent,
    episode_id: UUID,
    masks: Sequence[object],
    idempotency_key: str | None = None,
    now: datetime,
) -> BoughtMeasurements:
    """Reveal the utilities of the masks; each one not seen before costs a credit.

    A repeated key answers with the first reply, also when the episode has closed since: the
    agent that lost the reply paid for it.

    Raises
    ------
    EpisodeNotFound, IllegalMasks, IdempotencyKeyReused, EpisodeClosed, BudgetExceeded
        The batch is refused whole: nothing is charged and nothing revealed.
    """
    with transaction.atomic(durable=True):
        episode = _lock_own(agent, episode_id)
        asked = distinct_masks(masks, n_factors=episode.task.n_factors)
        purchase = _earlier_purchase(episode, idempotency_key, asked)
        replayed = purchase is not None
        if purchase is None:
            require_open(EpisodeState(episode.state), deadline_at=episode.deadline_at, now=now)
            purchase = _record_purchase(episode, asked, idempotency_key, now)
        observed = observations(episode)
    log.info(
        "measurements_bought",
        episode_id=str(episode.id),
        charged=purchase.charged_credits,
        credits_remaining=purchase.remaining_credits,
        replayed=replayed,
    )
    return BoughtMeasurements(
        observations={mask: observed[mask] for mask in purchase.masks},
        charged=purchase.charged_credits,
        credits_remaining=purchase.remaining_credits,
        replayed=replayed,
    )


def submit_prediction(
    *, agent: Agent, episode_id: UUID, predictions: Mapping[str, object], now: datetime
) -> Episode:
    """Store the agent's table and close the episode.

    Raises
    ------
    EpisodeNotFound, EpisodeClosed
    InvalidPredictions
        If the table cannot be graded; the episode stays open.
    """
    with transaction.atomic(durable=True):
        episode = _lock_own(agent, episode_id)
        require_open(EpisodeState(episode.state), deadline_at=episode.deadline_at, now=now)
        table = check_table(predictions, n_factors=episode.task.n_factors)
        Prediction.objects.create(episode=episode, table=table, submitted_at=now)
        _close(episode, EpisodeState.SUBMITTED, cause="", now=now)
    log.info("prediction_submitted", episode_id=str(episode.id))
    return episode


def expire_episodes(*, now: datetime) -> int:
    """Close every open episode whose deadline has passed; return how many.

    An episode of an unfinished player job is left to the job: if it got no table out in time,
    the fault is ours and the episode is lost, not expired.
    """
    overdue = Episode.objects.filter(state=EpisodeState.OPEN, deadline_at__lte=now).exclude(
        player_job__state__in=[JobState.QUEUED, JobState.RUNNING]
    )
    with transaction.atomic(durable=True):
        # PostgreSQL does not read a subquery again after it waited for a row: the state stands
        # outside of it too, or an episode that was submitted meanwhile would be overwritten.
        n_expired = Episode.objects.filter(pk__in=overdue, state=EpisodeState.OPEN).update(
            state=EpisodeState.EXPIRED, cause=EXPIRY_CAUSE, closed_at=F("deadline_at")
        )
    if n_expired:
        log.info("episodes_expired", n_episodes=n_expired)
    return n_expired


def lose_episode(*, episode_id: UUID, cause: str, now: datetime) -> Episode:
    """Close an open episode that failed by our fault, also after its deadline.

    Raises
    ------
    EpisodeNotFound
    EpisodeClosed
        If a final state is written already.
    """
    with transaction.atomic():  # not durable: a lost job ends together with its episode
        episode = _lock(Episode.objects.filter(pk=episode_id))
        if episode.state != EpisodeState.OPEN:
            raise EpisodeClosed(EpisodeState(episode.state))
        _close(episode, EpisodeState.LOST, cause=cause, now=now)
    log.warning("episode_lost", episode_id=str(episode.id), cause=cause)
    return episode


def _lock_own(agent: Agent, episode_id: UUID) -> Episode:
    return _lock(Episode.objects.filter(agent=agent, pk=episode_id))


def _lock(episodes: QuerySet[Episode]) -> Episode:
    """Return the only episode, locked: its purchases and its closing happen one after another."""
    episode = episodes.select_related("task").select_for_update(of=("self",)).first()
    if episode is None:
        raise EpisodeNotFound
    return episode


def _earlier_purchase(
    episode: Episode, idempotency_key: str | None, asked: Sequence[str]
) -> Purchase | None:
    if idempotency_key is None:
        return None
    purchase = episode.purchases.filter(idempotency_key=idempotency_key).first()
    if purchase is not None and set(purchase.masks) != set(asked):
        raise IdempotencyKeyReused
    return purchase


def _record_purchase(
    episode: Episode, asked: Sequence[str], idempotency_key: str | None, now: datetime
) -> Purchase:
    new = masks_to_charge(
        asked,
        observed=observations(episode),
        credits_remaining=episode.budget_credits - episode.spent_credits,
    )
    first_position = episode.spent_credits + 1
    episode.spent_credits += len(new)
    episode.save(update_fields=["spent_credits"])
    purchase = Purchase.objects.create(
        episode=episode,
        idempotency_key=idempotency_key,
        masks=list(asked),
        charged_credits=len(new),
        remaining_credits=episode.budget_credits - episode.spent_credits,
        created_at=now,
    )
    Measurement.objects.bulk_create(
        Measurement(
            episode=episode, purchase=purchase, position=position, mask=mask, utility=utility
        )
        for position, (mask, utility) in enumerate(
            truth.reveal(episode.task, new).items(), start=first_position
        )
    )
    return purchase


def _close(episode: Episode, state: EpisodeState, *, cause: str, now: datetime) -> None:
    episode.state, episode.cause, episode.closed_at = state, cause, now
    episode.save(update_fields=["state", "cause", "closed_at"])
