"""Consent, checks, breaks, the end, and leaving: every step once, in order, per person."""

import pytest

from judgments.actions import path
from judgments.actions.path import NotNext
from judgments.actions.presence import note_expired_holds
from judgments.models import (
    AuditEntry,
    Cell,
    ComprehensionAttempt,
    Consent,
    DeletionReceipt,
    Item,
    Judgment,
    Participant,
)
from judgments.queries.coverage import served_cells
from judgments.queries.participants import ParticipantNotFound, step_of
from judgments.steps import Step
from tests.builders import NOW
from tests.judgments.studies import (
    RIGHT_ANSWERS,
    WRONG_ANSWERS,
    answer_all,
    attempt,
    consent,
    get_ready,
    go_to_comprehension,
    join,
    join_ready,
    later,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def participant(study):
    return join(study).participant


def step(participant: Participant, *, now=NOW) -> Step:
    return step_of(Participant.objects.get(pk=participant.pk), now=now).step


def test_the_path_leads_from_consent_to_the_first_item(participant):
    assert step(participant) is Step.CONSENT
    consent(participant)
    assert step(participant) is Step.ELIGIBILITY
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=NOW)
    assert step(participant) is Step.INSTRUCTIONS
    path.read_instructions(participant_id=participant.pk, now=NOW)
    assert step(participant) is Step.COMPREHENSION
    attempt(participant, 1)
    assert step(participant) is Step.ITEM


def test_consent_is_a_row_of_its_own_for_every_person(study, participant):
    second = join(study).participant
    consent(participant)
    assert step(second) is Step.CONSENT
    consent(second, now=later(minutes=1))
    rows = Consent.objects.order_by("answered_at")
    assert [row.participant for row in rows] == [participant, second]


def test_the_first_answer_to_the_consent_text_stands(participant):
    consent(participant, is_given=False)
    consent(participant, is_given=True)
    assert not Consent.objects.get().is_given
    assert step(participant) is Step.REFUSED


def test_who_is_not_eligible_is_screened_out_before_any_item(participant):
    consent(participant)
    path.answer_eligibility(participant_id=participant.pk, is_eligible=False, now=NOW)
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=NOW)
    assert step(participant) is Step.SCREENED_OUT
    assert not served_cells(participant.study, now=NOW).exists()


def test_one_failure_and_then_a_pass_goes_on_and_both_attempts_are_kept(participant):
    go_to_comprehension(participant)
    assert not attempt(participant, 1, WRONG_ANSWERS).is_passed
    assert attempt(participant, 2).is_passed
    assert step(participant) is Step.ITEM
    assert list(ComprehensionAttempt.objects.values_list("number", "is_passed")) == [
        (1, False),
        (2, True),
    ]


def test_two_failures_end_before_any_item_and_free_the_place(participant):
    go_to_comprehension(participant)
    attempt(participant, 1, WRONG_ANSWERS)
    assert served_cells(participant.study, now=NOW).count() == 8
    attempt(participant, 2, WRONG_ANSWERS)
    assert step(participant) is Step.SCREENED_OUT
    assert not served_cells(participant.study, now=NOW).exists()
    with pytest.raises(NotNext):
        attempt(participant, 3)


def test_an_attempt_sent_twice_counts_once(participant):
    go_to_comprehension(participant)
    first = attempt(participant, 1, WRONG_ANSWERS)
    assert attempt(participant, 1, RIGHT_ANSWERS) == first
    assert step(participant) is Step.COMPREHENSION


def test_steps_out_of_order_are_refused(participant):
    for action in (
        lambda: path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=NOW),
        lambda: path.read_instructions(participant_id=participant.pk, now=NOW),
        lambda: attempt(participant, 1),
        lambda: path.take_break(participant_id=participant.pk, after_place=2, now=NOW),
        lambda: path.finish(participant_id=participant.pk, now=NOW),
    ):
        with pytest.raises(NotNext):
            action()


def test_a_break_taken_twice_is_one_break(participant):
    get_ready(participant)
    last = participant.items.filter(cell__place=2).order_by("position").last().position
    answer_all(participant, range(1, last + 1))
    assert step(participant) is Step.BREAK
    for _ in range(2):
        path.take_break(participant_id=participant.pk, after_place=2, now=NOW)
    participant.refresh_from_db()
    assert participant.breaks_taken == 1
    assert step(participant) is Step.ITEM


def test_the_code_is_made_after_the_last_answer_and_stays_the_same(participant):
    get_ready(participant)
    answer_all(participant, range(1, 60))
    with pytest.raises(NotNext):
        path.finish(participant_id=participant.pk, now=NOW)
    participant.refresh_from_db()
    assert participant.completion_code is None
    answer_all(participant, [60])
    assert step(participant) is Step.DEBRIEF
    code = path.finish(participant_id=participant.pk, now=NOW).completion_code
    assert path.finish(participant_id=participant.pk, now=NOW).completion_code == code
    assert step(participant) is Step.COMPLETE
    assert step(participant, now=later(days=30)) is Step.COMPLETE


def test_codes_differ_from_person_to_person(study):
    codes = set()
    for _ in range(2):
        participant = join_ready(study)
        answer_all(participant)
        codes.add(path.finish(participant_id=participant.pk, now=NOW).completion_code)
    assert len(codes) == 2


def test_leaving_erases_every_row_and_keeps_a_receipt_without_identity(study):
    participant = join_ready(study, pid="somebody")
    answer_all(participant, range(1, 31))
    receipt = path.leave_and_delete(participant_id=participant.pk, now=NOW)
    for model in (Participant, Consent, ComprehensionAttempt, Cell, Item, Judgment):
        assert not model.objects.exists()
    assert DeletionReceipt.objects.values().get() == {
        "id": receipt.pk,
        "study_id": study.pk,
        "deleted_at": NOW,
        "n_judgments": 30,
    }
    entry = AuditEntry.objects.get(event="participant_erased")
    assert entry.participant_id is None
    assert "somebody" not in str(list(AuditEntry.objects.values()))
    assert not served_cells(study, now=NOW).exists()
    with pytest.raises(ParticipantNotFound):
        path.leave_and_delete(participant_id=participant.pk, now=NOW)


def test_leaving_leaves_everybody_else_alone(study):
    first, second = join_ready(study), join_ready(study)
    answer_all(second, range(1, 5))
    path.leave_and_delete(participant_id=first.pk, now=NOW)
    assert second.items.count() == 60
    assert second.judgments.count() == 4


def test_a_hold_that_ran_out_is_noted_once_and_taken_up_again_by_who_comes_back(study):
    participant = join_ready(study)
    assert note_expired_holds(now=later(minutes=59)) == 0
    assert note_expired_holds(now=later(minutes=61)) == 1
    assert note_expired_holds(now=later(minutes=62)) == 0
    participant.refresh_from_db()
    assert participant.released_at == later(minutes=60)
    answer_all(participant, [1], now=later(minutes=90))
    returned = Participant.objects.get()
    assert returned.released_at is None
    assert returned.hold_until == later(minutes=150)
    events = list(AuditEntry.objects.values_list("event", flat=True))
    assert events.count("hold_expired") == events.count("participant_returned") == 1


def test_who_has_finished_holds_nothing_that_could_expire(study):
    participant = join_ready(study)
    answer_all(participant)
    path.finish(participant_id=participant.pk, now=NOW)
    assert note_expired_holds(now=later(days=1)) == 0
