"""What a browser sends: nothing is lost, and nobody's form is taken for another's."""

import re
from datetime import datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from rest_framework.throttling import SimpleRateThrottle

from judgments.forms import MAX_COMMENT_LENGTH
from judgments.models import Audience, Consent, Judgment, Participant
from tests.judgments.person import Person, press_begin
from tests.judgments.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    cache.clear()
    return make_study(n_per_domain=3, offers_comment=True)


@pytest.fixture
def person(study):
    person = Person(study)
    person.get_ready()
    return person


def send(person, **data):
    """Send an answer as the script of the judgment screen does."""
    return person.client.post(
        person.url, {"step": "item", **data}, headers={"accept": "application/json"}
    )


def test_ten_equal_answers_of_a_script_are_one_row_with_equal_replies(person):
    """C02."""
    replies = [send(person, position=1, choice="left") for _ in range(10)]
    assert {reply.content for reply in replies} == {b'{"next": "/study/main/", "settled": true}'}
    assert Judgment.objects.count() == 1
    # An eleventh with the other side is a change, by the rule for the last answer.
    assert send(person, position=1, choice="right").json()["settled"]
    assert Judgment.objects.get().revisions.count() == 1


def test_a_script_may_not_forget_an_answer_that_came_without_a_session(study):
    reply = send(Person(study), position=1, choice="left")
    assert reply.json() == {"next": "/study/main/", "settled": False}


@pytest.mark.parametrize("choice", ["", "equal", "middle"])
def test_a_script_is_told_that_there_was_no_answer(person, choice):
    reply = send(person, position=1, choice=choice)
    assert reply.status_code == 422
    assert reply.json() == {"problem": "Please choose an answer before you go on."}
    assert not Judgment.objects.exists()


def test_a_comment_that_is_too_long_is_refused_and_nothing_of_it_is_lost(person):
    comment = "x" * MAX_COMMENT_LENGTH + "y"
    reply = send(person, position=1, choice="left", comment=comment)
    assert "2001 characters; 2000 can be kept" in reply.json()["problem"]
    response = person.client.post(
        person.url, {"step": "item", "position": 1, "choice": "left", "comment": comment}
    )
    assert response.status_code == 422
    page = response.content.decode()
    assert comment in page
    assert re.search(r'value="left"[^>]*checked', page)
    assert not Judgment.objects.exists()


def test_a_comment_is_kept_as_it_was_written(person):
    comment = '=1+1, "quoted"\n第二行 \U0001f600\n'
    person.post(step="item", position=1, choice="left", comment=comment.replace("\n", "\r\n"))
    assert Judgment.objects.get().comment == comment.strip()


def test_a_comment_that_no_column_can_hold_is_refused(person):
    reply = send(person, position=1, choice="left", comment="a\0b")
    assert reply.status_code == 422
    assert "Null characters" in reply.json()["problem"]


def test_where_no_comment_is_offered_none_is_stored():
    cache.clear()
    person = Person(make_study("quiet", n_per_domain=3))
    assert "<textarea" not in person.get_ready()
    person.post(step="item", position=1, choice="left", comment="Hello.")
    assert Judgment.objects.get().comment == ""


def test_the_last_answer_is_shown_again_with_its_comment(person):
    person.post(step="item", position=1, choice="left", comment="Close.")
    page = person.client.get(reverse("judgments:last-answer", args=[person.study.pk]))
    assert ">\nClose.</textarea>" in page.content.decode()


def test_a_closing_comment_is_kept_and_one_that_is_too_long_is_not_lost(person):
    while "All answers are saved" not in person.heading:
        person.answer()
    page = person.post(step="debrief", closing_comment="z" * 2001)
    assert "z" * 2001 in page
    assert "2001 characters" in page
    person.post(step="debrief", closing_comment="Fine.")
    person.post(step="debrief", closing_comment="Again.")
    assert Participant.objects.get().closing_comment == "Fine."


def test_a_form_that_was_open_before_a_hand_over_is_refused(study):
    """C01: another tab still shows the consent of the first person."""
    client = Client(enforce_csrf_checks=True)

    def token(page):
        return re.search(r'csrfmiddlewaretoken" value="(\w+)"', page.content.decode())[1]

    home = reverse("judgments:study", args=[study.pk])
    press_begin(study, client)
    old = token(client.get(home))
    client.post(reverse("judgments:hand-over", args=[study.pk]), {"csrfmiddlewaretoken": old})
    press_begin(study, client)
    answer = {"step": "consent", "answer": "yes"}
    assert client.post(home, answer | {"csrfmiddlewaretoken": old}).status_code == 403
    assert not Consent.objects.exists()
    client.post(home, answer | {"csrfmiddlewaretoken": token(client.get(home))})
    assert Consent.objects.count() == 1
    assert Participant.objects.count() == 2


@pytest.fixture
def two_an_hour(monkeypatch):
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"begins": "2/hour"})


def test_a_flood_of_begins_from_one_address_is_told_to_wait(study, two_an_hour):
    known = Client()
    assert [press_begin(study, known).status_code, press_begin(study).status_code] == [303, 303]
    refused = press_begin(study)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert "Nothing was stored. You can begin in 60 minutes." in " ".join(
        refused.content.decode().split()
    )
    assert Participant.objects.count() == 2
    # Who has begun goes on, and other addresses are not counted together with this one.
    assert press_begin(study, known).status_code == 303
    assert press_begin(study, Client(REMOTE_ADDR="192.0.2.7")).status_code == 303


@pytest.mark.parametrize(
    "midnight",
    ["2026-11-30T00:00+08:00", "2026-11-30T00:00-05:00", "2026-10-25T02:00+02:00"],
    ids=["UTC+8", "UTC-5", "winter time begins"],
)
def test_a_limit_is_a_window_of_time_whatever_day_it_is_anywhere(
    study, two_an_hour, monkeypatch, midnight
):
    # Case C31: 23:59 and 00:01 are two minutes apart, and the reply says when the next may come.
    clock = datetime.fromisoformat(midnight)

    def begin_at(minute: float):
        now = (clock + timedelta(minutes=minute)).timestamp()
        monkeypatch.setattr(SimpleRateThrottle, "timer", lambda self: now)
        return press_begin(study)

    assert [begin_at(-1).status_code, begin_at(1).status_code] == [303, 303]
    refused = begin_at(2)
    assert (refused.status_code, refused["Retry-After"]) == (429, str(57 * 60))
    assert "You can begin in 57 minutes." in " ".join(refused.content.decode().split())
    assert [begin_at(58.9).status_code, begin_at(59).status_code] == [429, 303]


def test_robots_of_a_rehearsal_are_not_counted(two_an_hour):
    cache.clear()
    study = make_study("machines", n_per_domain=3, audience=Audience.ROBOTS)
    assert {press_begin(study).status_code for _ in range(3)} == {303}
