"""What the database itself refuses, whoever asks."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError

from episodes.actions import ledger
from episodes.models import Agent, Episode, Measurement, Prediction, Purchase
from scoring.masks import all_masks
from tests.builders import NOW, make_agent, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def episode():
    return ledger.start_episode(
        agent=make_agent(), task=make_task(), budget=8, view="full", now=NOW
    )


@pytest.fixture
def closed(episode):
    ledger.buy_measurements(agent=episode.agent, episode_id=episode.id, masks=["0001"], now=NOW)
    table = dict.fromkeys(all_masks(4), 0.5)
    return ledger.submit_prediction(
        agent=episode.agent, episode_id=episode.id, predictions=table, now=NOW
    )


def refused(write: Callable[[], object]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        write()


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Measurement, {"utility": 0.0}),
        (Purchase, {"charged_credits": 0}),
        (Prediction, {"table": {}}),
    ],
)
def test_a_fact_of_an_episode_is_neither_changed_nor_deleted(closed, model, change):
    assert model.objects.count() == 1
    refused(lambda: model.objects.update(**change))
    refused(lambda: model.objects.all().delete())


@pytest.mark.parametrize(
    "change",
    [
        {"budget_credits": 14},
        {"view": "opaque"},
        {"deadline_at": NOW + timedelta(days=1)},
        {"created_at": NOW - timedelta(days=1)},
        {"id": "00000000-0000-0000-0000-000000000000"},
    ],
)
def test_an_open_episode_keeps_what_it_started_with(episode, change):
    refused(lambda: Episode.objects.update(**change))


def test_an_episode_stays_with_its_agent_and_task(episode):
    refused(lambda: Episode.objects.update(agent=make_agent("other")))
    refused(lambda: Episode.objects.update(task=make_task("sunspots")))


def test_spent_credits_do_not_come_back(episode):
    ledger.buy_measurements(agent=episode.agent, episode_id=episode.id, masks=["0001"], now=NOW)
    refused(lambda: Episode.objects.update(spent_credits=0))


def test_credits_beyond_the_budget_cannot_be_spent(episode):
    refused(lambda: Episode.objects.update(spent_credits=F("budget_credits") + 1))


@pytest.mark.parametrize(
    "change", [{"state": "open", "closed_at": None}, {"state": "lost"}, {"spent_credits": 2}]
)
def test_a_final_state_is_never_left(closed, change):
    refused(lambda: Episode.objects.update(**change))


def test_an_episode_is_not_deleted_nor_is_its_agent(closed):
    refused(lambda: Episode.objects.all()._raw_delete("default"))
    with pytest.raises(ProtectedError):
        Agent.objects.all().delete()


def test_a_second_measurement_of_a_mask_is_refused(episode):
    ledger.buy_measurements(
        agent=episode.agent, episode_id=episode.id, masks=["0001", "0010"], now=NOW
    )
    first = Measurement.objects.get(mask="0001")
    refused(
        lambda: Measurement.objects.create(
            episode=episode, purchase=first.purchase, position=2, mask="0001", utility=0.5
        )
    )


def test_a_measurement_that_was_not_paid_for_is_refused(episode):
    ledger.buy_measurements(agent=episode.agent, episode_id=episode.id, masks=["0001"], now=NOW)
    purchase = Purchase.objects.get()
    with pytest.raises(IntegrityError, match="was not paid for"), transaction.atomic():
        Measurement.objects.create(
            episode=episode, purchase=purchase, position=2, mask="0010", utility=0.5
        )


def test_a_closed_episode_takes_neither_purchases_nor_measurements(closed):
    bought = Measurement.objects.get()
    with pytest.raises(IntegrityError, match="is closed"), transaction.atomic():
        Purchase.objects.create(
            episode=closed, masks=["0010"], charged_credits=0, remaining_credits=7, created_at=NOW
        )
    with pytest.raises(IntegrityError, match="was not paid for"), transaction.atomic():
        Measurement.objects.create(
            episode=closed, purchase=bought.purchase, position=1, mask="0010", utility=0.5
        )
