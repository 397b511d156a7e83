"""The landing page and Begin, without JavaScript: who can join, and what is stored before."""

import pytest
from django.test import Client
from django.urls import reverse

from judgments.assignment import ItemKind
from judgments.models import Participant
from tests.builders import NOW
from tests.judgments.person import Person, open_landing, press_begin
from tests.judgments.studies import PROTOCOL, make_study

pytestmark = pytest.mark.django_db


def test_looking_at_the_landing_page_changes_nothing(study):
    person = Person(study)
    person.get(PROLIFIC_PID="5f3c")
    assert "Nothing is stored before you press Begin" in person.page
    assert not Participant.objects.exists()
    assert not person.client.cookies.get("sessionid")


def test_an_unknown_study_is_not_found(client):
    assert client.get("/study/nowhere/").status_code == 404


def test_a_study_that_is_not_open_says_so_and_stores_nothing(study):
    client = Client()
    form = open_landing(client, study)
    study.closed_at = NOW
    study.save()
    response = client.post(reverse("judgments:begin", args=[study.pk]), form)
    assert response.status_code == 403
    assert b"not open" in response.content
    assert not Participant.objects.exists()


def test_a_study_whose_checks_do_not_fit_says_that_nobody_can_join():
    # Past the desk's form: 13 checks for 48 judgments.
    study = make_study(n_per_domain=3, checks={**PROTOCOL.checks, ItemKind.DOMINATED: 5})
    response = press_begin(study)
    assert response.status_code == 403
    assert b"not open" in response.content
    assert not Participant.objects.exists()


def test_forms_are_protected_against_other_sites(study):
    client = Client(enforce_csrf_checks=True)
    assert client.post(reverse("judgments:begin", args=[study.pk])).status_code == 403
    assert not Participant.objects.exists()


def test_pages_of_the_path_are_never_cached_or_indexed(study):
    response = Client().get(reverse("judgments:study", args=[study.pk]))
    assert "no-store" in response["Cache-Control"]
    assert b'name="robots" content="noindex"' in response.content
