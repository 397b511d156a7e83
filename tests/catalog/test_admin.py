"""Staff see the catalogue and can change none of it; outcomes have no page."""

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model

from catalog.truth import Outcome
from tests.builders import make_task

pytestmark = pytest.mark.django_db

CANARY = 0.31337


@pytest.fixture
def staff(client):
    client.force_login(get_user_model().objects.create_superuser("staff", password="staff"))
    return client


def test_a_sealed_task_is_shown_without_its_hidden_utilities(staff):
    task = make_task("co2", truth=[0.1, CANARY, CANARY, 0.2])
    for path in ("", f"{task.pk}/change/"):
        response = staff.get(f"/admin/catalog/task/{path}", secure=True)
        assert response.status_code == 200
        assert str(CANARY) not in response.content.decode()


@pytest.mark.parametrize("model", ["task", "source", "family", "release"])
def test_nothing_can_be_added_changed_or_deleted(staff, model):
    make_task("co2")
    assert staff.get(f"/admin/catalog/{model}/", secure=True).status_code == 200
    assert staff.get(f"/admin/catalog/{model}/add/", secure=True).status_code == 403
    pk = (
        make_task("nile").pk
        if model == "task"
        else {"source": "co2", "family": "forecasting"}.get(model, "2026.1")
    )
    assert staff.post(f"/admin/catalog/{model}/{pk}/change/", {}, secure=True).status_code == 403
    assert staff.post(f"/admin/catalog/{model}/{pk}/delete/", {}, secure=True).status_code == 403


def test_outcomes_have_no_admin_page():
    assert Outcome not in admin.site._registry
