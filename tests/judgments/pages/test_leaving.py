"""Leaving: everything is deleted, with a receipt, and no other tab fails."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments import entering, views
from judgments.actions.path import leave_and_delete
from judgments.actions.staff import exclude_participant, undo_exclusion
from judgments.actions.watching import add_note, store_submissions
from judgments.models import AuditEntry, DeletionReceipt, Judgment, Participant, Study
from judgments.queries.coverage import coverage
from judgments.queries.participants import find_by_link
from judgments.sessions import current_participant
from judgments.submissions import Submission
from tests.builders import NOW
from tests.judgments.desk import make_staff
from tests.judgments.person import PLATFORM, Person

pytestmark = pytest.mark.django_db


def test_leaving_deletes_everything_shows_a_receipt_and_frees_the_slots(study):
    person = Person(study)
    person.get_ready()
    for _ in range(30):
        person.answer()
    leave = person.client.get(reverse("judgments:leave", args=[study.pk])).content.decode()
    assert "cannot be called back" in leave
    page = person.post("delete")
    receipt = DeletionReceipt.objects.get()
    assert str(receipt.pk) in page
    assert "30 answers were deleted" in page
    assert not Participant.objects.exists()
    assert not Judgment.objects.exists()
    assert "press Begin" in person.get()
    slugs = study.protocols.get().definition["scenarios"]
    assert set(coverage(study, slugs, now=NOW).values()) == {0}


def test_no_table_names_who_was_erased(platform_study):
    # Case C14: also what staff wrote about them, and the platform's list.
    person, pid, ada, now = Person(platform_study), "some-canary-pid", make_staff(), timezone.now()
    person.get_ready(**(PLATFORM | {"PROLIFIC_PID": "Some-Canary-PID", "SESSION_ID": "canary9"}))
    person.answer()
    who = person.participant
    about: dict[str, Any] = {"participant_id": who.pk, "staff": ada, "now": now}
    exclude_participant(reason=f"{pid} asked, from ann@example.org", **about)
    undo_exclusion(reason="Some-Canary-PID asked again", **about)
    add_note(text=f"{pid} was called", **about)
    store_submissions(
        study=platform_study, submissions=[Submission(pid, "approved", "")], staff=ada, now=now
    )
    names = [pid, "canary9", "ann@example.org", who.token_sha256, str(who.seed)]
    assert all(places_of(name) for name in names)
    person.post("delete")
    assert [name for name in names if places_of(name)] == []
    # The log names a participant by the random id, which is in no other table.
    assert places_of(str(who.pk)) == [AuditEntry._meta.db_table]
    assert list(AuditEntry.objects.exclude(reason="").values_list("reason", flat=True)) == [
        "[platform id] asked, from [address]",
        "[platform id] asked again",
    ]


def places_of(text: str) -> list[str]:
    """Return the tables of the database that hold a text, whatever its letters' size."""
    with connection.cursor() as cursor:
        found = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                f'SELECT EXISTS (SELECT FROM "{table}" AS t WHERE strpos(lower(t::text), %s) > 0)',
                [text.lower()],
            )
            if cursor.fetchone() == (True,):
                found.append(table)
    return found


@pytest.mark.parametrize("is_published", [True, False])
def test_after_publication_the_pages_say_what_cannot_be_called_back(study, is_published):
    # Case C14.
    person = Person(study)
    person.get_ready()
    published_at = datetime(2026, 12, 24, 8, 30, tzinfo=UTC) if is_published else None
    Study.objects.update(closed_at=NOW, published_at=published_at)
    leave = person.client.get(reverse("judgments:leave", args=[study.pk])).content.decode()
    words = "public since 24 Dec 2026, 08:30 UTC. What others have read or downloaded since then"
    for page in (leave, person.post("delete")):
        assert (words in page) is is_published


@pytest.mark.parametrize("end", ["refused", "screened out", "lost place", "study over"])
def test_after_the_end_nobody_is_told_to_come_back_or_go_on(study, end):
    person = Person(study)
    person.begin()
    if end == "refused":
        person.post(step="consent", answer="no")
    elif end == "screened out":
        person.post(step="consent", answer="yes")
        person.post(step="eligibility", answer="no")
    elif end == "lost place":
        person.get_ready()
        Participant.objects.update(last_seen_at=timezone.now() - timedelta(days=2))
    else:
        Study.objects.update(closed_at=NOW, published_at=NOW)
    assert "Hand over or delete" in person.get()
    assert "Pause or leave" not in person.page
    leave = person.client.get(reverse("judgments:leave", args=[study.pk])).content.decode()
    for words in ("Come back later", "Go on with the study", "Your place is kept", "/me/"):
        assert words not in leave
    assert "Leave and delete my answers" in leave


@pytest.mark.parametrize("door", ["begin", "hand-over", "delete"])
def test_the_address_of_a_form_opened_like_a_page_leads_on_and_does_nothing(study, door):
    person = Person(study)
    person.get_ready()
    shown = person.heading
    opened = person.client.get(reverse(f"judgments:{door}", args=[study.pk]))
    assert (opened.status_code, opened["Location"]) == (303, f"/study/{study.pk}/")
    person.get()
    assert person.heading == shown
    person.answer()
    assert Judgment.objects.count() == 1


def test_an_answer_after_deletion_in_another_tab_leads_to_the_landing_page(study):
    person = Person(study)
    person.get_ready()
    Participant.objects.get().delete()
    person.post(step="item", position=1, choice="left")
    assert "Your session has ended" in person.page
    assert "press Begin" in person.page


@pytest.mark.parametrize(
    ("method", "door"),
    [
        ("get", "study"),
        ("get", "last-answer"),
        ("get", "leave"),
        ("post", "study"),
        ("post", "hand-over"),
        ("post", "delete"),
    ],
)
def test_no_door_fails_when_another_tab_deletes_in_this_moment(study, monkeypatch, method, door):
    person = Person(study)
    person.get_ready()
    person.answer()

    def erased_meanwhile(request, study):
        participant = current_participant(request, study)
        assert participant is not None
        leave_and_delete(participant_id=participant.pk, now=NOW)
        return participant

    monkeypatch.setattr(views, "current_participant", erased_meanwhile)
    url = reverse(f"judgments:{door}", args=[study.pk])
    reply = getattr(person.client, method)(url, {"step": "item", "position": 2, "choice": "left"})
    assert reply.status_code in (200, 303)
    assert not Participant.objects.exists()


def test_a_link_that_is_opened_while_another_tab_deletes_is_not_found(study, monkeypatch):
    person = Person(study)
    person.begin()
    link = re.search(r'class="link">([^<]*)<', person.page)[1]

    def erased_meanwhile(**arguments):
        participant = find_by_link(**arguments)
        leave_and_delete(participant_id=participant.pk, now=NOW)
        return participant

    monkeypatch.setattr(entering, "find_by_link", erased_meanwhile)
    assert Client().get(link).status_code == 404
