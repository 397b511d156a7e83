"""Many connections at once on real PostgreSQL (case C51 d, acceptance 4)."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import transaction

from episodes.actions import ledger
from episodes.budget import BudgetExceeded
from episodes.models import Episode, Prediction
from episodes.states import EpisodeClosed, EpisodeState
from scoring.masks import all_masks
from tests import races
from tests.builders import NOW, make_agent, make_task

pytestmark = pytest.mark.django_db(transaction=True)

TABLE = dict.fromkeys(all_masks(4), 0.5)
FOR_SALE = all_masks(4)[1:-1]  # 14 masks: all but the anchors

at_once = partial(races.at_once, refusals=(BudgetExceeded, EpisodeClosed))


@pytest.fixture
def episode():
    return ledger.start_episode(
        agent=make_agent(), task=make_task(), budget=8, view="full", now=NOW
    )


def buyer(
    episode: Episode, masks: Sequence[str], key: str | None = None
) -> Callable[[], ledger.BoughtMeasurements]:
    return lambda: ledger.buy_measurements(
        agent=episode.agent, episode_id=episode.id, masks=masks, idempotency_key=key, now=NOW
    )


def assert_ledger_sums(episode: Episode, charged: int) -> None:
    episode.refresh_from_db()
    assert episode.spent_credits == charged
    assert sum(episode.purchases.values_list("charged_credits", flat=True)) == charged
    positions = list(episode.measurements.values_list("position", flat=True))
    assert positions == list(range(1, charged + 1))
    assert episode.measurements.values("mask").distinct().count() == charged


def test_20_buyers_over_14_masks_at_budget_8_are_charged_exactly_8(episode):
    results = at_once([buyer(episode, [FOR_SALE[i % 14]]) for i in range(20)])
    bought = [result for result in results if isinstance(result, ledger.BoughtMeasurements)]
    assert sum(result.charged for result in bought) == 8
    assert all(isinstance(result, BudgetExceeded) for result in results if result not in bought)
    assert len({mask for result in bought for mask in result.observations}) == 8
    assert_ledger_sums(episode, charged=8)


def test_overlapping_batches_never_charge_a_mask_twice(episode):
    batches = [FOR_SALE[i % 4 : i % 4 + 3] for i in range(12)]  # 6 different masks
    results = at_once([buyer(episode, batch) for batch in batches])
    assert sum(result.charged for result in results) == 6
    assert_ledger_sums(episode, charged=6)


def test_the_same_key_five_times_at_once_is_one_charge_and_one_reply(episode):
    results = at_once([buyer(episode, ["0001", "0010"], key="a")] * 5)
    assert sorted(result.replayed for result in results) == [False, True, True, True, True]
    assert {(result.charged, result.credits_remaining) for result in results} == {(2, 6)}
    assert_ledger_sums(episode, charged=2)


def test_a_submission_among_purchases_closes_the_ledger_for_the_rest(episode):
    def submit():
        return ledger.submit_prediction(
            agent=episode.agent, episode_id=episode.id, predictions=TABLE, now=NOW
        )

    purchases = [buyer(episode, [mask]) for mask in FOR_SALE[:8]]
    *results, submitted = at_once([*purchases, submit])
    assert submitted.state == EpisodeState.SUBMITTED
    n_bought = sum(isinstance(result, ledger.BoughtMeasurements) for result in results)
    assert n_bought + sum(isinstance(result, EpisodeClosed) for result in results) == 8
    assert_ledger_sums(episode, charged=n_bought)


def test_of_several_submissions_at_once_one_is_taken(episode):
    def submit():
        return ledger.submit_prediction(
            agent=episode.agent, episode_id=episode.id, predictions=TABLE, now=NOW
        )

    results = at_once([submit] * 4)
    assert sum(isinstance(result, EpisodeClosed) for result in results) == 3
    assert Prediction.objects.count() == 1


def test_purchases_submission_expiry_and_loss_at_once_leave_one_final_state(episode):
    def submit():
        return ledger.submit_prediction(
            agent=episode.agent, episode_id=episode.id, predictions=TABLE, now=NOW
        )

    def lose():
        return ledger.lose_episode(episode_id=episode.id, cause="worker", now=NOW)

    def expire():
        return ledger.expire_episodes(now=episode.deadline_at)

    purchases = [buyer(episode, [mask]) for mask in FOR_SALE[:4]]
    *results, n_expired, lost, submitted = at_once([*purchases, expire, lose, submit])
    ends = {
        EpisodeState.EXPIRED: n_expired == 1,
        EpisodeState.LOST: not isinstance(lost, EpisodeClosed),
        EpisodeState.SUBMITTED: not isinstance(submitted, EpisodeClosed),
    }
    n_bought = sum(isinstance(result, ledger.BoughtMeasurements) for result in results)
    assert_ledger_sums(episode, charged=n_bought)
    assert [state for state, happened in ends.items() if happened] == [episode.state]
    assert Prediction.objects.count() == (episode.state == EpisodeState.SUBMITTED)


def test_an_expiry_that_waited_for_a_submission_leaves_it_alone(episode):
    def expire():
        return ledger.expire_episodes(now=episode.deadline_at)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            # As submit_prediction closes it, which is a transaction of its own.
            Episode.objects.update(state=EpisodeState.SUBMITTED, closed_at=NOW)
            expiry = pool.submit(at_once, [expire])
            races.wait_for_a_waiting_query(expiry)
        assert expiry.result() == [0]
    episode.refresh_from_db()
    assert episode.state == EpisodeState.SUBMITTED
