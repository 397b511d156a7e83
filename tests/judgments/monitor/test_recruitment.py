"""Recruitment: the platform's list against the answers here, the link in and the codes out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judgments.actions import path
from judgments.actions.watching import store_submissions
from judgments.models import AuditEntry, PlatformSubmission
from judgments.queries.monitor import watch
from judgments.submissions import Submission
from tests.builders import NOW
from tests.judgments.desk import address
from tests.judgments.played import finished, play
from tests.judgments.studies import consent, join, join_ready, later

pytestmark = pytest.mark.django_db
LIST = """Participant id,Status,Completion code
done,AWAITING REVIEW,C0DE1
halfway,APPROVED,C0DE1
nobody,AWAITING REVIEW,C0DE1
wrongcode,AWAITING REVIEW,C0DE2
gaveup,RETURNED,
notthere,TIMED-OUT,
screened,AWAITING REVIEW,C0DE2
"""


def test_the_platforms_list_shows_who_is_complete_on_one_side_only(study, desk):
    # Case C11.
    for pid in ("done", "wrongcode", "notthere", "unlisted"):
        finished(study, pid=pid)
    play(join_ready(study, pid="halfway"), n_items=30)
    screened = join(study, pid="screened").participant
    consent(screened)
    path.answer_eligibility(participant_id=screened.pk, is_eligible=False, now=NOW)
    url = address("recruitment", study)
    assert "No list yet" in desk.get(url).content.decode()
    assert desk.post(url, {"text": LIST}).status_code == 302
    comparison = watch(study, now=timezone.now()).comparison
    assert [one.platform_pid for one in comparison.missing_here] == ["halfway", "nobody"]
    assert [(one.platform_pid, one.status) for one in comparison.missing_there] == [
        ("notthere", "timed out"),
        ("unlisted", "not on the list"),
    ]
    assert [one.platform_pid for one in comparison.other_codes] == ["wrongcode"]
    page = desk.get(url).content.decode()
    assert "quiet, 30 of 60 screens" in page or "comparing, 30 of 60 screens" in page
    assert "nobody of this id" in page
    monitor = desk.get(address("monitor", study)).content.decode()
    assert "2 submissions complete on the platform, and the answers are missing here" in monitor
    assert "halfway" not in monitor
    entry = AuditEntry.objects.get(event="platform_list_stored")
    assert (entry.staff.get_username(), entry.details) == ("ada", {"n_lines": 7})


def test_a_file_is_taken_like_pasted_lines_and_a_bad_one_leaves_the_list_alone(
    study, desk, tmp_path
):
    url = address("recruitment", study)
    for content, status in ((LIST, 302), ("Status\nx", 422), ("", 422)):
        file = tmp_path / "list.csv"
        file.write_text(content)
        with file.open("rb") as opened:
            assert desk.post(url, {"file": opened}).status_code == status
    file.write_bytes(b"Participant id,Status\n\xff,APPROVED\n")
    with file.open("rb") as opened:
        response = desk.post(url, {"file": opened})
    assert response.status_code == 422
    assert b"not text in UTF-8" in response.content
    file.write_bytes(b"Participant id,Status\na\0b,APPROVED\n")
    with file.open("rb") as opened:
        assert desk.post(url, {"file": opened}).status_code == 422
    assert PlatformSubmission.objects.count() == 7


def test_an_old_list_of_an_open_study_is_a_problem(study, ada):
    finished(study, pid="done")
    words = [problem.words for problem in watch(study, now=later(hours=1)).problems]
    assert "The platform's list of submissions was never compared" in words
    store_submissions(
        study=study,
        submissions=[Submission("done", "approved", "C0DE1")],
        staff=ada,
        now=NOW,
    )
    assert watch(study, now=NOW + timedelta(hours=23)).problems == ()
    [problem] = watch(study, now=NOW + timedelta(hours=25)).problems
    assert problem.words == "The platform's list of submissions is older than a day"


def test_recruitment_shows_the_link_in_and_the_codes_out(study, desk):
    page = desk.get(address("recruitment", study)).content.decode()
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}" in page
    for code in ("C0DE1", "C0DE2", "C0DE3"):
        assert f"https://app.prolific.com/submissions/complete?cc={code}" in page
