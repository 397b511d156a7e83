"""Notes and the platform's list: what staff write down while a study runs."""

import pytest
from django.conf import settings

from judgments import tasks
from judgments.actions.path import leave_and_delete
from judgments.actions.watching import MAX_NOTE, NoteUnusable, add_note, store_submissions
from judgments.models import AuditEntry, Participant, PlatformSubmission, StaffNote
from judgments.standing import Standing, standing_of
from judgments.steps import Progress
from judgments.submissions import ListUnreadable, Submission, read_submissions
from tests.builders import NOW
from tests.judgments.studies import join_ready, later, make_study
from wwbsite.celery import app

EXPORT = (
    "Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code\n"
    '6a01,5F3C 01,AWAITING REVIEW,2026-11-29,2026-11-29,1800,"C0DE1"\n'
    "6a02,5f3c02,RETURNED,2026-11-29,,,\n"
    "\n"
    "6a03,5f3c03,TIMED-OUT,2026-11-29,,,NOCODE\n"
)
READ = (
    Submission("5f3c01", "awaiting review", "C0DE1"),
    Submission("5f3c02", "returned", ""),
    Submission("5f3c03", "timed out", "NOCODE"),
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_platforms_list_is_read_whatever_separates_its_columns(separator):
    assert read_submissions("\ufeff" + EXPORT.replace(",", separator)) == READ


def test_the_older_column_names_are_read_too():
    text = "participant_id,status,entered_code\r\nAB,APPROVED,C0DE1\r\n"
    assert read_submissions(text) == (Submission("ab", "approved", "C0DE1"),)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_the_platforms_list_is_read_whatever_ends_its_lines(line_end):
    assert read_submissions(EXPORT.replace("\n", line_end)) == READ


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The list is empty"),
        ("Status,Completion code\nAPPROVED,X", "no column “participant id”"),
        ("Participant id\nab", "no column “status”"),
        ("Participant id,Status\n", "no line below"),
        ("Participant id,Status\nab,APPROVED\n,APPROVED", "Line 3: the participant id"),
        ("Participant id,Status\nab,", "Line 2: the status"),
        ("Participant id,Status\n" + "a" * 81 + ",APPROVED", "Line 2: the participant id"),
        ("Participant id,Status\n" + "a" * 200_000 + ",APPROVED", "Line 2 cannot be read: field"),
        ("Participant id,Status\na\0b,APPROVED", "NUL"),
    ],
)
def test_a_list_that_cannot_be_read_says_where_and_what_is_expected(text, words):
    with pytest.raises(ListUnreadable, match=words):
        read_submissions(text)


@pytest.fixture
def ada(django_user_model):
    return django_user_model.objects.create_user("ada")


@pytest.fixture
def study(db):
    return make_study(n_per_domain=3)


def test_a_new_list_replaces_the_old_one_and_the_log_says_who(study, ada):
    store_submissions(study=study, submissions=READ, staff=ada, now=NOW)
    store_submissions(study=study, submissions=READ[:1], staff=ada, now=later(hours=1))
    assert PlatformSubmission.objects.get().listed_at == later(hours=1)
    entries = AuditEntry.objects.filter(event="platform_list_stored", staff=ada)
    assert [entry.details for entry in entries] == [{"n_lines": 3}, {"n_lines": 1}]


def test_whoever_is_erased_is_erased_from_the_list_and_the_notes_too(study, ada):
    # Case C14.
    participant = join_ready(study, pid="5f3c01")
    add_note(participant_id=participant.pk, staff=ada, text="Wrote to us.", now=NOW)
    store_submissions(study=study, submissions=READ, staff=ada, now=NOW)
    leave_and_delete(participant_id=participant.pk, now=NOW)
    assert not PlatformSubmission.objects.filter(platform_pid="5f3c01").exists()
    assert PlatformSubmission.objects.count() == 2
    assert not StaffNote.objects.exists()
    # The log keeps what was done, by id alone.
    assert AuditEntry.objects.filter(participant_id=participant.pk, event="note_written").exists()


def test_erasing_somebody_without_a_platform_id_leaves_the_list_alone(study, ada):
    store_submissions(study=study, submissions=READ, staff=ada, now=NOW)
    leave_and_delete(participant_id=join_ready(study).pk, now=NOW)
    assert PlatformSubmission.objects.count() == 3


@pytest.mark.parametrize("text", ["", "  \n", "x" * (MAX_NOTE + 1)])
def test_a_note_has_words_and_not_too_many(study, ada, text):
    with pytest.raises(NoteUnusable):
        add_note(participant_id=join_ready(study).pk, staff=ada, text=text, now=NOW)
    assert not StaffNote.objects.exists()


def test_the_clock_notes_holds_that_ran_out(study):
    # Joined long before the clock's now, so the hold has run out.
    participant = join_ready(study)
    tasks.note_expired_holds()
    tasks.note_expired_holds()  # safe to deliver twice
    assert Participant.objects.get().released_at == participant.joined_at.replace(
        hour=participant.joined_at.hour + 1
    )
    assert AuditEntry.objects.filter(event="hold_expired").count() == 1


def test_every_scheduled_task_is_one_that_workers_know():
    app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in app.tasks


@pytest.mark.parametrize(
    ("progress", "is_holding", "standing"),
    [
        (Progress(), True, Standing.CONSENT),
        (Progress(), False, Standing.CONSENT),
        (Progress(consented=False), False, Standing.REFUSED),
        (Progress(consented=True), True, Standing.ELIGIBILITY),
        (Progress(consented=True), False, Standing.QUIET),
        (Progress(consented=True, eligible=False), False, Standing.SCREENED_OUT),
        # Of somebody who never consented there is a time and nothing else.
        (Progress(study_over=True), False, Standing.CONSENT),
        (Progress(consented=True, study_over=True), False, Standing.STUDY_OVER),
    ],
)
def test_how_somebody_stands_before_the_items(progress, is_holding, standing):
    assert standing_of(progress, is_holding=is_holding) is standing


@pytest.mark.parametrize(
    ("answered", "changes", "is_holding", "standing"),
    [
        ([True, False], {}, True, Standing.ITEMS),
        ([True, False], {}, False, Standing.QUIET),
        ([True, False], {"place_expired": True}, False, Standing.LOST_PLACE),
        ([True, False], {"study_over": True}, False, Standing.STUDY_OVER),
        ([True, True], {"study_over": True}, False, Standing.DEBRIEF),
        ([True, True], {"place_expired": True}, False, Standing.DEBRIEF),
        ([True, True], {"debriefed": True}, False, Standing.COMPLETE),
    ],
)
def test_how_somebody_stands_in_the_items_and_after(answered, changes, is_holding, standing):
    progress = Progress(
        consented=True,
        eligible=True,
        read_instructions=True,
        comprehension=[True],
        answered=answered,
        **changes,
    )
    assert standing_of(progress, is_holding=is_holding) is standing
