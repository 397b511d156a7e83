"""The log of a study: filtered by what, who, whom and when."""

import re

import pytest

from judgments.actions import path
from judgments.actions.staff import exclude_participant
from judgments.models import AuditEntry
from tests.builders import NOW
from tests.judgments.desk import address
from tests.judgments.played import finished
from tests.judgments.studies import join_ready

pytestmark = pytest.mark.django_db


def test_the_log_is_filtered_by_what_who_whom_and_when(study, desk, ada):
    participant = finished(study)
    exclude_participant(participant_id=participant.pk, staff=ada, reason="Late.", now=NOW)

    def listed(**query) -> int:
        page = desk.get(address("audit", study), query).content.decode()
        n, noun = re.search(r"(\d+) (entry|entries), the newest", page).groups()
        assert (noun == "entry") is (n == "1")
        return int(n)

    everything = AuditEntry.objects.filter(study=study).count()
    assert listed() == everything
    assert listed(event="participant_excluded") == 1
    assert listed(staff="ada") == listed(staff="*") == 1
    assert listed(participant=participant.pk) == everything - 1  # but the protocol
    assert listed(since="2026-11-30") == 0
    assert listed(until="2026-11-29") == everything
    assert "Late." in desk.get(address("audit", study)).content.decode()


@pytest.mark.parametrize(
    "query", [{"participant": "7"}, {"since": "tomorrow"}, {"event": "x"}, {"staff": "nobody"}]
)
def test_a_filter_that_cannot_be_read_says_so_and_keeps_everything(study, desk, query):
    response = desk.get(address("audit", study), query)
    assert response.status_code == 422
    assert b"The filter was not applied" in response.content


def test_the_log_keeps_its_entries_when_a_participant_is_erased(study, desk):
    participant = finished(study)
    path.hand_over(participant_id=participant.pk, now=NOW)
    path.leave_and_delete(participant_id=participant.pk, now=NOW)
    page = desk.get(address("audit", study)).content.decode()
    assert "handed over" in page
    assert participant.pk.hex[:8] in page


def test_details_are_words_and_no_spelling_of_python(study, desk):
    join_ready(study)
    page = desk.get(address("audit", study)).content.decode()
    assert "is eligible: yes" in page
    assert "is_eligible" not in page
    assert "True" not in page
