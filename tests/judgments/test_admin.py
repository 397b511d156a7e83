"""The admin of the studies: nothing to change, and nothing private for assistants."""

import pytest
from django.contrib import admin
from django.urls import reverse

from judgments.apps import JudgmentsConfig
from judgments.models import Item, Participant
from tests.judgments.desk import log_in, make_assistant, make_staff
from tests.judgments.played import play
from tests.judgments.studies import join, join_ready, make_study

pytestmark = pytest.mark.django_db

MODELS = [model for model in admin.site._registry if model._meta.app_label == JudgmentsConfig.name]
ONLY_FOR_MANAGERS = {"blockedpid", "platformsubmission"}


@pytest.fixture
def participant():
    return play(join_ready(make_study(n_per_domain=3), pid="5f3c"), n_items=4)


def page_of(model, *arguments) -> str:
    kind = "change" if arguments else "changelist"
    return reverse(f"admin:judgments_{model._meta.model_name}_{kind}", args=arguments)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.model_name)
def test_lists_open_for_staff_and_nothing_can_be_added_changed_or_deleted(
    participant, model, admin_user
):
    for user in (make_assistant(), make_staff(), admin_user):
        browser = log_in(user)
        status = browser.get(page_of(model)).status_code
        is_closed = user.username == "bob" and model._meta.model_name in ONLY_FOR_MANAGERS
        assert status == (403 if is_closed else 200)
        assert browser.get(f"{page_of(model)}add/").status_code == 403
        row = model._default_manager.first()
        if row is not None:
            for door in ("delete/", "change/"):
                assert browser.post(f"{page_of(model)}{row.pk}/{door}").status_code == 403


def test_an_assistant_reads_no_private_column_and_a_manager_does(participant):
    item = Item.objects.filter(kind="judgment").first()
    pages = {
        page_of(Participant, participant.pk): ("Platform pid", "Seed", "Token sha256"),
        page_of(Item, item.pk): ("Expected", "Repeat of", "Kind"),
        page_of(type(participant.protocol), participant.protocol_id): ("Definition",),
    }
    assistant, manager = log_in(make_assistant()), log_in(make_staff())
    for address, labels in pages.items():
        for label in labels:
            assert f"{label}:" not in assistant.get(address).content.decode()
            assert f"{label}:" in manager.get(address).content.decode()


@pytest.mark.parametrize(
    "lookup",
    [
        "participant/?completion_code__startswith=A",
        "participant/?platform_pid__startswith=5",
        "participant/?seed__gt=1",
        "item/?kind=instructed",
        "item/?expected__isnull=0",
        "item/?left__number=4",
        "protocolversion/?definition__contains=x",
        "study/?platform_study_id__startswith=5",
        "auditentry/?study__platform_study_id__startswith=5",
    ],
)
def test_no_lookup_by_address_guesses_a_private_column(participant, lookup):
    assert log_in(make_assistant()).get(f"/admin/judgments/{lookup}").status_code == 400


def test_the_filters_of_the_pages_work(participant):
    browser = log_in(make_assistant())
    for lookup in ("participant/?kind__exact=person", "auditentry/?study__slug__exact=main"):
        assert browser.get(f"/admin/judgments/{lookup}").status_code == 200


def test_nobody_is_shown_before_consent(participant):
    # Case C09.
    visitor = join(participant.study).participant
    browser = log_in(make_staff())
    assert str(visitor.pk) not in browser.get(page_of(Participant)).content.decode()
    assert browser.get(page_of(Participant, visitor.pk)).status_code == 302
    item = visitor.items.first()
    assert browser.get(page_of(Item, item.pk)).status_code == 302
