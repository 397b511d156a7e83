"""What was published cannot be changed, by whatever code."""

import pytest
from django.db import IntegrityError, connection

from catalog.models import Disclosure, Task
from catalog.truth import Outcome
from tests.builders import make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task()


def test_an_outcome_cannot_be_updated(task):
    with pytest.raises(IntegrityError, match="UPDATE of a published row of catalog_outcome"):
        Outcome.objects.filter(task=task).update(utility=0.5)


def test_an_outcome_cannot_be_deleted(task):
    with pytest.raises(IntegrityError, match="DELETE of a published row of catalog_outcome"):
        Outcome.objects.get(task=task, mask="0000").delete()


def test_a_task_cannot_be_deleted_from_under_its_outcomes(task):
    with pytest.raises(IntegrityError, match="catalog_outcome"):
        task.delete()


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Another question?"},
        {"anchors": {"0000": 0.1, "1111": 0.2}},
        {"disclosure": Disclosure.OPEN, "open_surface": {"0000": 0.1}},
        {"version": "2" * 64},
        {"n_factors": 5},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_task_says_cannot_be_changed(task, change):
    with pytest.raises(IntegrityError, match="UPDATE of a published row of catalog_task"):
        Task.objects.filter(pk=task.pk).update(**change)


def test_a_task_can_stop_being_current(task):
    task.is_current = False
    task.save()
    assert not Task.objects.get(pk=task.pk).is_current


def test_plain_sql_is_refused_as_well(task):
    with (
        pytest.raises(IntegrityError, match="published row"),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE catalog_outcome SET native_value = 0 WHERE mask = '0000'")
