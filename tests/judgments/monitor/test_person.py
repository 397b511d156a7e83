"""One person: every event in order, exclusion with a reason and its undoing, notes."""

import re

import pytest
from django.utils import timezone

from judgments.actions import path
from judgments.actions.judging import show_item
from judgments.actions.presence import note_expired_holds
from judgments.actions.staff import exclude_participant
from judgments.actions.watching import add_note
from judgments.models import AuditEntry, Choice, Exclusion, StaffNote
from judgments.queries.coverage import counted_judgments, coverage
from judgments.queries.monitor import watch
from judgments.queries.timeline import timeline_of
from tests.judgments.desk import address
from tests.judgments.played import finished, play
from tests.judgments.studies import (
    RIGHT_ANSWERS,
    WRONG_ANSWERS,
    answer,
    attempt,
    go_to_comprehension,
    join,
    join_ready,
    later,
)

pytestmark = pytest.mark.django_db


def test_the_timeline_has_every_event_in_order(study, ada):
    participant = join_ready(study, pid="5f3c")
    show_item(participant_id=participant.pk, position=1, now=later(seconds=5))
    answer(participant, 1, Choice.LEFT, now=later(seconds=20))
    answer(participant, 1, Choice.RIGHT, now=later(seconds=30))
    note_expired_holds(now=later(hours=2))
    show_item(participant_id=participant.pk, position=2, now=later(hours=3))
    answer(participant, 2, now=later(hours=3, seconds=7))
    join(study, pid="5f3c", now=later(hours=3.1))
    path.open_link(participant_id=participant.pk, now=later(hours=3.2))
    path.hand_over(participant_id=participant.pk, now=later(hours=3.3))
    add_note(participant_id=participant.pk, staff=ada, text="Called.", now=later(hours=3.4))
    exclude_participant(
        participant_id=participant.pk, staff=ada, reason="A test.", now=later(hours=3.5)
    )
    timeline = timeline_of(study, participant.pk, now=later(hours=4))
    assert [(event.what, event.detail, event.staff) for event in timeline.events] == [
        ("Joined", "protocol version 1", ""),
        ("Consented", "text 00000000 in en", ""),
        ("Read the instructions", "", ""),
        ("Comprehension check, attempt 1: passed", "", ""),
        ("Answered to be eligible", "", ""),
        ("Screen 1, scenario 1: B", f"{title_of(participant, 1)}, 15.0 s", ""),
        ("Changed screen 1", "A to B", ""),
        ("The hold ran out", "", ""),
        ("Came back after the hold had run out", "away for 180 min", ""),
        ("Screen 2, scenario 1: A", f"{title_of(participant, 2)}, 7.0 s", ""),
        ("Came back from the platform", "", ""),
        ("Opened the personal link", "", ""),
        ("Handed the device over", "", ""),
        ("Note", "Called.", "ada"),
        ("Excluded", "A test.", "ada"),
    ]


def title_of(participant, position) -> str:
    return str(participant.items.get(position=position).cell.scenario.title)


def test_another_window_or_device_is_an_event(study):
    participant = play(join_ready(study), n_items=2)
    first, second = participant.judgments.order_by("item__position")
    for judgment, width, layout in ((first, 1280, "side-by-side"), (second, 375, "stacked")):
        judgment.viewport_width, judgment.viewport_height, judgment.layout = width, 800, layout
        judgment.save()
    events = timeline_of(study, participant.pk, now=later(hours=1)).events
    [change] = [event for event in events if event.what == "Other window or device"]
    assert change.detail == "375 × 800, stacked, before 1280 × 800, side by side"


def test_a_break_and_a_failed_attempt_are_events(study):
    # Case C12: both attempts are kept, and are no attention check.
    participant = join(study).participant
    go_to_comprehension(participant)
    for number, answers in ((1, WRONG_ANSWERS), (2, RIGHT_ANSWERS)):
        attempt(participant, number, answers)
    last = participant.items.filter(cell__place=2).order_by("position").last()
    for position in range(1, last.position + 1):
        answer(participant, position)
    path.take_break(participant_id=participant.pk, after_place=2, now=later(minutes=1))
    timeline = timeline_of(study, participant.pk, now=later(minutes=2))
    what = [event.what for event in timeline.events]
    assert "Break after scenario 2" in what
    assert "Comprehension check, attempt 1: failed" in what
    assert "Comprehension check, attempt 2: passed" in what
    n_checks = participant.items.filter(
        kind__in=["instructed", "repeat"], judgment__isnull=False
    ).count()
    assert timeline.person.figures.n_can_fail_answered == n_checks


def test_timelines_lead_to_the_next_and_the_previous_person(study, desk):
    older, middle, newer = (join_ready(study, now=later(minutes=k)) for k in range(3))
    page = desk.get(address("person", study, middle.pk)).content.decode()
    assert re.search(rf'rel="prev"\s+href="{address("person", study, newer.pk)}"', page)
    assert re.search(rf'rel="next"\s+href="{address("person", study, older.pk)}"', page)


def test_excluding_asks_for_a_reason_changes_every_count_and_can_be_undone(study, desk):
    # Case C13.
    seventh = [finished(study) for _ in range(7)][-1]
    url = address("exclude", study, seventh.pk)

    def totals() -> tuple[int, int, int]:
        slugs = seventh.protocol.definition["scenarios"]
        monitor = watch(study, now=timezone.now())
        covered = sum(coverage(study, slugs, now=timezone.now()).values())
        return counted_judgments(study).count(), covered, monitor.slots.n_complete

    assert totals() == (420, 56, 56)
    assert "60 answers leave every result" in desk.get(url).content.decode()
    refused = desk.post(url, {"reason": "  "})
    assert refused.status_code == 422
    assert b"Write why" in refused.content
    assert totals() == (420, 56, 56)
    assert desk.post(url, {"reason": "Works here."}).status_code == 302
    assert totals() == (360, 48, 48)
    desk.post(url, {"reason": "Twice."}, follow=True)
    exclusion = Exclusion.objects.get()
    assert (exclusion.reason, exclusion.excluded_by.get_username()) == ("Works here.", "ada")
    assert desk.post(address("undo", study, seventh.pk), {"reason": "No."}).status_code == 302
    assert totals() == (420, 56, 56)
    assert AuditEntry.objects.filter(staff__username="ada").count() == 2


def test_looking_at_the_confirmation_changes_nothing(study, desk):
    participant = finished(study)
    for door in ("exclude", "undo"):
        assert desk.get(address(door, study, participant.pk)).status_code == 200
    assert not Exclusion.objects.exists()


def test_a_note_is_kept_and_an_empty_one_is_refused(study, assistant):
    participant = finished(study)
    url = address("note", study, participant.pk)
    assert assistant.post(url, {"text": " "}).status_code == 422
    assert assistant.post(url, {"text": "<b>Seen</b>"}).status_code == 302
    assert StaffNote.objects.get().staff.get_username() == "bob"
    page = assistant.get(address("person", study, participant.pk)).content.decode()
    assert "&lt;b&gt;Seen&lt;/b&gt;" in page
