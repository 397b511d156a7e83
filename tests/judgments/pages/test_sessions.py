"""Whose session it is: hand-over, personal links, other devices and other studies."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from judgments.models import Consent, Judgment, Participant
from tests.judgments.person import Person
from tests.judgments.studies import make_study

pytestmark = pytest.mark.django_db


def test_the_next_person_on_the_device_is_asked_for_consent_again(study):
    first = Person(study)
    first.get_ready()
    first.finish()
    first.post("hand-over")
    second = Person(study, first.client)
    assert "Nothing is stored before you press Begin" in second.get()
    second.begin()
    assert second.heading == "Your consent"
    assert Participant.objects.count() == 2
    assert Consent.objects.count() == 1


def test_another_persons_link_takes_over_the_browser_and_touches_no_row_of_the_first(study):
    first, second = Person(study), Person(study)
    first.get_ready()
    first.answer()
    second.begin()
    link = re.search(r'class="link">([^<]*)<', second.page)[1]
    before = list(Judgment.objects.values())
    taken_over = Person(study, first.client)
    taken_over._read(first.client.get(link, follow=True))
    assert taken_over.heading == "Your consent"
    assert taken_over.participant == second.participant
    assert list(Judgment.objects.values()) == before


def test_a_hand_over_ends_the_session_on_every_device_and_the_link_leads_back(study):
    laptop = Person(study)
    laptop.begin()
    link = re.search(r'class="link">([^<]*)<', laptop.page)[1]
    phone = Person(study)
    phone._read(phone.client.get(link, follow=True))
    assert phone.heading == "Your consent"
    laptop.post("hand-over")
    assert "press Begin" in phone.get()
    assert Participant.objects.count() == 1
    phone._read(phone.client.get(link, follow=True))
    assert phone.heading == "Your consent"


def test_another_study_ignores_the_session_of_the_first(study):
    person = Person(study)
    person.get_ready()
    other = Person(make_study("other"), person.client)
    assert "press Begin" in other.get()
    other.begin()
    assert Participant.objects.count() == 2
    person.get()
    assert person.heading == "Which proposal is more informative?"


def test_a_wrong_link_is_not_found(study):
    url = reverse("judgments:personal-link", args=[study.pk, "x" * 43])
    assert Client().get(url).status_code == 404
