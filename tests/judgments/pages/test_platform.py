"""People whom a platform sends: who they are, and how they get back to it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments.models import AuditEntry, Judgment, Participant
from judgments.queries.coverage import served_cells
from tests.judgments.person import PLATFORM, Person, press_begin

pytestmark = pytest.mark.django_db


def test_laptop_and_phone_with_the_same_platform_id_are_one_person(platform_study):
    laptop, phone = Person(platform_study), Person(platform_study)
    laptop.get(**PLATFORM)
    laptop.get_ready(**PLATFORM)
    laptop.answer()
    phone.get(**PLATFORM)
    phone.begin(**(PLATFORM | {"PROLIFIC_PID": " 5F3C "}))
    assert phone.hidden("position") == "2"
    assert Participant.objects.count() == 1
    assert AuditEntry.objects.filter(event="joined_again").count() == 1


@pytest.mark.parametrize("way_back", ["session", "platform"])
def test_who_comes_back_after_25_hours_has_no_place_and_the_gap_is_recorded(
    platform_study, way_back
):
    # Case C04: 24 hours are the resume rule of the protocol; whichever way leads back.
    person = Person(platform_study)
    person.get_ready(**PLATFORM)
    for _ in range(17):
        person.answer()
    leave = person.client.get(reverse("judgments:leave", args=[platform_study.pk]))
    assert re.search(r"Your place is kept until [^.]* UTC", leave.content.decode())
    gone = timezone.now() - timedelta(hours=25)
    Participant.objects.update(last_seen_at=gone, hold_until=gone + timedelta(hours=1))
    for _ in range(2):
        if way_back == "platform":
            person = Person(platform_study)
            person.begin(**PLATFORM)
        person.get()
        assert person.heading == "Your place is no longer kept"
    entry = AuditEntry.objects.get(event="returned_too_late")
    assert entry.details["gap_seconds"] == pytest.approx(25 * 3600, abs=60)
    assert Judgment.objects.count() == 17
    assert not served_cells(platform_study, now=timezone.now()).filter(completed_at=None).exists()


def test_the_platforms_parameters_travel_through_the_landing_page(platform_study):
    page = Person(platform_study).get(**PLATFORM)
    for name, value in PLATFORM.items():
        assert f'name="{name}" value="{value}"' in page.replace("\n", " ")


def test_the_platform_sends_another_person_to_a_used_browser(platform_study):
    first = Person(platform_study)
    first.get_ready(**PLATFORM)
    second = Person(platform_study, first.client)
    assert "press Begin" in second.get(**(PLATFORM | {"PROLIFIC_PID": "other"}))
    second.begin(**(PLATFORM | {"PROLIFIC_PID": "other"}))
    assert second.heading == "Your consent"
    assert Participant.objects.count() == 2


def test_a_link_of_another_platform_study_is_not_found(platform_study):
    url = reverse("judgments:study", args=[platform_study.pk])
    assert Client().get(url, PLATFORM | {"STUDY_ID": "S2"}).status_code == 404
    begin = reverse("judgments:begin", args=[platform_study.pk])
    assert Client().post(begin, PLATFORM | {"STUDY_ID": "S2"}).status_code == 404


@pytest.mark.parametrize(
    "hostile",
    [
        {"PROLIFIC_PID": "a\0b"},
        {"PROLIFIC_PID": "a" * 81},
        # The small letters of this one are two: 41 of them are 82 as they are compared.
        {"PROLIFIC_PID": "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * 41},
        {"SESSION_ID": "a\0b"},
        {"SESSION_ID": "a" * 81},
    ],
)
def test_a_link_that_no_platform_makes_is_not_found_and_nobody_joins(platform_study, hostile):
    for name in ("study", "begin"):
        url = reverse(f"judgments:{name}", args=[platform_study.pk])
        send = Client().get if name == "study" else Client().post
        assert send(url, PLATFORM | hostile).status_code == 404
    assert not Participant.objects.exists()


def test_a_blocked_person_is_told_so_before_consent(platform_study):
    platform_study.blocked_pids.create(platform_pid="5f3c")
    response = press_begin(platform_study, None, **PLATFORM)
    assert response.status_code == 403
    assert b"does not accept your platform account" in response.content


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([{"step": "consent", "answer": "no"}], "C0DE3"),
        (
            [{"step": "consent", "answer": "yes"}, {"step": "eligibility", "answer": "no"}],
            "C0DE2",
        ),
        (
            [
                {"step": "consent", "answer": "yes"},
                {"step": "eligibility", "answer": "yes"},
                {"step": "instructions"},
                {"step": "comprehension", "number": 1, "task": "longer-text"},
                {"step": "comprehension", "number": 2, "task": "longer-text"},
            ],
            "C0DE2",
        ),
    ],
    ids=["no-consent", "not-eligible", "comprehension"],
)
def test_other_ends_lead_back_to_the_platform_with_codes_of_their_own(platform_study, steps, code):
    person = Person(platform_study)
    person.begin(**PLATFORM)
    for step in steps:
        assert "cc=" not in person.page
        person.post(**step)
    assert f"submissions/complete?cc={code}" in person.page
    assert not Judgment.objects.exists()
    again = Person(platform_study)
    assert f"submissions/complete?cc={code}" in again.begin(**PLATFORM)
    assert not served_cells(platform_study, now=timezone.now()).exists()  # the place stays free


def test_a_complete_session_leads_back_to_the_platform(platform_study):
    person = Person(platform_study)
    person.get_ready(**PLATFORM)
    assert "submissions/complete?cc=C0DE1" in person.finish()
