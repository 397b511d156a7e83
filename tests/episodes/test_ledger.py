"""The rules of the ledger (specs/surface-episodes.md), at the actions."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from episodes.actions import ledger
from episodes.budget import BudgetExceeded, BudgetOutOfRange, IllegalMasks
from episodes.models import Agent, Episode, Measurement, PlayerJob, Prediction, Purchase
from episodes.predictions import InvalidPredictions
from episodes.queries.episodes import EpisodeNotFound, find_episode, observations, state_of
from episodes.states import EpisodeClosed, EpisodeState, JobState
from scoring.masks import all_masks
from tests.builders import NOW, default_truth, make_agent, make_task

pytestmark = pytest.mark.django_db

TRUTH = dict(zip(all_masks(4), default_truth(4), strict=True))
TABLE = dict.fromkeys(all_masks(4), 0.5)
DEADLINE = NOW + timedelta(seconds=1800)


@pytest.fixture
def agent():
    return make_agent()


@pytest.fixture
def episode(agent):
    return start(agent)


def start(agent: Agent, *, budget: int = 8) -> Episode:
    return ledger.start_episode(agent=agent, task=make_task(), budget=budget, view="full", now=NOW)


def buy(
    episode: Episode, masks: Sequence[object], *, key: str | None = None, now: datetime = NOW
) -> ledger.BoughtMeasurements:
    return ledger.buy_measurements(
        agent=episode.agent, episode_id=episode.id, masks=masks, idempotency_key=key, now=now
    )


def submit(
    episode: Episode, table: Mapping[str, object] = TABLE, *, now: datetime = NOW
) -> Episode:
    return ledger.submit_prediction(
        agent=episode.agent, episode_id=episode.id, predictions=table, now=now
    )


def spent(episode: Episode) -> int:
    """Return the credits spent, after checking that the ledger sums."""
    episode.refresh_from_db()
    charged = sum(episode.purchases.values_list("charged_credits", flat=True))
    positions = list(episode.measurements.values_list("position", flat=True))
    assert episode.spent_credits == charged == len(positions)
    assert positions == list(range(1, charged + 1))
    return charged


# --- Starting -------------------------------------------------------------------------------
def test_an_episode_starts_open_with_the_anchors_seen_and_half_an_hour_to_go(episode):
    assert episode.state == EpisodeState.OPEN
    assert episode.deadline_at == DEADLINE
    assert list(observations(episode).items()) == [
        ("0000", TRUTH["0000"]),
        ("1111", TRUTH["1111"]),
    ]
    assert spent(episode) == 0


def test_a_budget_beyond_the_masks_starts_nothing(agent):
    with pytest.raises(BudgetOutOfRange):
        start(agent, budget=15)
    assert not Episode.objects.exists()


# --- Buying ---------------------------------------------------------------------------------
def test_a_batch_reveals_the_true_utilities_and_charges_each_new_mask(episode):
    bought = buy(episode, ["0011", "0001"])
    assert list(bought.observations.items()) == [("0011", TRUTH["0011"]), ("0001", TRUTH["0001"])]
    assert (bought.charged, bought.credits_remaining, bought.replayed) == (2, 6, False)
    assert spent(episode) == 2


def test_anchors_repeats_and_masks_seen_before_are_free(episode):
    buy(episode, ["0001"])
    bought = buy(episode, ["0000", "1111", "0001", "0010", "0010"])
    assert bought.charged == 1
    assert bought.observations == {mask: TRUTH[mask] for mask in ("0000", "1111", "0001", "0010")}
    assert spent(episode) == 2


def test_a_batch_beyond_the_budget_is_refused_whole(episode):
    buy(episode, ["0001", "0010", "0011", "0100", "0101", "0110"])
    with pytest.raises(BudgetExceeded):
        buy(episode, ["0111", "1000", "1001"])
    assert spent(episode) == 6
    assert buy(episode, ["0111", "1000"]).credits_remaining == 0


def test_with_no_credit_left_masks_seen_before_are_still_answered(agent):
    episode = start(agent, budget=1)
    buy(episode, ["0001"])
    assert buy(episode, ["0001", "1111"]).charged == 0
    with pytest.raises(BudgetExceeded):
        buy(episode, ["0010"])


def test_a_batch_with_an_illegal_mask_charges_nothing(episode):
    with pytest.raises(IllegalMasks):
        buy(episode, ["0001", "002"])
    assert spent(episode) == 0
    assert not Purchase.objects.exists()


def test_what_was_observed_is_listed_anchors_first_then_in_the_order_bought(episode):
    buy(episode, ["0111"])
    buy(episode, ["0001", "0111", "0100"])
    fresh = find_episode(agent=episode.agent, episode_id=episode.id)
    assert list(observations(fresh)) == ["0000", "1111", "0111", "0001", "0100"]


def test_observations_keep_every_bit_of_the_truth(agent):
    truth = [index / 17 / 3 for index in range(16)]
    episode = ledger.start_episode(
        agent=agent, task=make_task(truth=truth), budget=14, view="full", now=NOW
    )
    bought = buy(episode, all_masks(4)).observations
    assert list(bought.values()) == truth


def test_another_agents_episode_is_not_found(episode):
    for agent, episode_id in ((make_agent("other"), episode.id), (episode.agent, uuid4())):
        with pytest.raises(EpisodeNotFound):
            ledger.buy_measurements(agent=agent, episode_id=episode_id, masks=["0001"], now=NOW)
    assert spent(episode) == 0


# --- Idempotency keys (C51) -----------------------------------------------------------------
def test_the_same_purchase_with_the_same_key_five_times_is_one_charge_and_one_reply(episode):
    replies = [buy(episode, ["0001", "0010"], key="batch-1") for _ in range(5)]
    assert [reply.replayed for reply in replies] == [False, True, True, True, True]
    assert {(reply.charged, reply.credits_remaining) for reply in replies} == {(2, 6)}
    assert all(reply.observations == replies[0].observations for reply in replies)
    assert spent(episode) == 2
    assert buy(episode, ["0010", "0001"], key="batch-1").replayed  # in whatever order


def test_a_replay_tells_the_balance_of_its_own_time(episode):
    buy(episode, ["0001"], key="a")
    buy(episode, ["0010"], key="b")
    assert buy(episode, ["0001"], key="a").credits_remaining == 7


def test_the_same_masks_with_a_new_key_cost_nothing(episode):
    first = buy(episode, ["0001"], key="a")
    again = buy(episode, ["0001"], key="b")
    assert again.observations == first.observations
    assert (again.charged, again.replayed) == (0, False)
    assert spent(episode) == 1


def test_a_key_reused_for_other_masks_is_refused(episode):
    buy(episode, ["0001"], key="a")
    with pytest.raises(ledger.IdempotencyKeyReused):
        buy(episode, ["0010"], key="a")
    assert spent(episode) == 1


def test_a_key_of_a_refused_batch_may_be_used_for_the_corrected_one(episode):
    with pytest.raises(IllegalMasks):
        buy(episode, ["0001", "x"], key="a")
    assert buy(episode, ["0001"], key="a").charged == 1


def test_two_episodes_may_use_the_same_key(agent, episode):
    other = ledger.start_episode(agent=agent, task=episode.task, budget=3, view="full", now=NOW)
    buy(episode, ["0001"], key="a")
    assert not buy(other, ["0010"], key="a").replayed


def test_a_lost_reply_can_be_fetched_after_the_episode_closed(episode):
    first = buy(episode, ["0001"], key="a")
    submit(episode)
    again = buy(episode, ["0001"], key="a")
    assert again.replayed
    assert again.observations == first.observations


# --- Submitting -----------------------------------------------------------------------------
def test_a_prediction_closes_the_episode_and_is_kept_as_sent(episode):
    closed = submit(episode, {**TABLE, "0001": 0.1 + 0.2})
    assert (closed.state, closed.closed_at, closed.cause) == (EpisodeState.SUBMITTED, NOW, "")
    stored = Prediction.objects.get(episode=episode)
    assert stored.table == {**TABLE, "0001": 0.1 + 0.2}
    assert stored.submitted_at == NOW


def test_a_refused_table_leaves_the_episode_open(episode):
    with pytest.raises(InvalidPredictions):
        submit(episode, {**TABLE, "0001": True})
    assert submit(episode).state == EpisodeState.SUBMITTED


def test_after_submission_purchases_and_predictions_are_refused(episode):
    submit(episode)
    with pytest.raises(EpisodeClosed):
        buy(episode, ["0001"])
    with pytest.raises(EpisodeClosed):
        submit(episode)
    assert spent(episode) == 0


# --- Deadline, loss (C55) -------------------------------------------------------------------
def test_at_its_deadline_an_open_episode_acts_as_expired_before_the_clock_wrote_it(episode):
    just_before = DEADLINE - timedelta(microseconds=1)
    assert buy(episode, ["0001"], now=just_before).charged == 1
    assert state_of(episode, now=just_before) is EpisodeState.OPEN
    assert state_of(episode, now=DEADLINE) is EpisodeState.EXPIRED
    with pytest.raises(EpisodeClosed) as refusal:
        buy(episode, ["0010"], now=DEADLINE)
    assert refusal.value.details == {"state": "expired"}
    with pytest.raises(EpisodeClosed):
        submit(episode, now=DEADLINE)


def test_the_clock_expires_what_is_overdue_with_the_limit_as_cause_and_nothing_else(agent, episode):
    later = ledger.start_episode(
        agent=agent, task=episode.task, budget=8, view="full", now=NOW + timedelta(hours=1)
    )
    delivered = ledger.start_episode(agent=agent, task=episode.task, budget=8, view="full", now=NOW)
    submit(delivered, now=DEADLINE - timedelta(seconds=1))
    assert ledger.expire_episodes(now=DEADLINE) == 1
    assert ledger.expire_episodes(now=DEADLINE) == 0
    for row in (episode, later, delivered):
        row.refresh_from_db()
    assert (episode.state, episode.cause) == (EpisodeState.EXPIRED, "limit:deadline")
    assert episode.closed_at == DEADLINE
    assert (later.state, delivered.state) == (EpisodeState.OPEN, EpisodeState.SUBMITTED)


def test_an_overdue_episode_of_an_unfinished_job_is_left_to_the_job(episode):
    job = PlayerJob.objects.create(
        method="design_degree1",
        task=episode.task,
        budget_credits=8,
        state=JobState.QUEUED,
        episode=episode,
        created_at=NOW,
    )
    assert ledger.expire_episodes(now=DEADLINE) == 0
    lost = ledger.lose_episode(episode_id=episode.id, cause="worker", now=DEADLINE)
    assert (lost.state, lost.cause) == (EpisodeState.LOST, "worker")
    job.refresh_from_db()
    assert job.episode == episode


def test_a_final_episode_cannot_be_lost(episode):
    submit(episode)
    with pytest.raises(EpisodeClosed):
        ledger.lose_episode(episode_id=episode.id, cause="worker", now=NOW)


def test_a_lost_episode_takes_nothing_more(episode):
    ledger.lose_episode(episode_id=episode.id, cause="worker", now=NOW)
    with pytest.raises(EpisodeClosed):
        submit(episode)
    assert not Measurement.objects.exists()
