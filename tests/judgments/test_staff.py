"""Exclusions have a reason, a person and a time, apply everywhere, and can be undone."""

import pytest

from judgments.actions.staff import (
    AlreadyExcluded,
    NotExcluded,
    ReasonMissing,
    exclude_participant,
    undo_exclusion,
)
from judgments.models import AuditEntry
from judgments.queries.coverage import counted_judgments, coverage
from tests.builders import NOW
from tests.judgments.studies import answer_all, join_ready, later, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(django_user_model):
    return django_user_model.objects.create_user("ada")


@pytest.fixture
def participant():
    participant = join_ready(make_study(n_per_domain=3))
    answer_all(participant)
    return participant


def totals(participant) -> tuple[int, int]:
    slugs = participant.protocol.definition["scenarios"]
    covered = coverage(participant.study, slugs, now=later(days=1))
    return counted_judgments(participant.study).count(), sum(covered.values())


def test_an_exclusion_takes_answers_out_of_every_count_and_undoing_brings_them_back(
    participant, ada
):
    assert totals(participant) == (60, 8)
    exclude_participant(participant_id=participant.pk, staff=ada, reason="Tested it.", now=NOW)
    assert totals(participant) == (0, 0)
    undo_exclusion(participant_id=participant.pk, staff=ada, reason="Was not.", now=NOW)
    assert totals(participant) == (60, 8)


def test_who_excluded_whom_when_and_why_is_kept_also_after_undoing(participant, ada):
    exclude_participant(participant_id=participant.pk, staff=ada, reason=" Tested it. ", now=NOW)
    undo_exclusion(participant_id=participant.pk, staff=ada, reason="Was not.", now=later(hours=1))
    exclusion = participant.exclusions.get()
    assert (exclusion.reason, exclusion.excluded_by, exclusion.excluded_at) == (
        "Tested it.",
        ada,
        NOW,
    )
    assert (exclusion.undone_by, exclusion.undone_at) == (ada, later(hours=1))
    entries = AuditEntry.objects.filter(participant_id=participant.pk, staff=ada)
    assert list(entries.values_list("event", "reason")) == [
        ("participant_excluded", "Tested it."),
        ("exclusion_undone", "Was not."),
    ]


def test_an_exclusion_needs_a_reason(participant, ada):
    with pytest.raises(ReasonMissing):
        exclude_participant(participant_id=participant.pk, staff=ada, reason="  ", now=NOW)
    assert not participant.exclusions.exists()


def test_nobody_is_excluded_twice_or_taken_back_twice(participant, ada):
    with pytest.raises(NotExcluded):
        undo_exclusion(participant_id=participant.pk, staff=ada, reason="", now=NOW)
    exclude_participant(participant_id=participant.pk, staff=ada, reason="Why.", now=NOW)
    with pytest.raises(AlreadyExcluded):
        exclude_participant(participant_id=participant.pk, staff=ada, reason="Why.", now=NOW)


def test_somebody_can_be_excluded_again_after_undoing(participant, ada):
    for _ in range(2):
        exclude_participant(participant_id=participant.pk, staff=ada, reason="Why.", now=NOW)
        undo_exclusion(participant_id=participant.pk, staff=ada, reason="", now=NOW)
    assert participant.exclusions.count() == 2
