"""The monitor of a study, its people, its log and its recruitment, as staff see them."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judgments.actions import path
from judgments.actions.judging import show_item
from judgments.actions.presence import note_expired_holds
from judgments.actions.staff import exclude_participant, publish_protocol
from judgments.actions.watching import add_note, store_submissions
from judgments.models import (
    AuditEntry,
    Choice,
    Exclusion,
    Participant,
    PlatformSubmission,
    StaffNote,
)
from judgments.queries.coverage import counted_judgments, coverage
from judgments.queries.monitor import watch
from judgments.queries.participants import protocol_of
from judgments.queries.timeline import timeline_of
from judgments.standing import Standing
from judgments.submissions import Submission
from tests.builders import NOW
from tests.judgments.desk import log_in, make_assistant, make_staff
from tests.judgments.played import always_left, attentive, play
from tests.judgments.studies import (
    RIGHT_ANSWERS,
    answer,
    consent,
    get_ready,
    join,
    join_ready,
    later,
    make_study,
)

pytestmark = pytest.mark.django_db
WRONG = {"task": "longer-text"}


@pytest.fixture
def study():
    return make_study(n_per_domain=3, opened_at=later(days=-7))


@pytest.fixture
def ada():
    return make_staff("ada")


@pytest.fixture
def desk(ada):
    return log_in(ada)


@pytest.fixture
def assistant():
    return log_in(make_assistant())


def address(name, study, *arguments) -> str:
    return reverse(f"study-desk:{name}", args=[study.pk, *arguments])


def finished(study, choose=attentive, **arguments) -> Participant:
    participant = play(join_ready(study, **arguments), choose)
    return path.finish(participant_id=participant.pk, now=later(minutes=40))


def fail_comprehension(study) -> None:
    participant = join(study).participant
    consent(participant)
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=NOW)
    path.read_instructions(participant_id=participant.pk, now=NOW)
    for number in (1, 2):
        path.answer_comprehension(
            participant_id=participant.pk, number=number, answers=WRONG, now=NOW
        )


def test_people_are_counted_by_how_they_stand(study):
    finished(study)
    play(join_ready(study), n_items=10)
    get_ready(join(study, now=later(days=-3)).participant, now=later(days=-3))
    consent(join(study, now=later(hours=-2)).participant, now=later(hours=-2))
    consent(join(study).participant, is_given=False)
    join(study)
    fail_comprehension(study)
    path.leave_and_delete(participant_id=join_ready(study).pk, now=NOW)
    monitor = watch(study, now=later(minutes=41))
    standings = {standing: n for standing, n in monitor.standings.items() if n}
    assert standings == {
        Standing.COMPLETE: 1,
        Standing.ITEMS: 1,
        Standing.LOST_PLACE: 1,
        Standing.QUIET: 1,
        Standing.REFUSED: 1,
        Standing.CONSENT: 1,
        Standing.SCREENED_OUT: 1,
    }
    assert monitor.n_left == 1


def test_visits_without_consent_are_a_count_with_times_and_nothing_else(study, desk):
    # Case C09.
    visitor = join(study, pid="left-before-consent", now=later(hours=-1)).participant
    refuser = join(study, pid="said-no").participant
    consent(refuser, is_given=False)
    page = desk.get(address("monitor", study)).content.decode()
    assert "2 visits began and did not consent" in page
    assert re.search(r"29 Nov 2026, 11:00 UTC", page)
    for participant in (visitor, refuser):
        assert participant.platform_pid not in page
        assert participant.pk.hex[:8] not in page
        assert desk.get(address("person", study, participant.pk)).status_code == 404
    # The platform's own id may still start, as the same visit.
    again = join(study, pid="left-before-consent").participant
    assert again == visitor


def test_slots_are_complete_held_or_free_again(study):
    finished(study)
    play(join_ready(study), n_items=10)
    monitor = watch(study, now=later(minutes=41))
    assert (monitor.slots.n_complete, monitor.slots.n_held) == (9, 7)
    assert monitor.slots.n_free_again == 0
    after = watch(study, now=later(hours=3))
    assert (after.slots.n_complete, after.slots.n_held, after.slots.n_free_again) == (9, 0, 7)
    assert sum(one.n_served for one in after.coverage) == 9


def test_the_page_asks_the_same_number_of_queries_whoever_takes_part(study, desk):
    finished(study)
    desk.get(address("monitor", study))  # the session is there from now on
    numbers = []
    for _ in range(2):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert desk.get(address("monitor", study)).status_code == 200
        numbers.append(len(queries))
        for choose in (attentive, always_left):
            finished(study, choose, pid=uuid4().hex)
        play(join_ready(study), n_items=7)
    assert numbers[0] == numbers[1] < 30


def test_problems_come_first_and_name_the_people(study, desk):
    lazy = finished(study, always_left)
    waiting = play(join_ready(study))
    page = desk.get(address("monitor", study)).content.decode()
    problems = page[page.index('id="problems"') : page.index("People by state")]
    assert "1 person flagged, and nobody excluded them or wrote a note" in problems
    assert lazy.pk.hex[:8] in problems
    assert "1 person answered everything and did not fetch the code" in problems
    assert waiting.pk.hex[:8] in problems


def test_a_flag_excludes_nobody_and_a_note_counts_as_looked_at(study, ada):
    lazy = finished(study, always_left)
    assert watch(study, now=later(hours=1)).people[0].is_unreviewed
    add_note(participant_id=lazy.pk, staff=ada, text="Asked; a real person.", now=NOW)
    monitor = watch(study, now=later(hours=1))
    assert not monitor.people[0].is_unreviewed
    assert monitor.people[0].flags
    assert not Exclusion.objects.exists()
    assert monitor.n_answers == 60


def test_the_list_of_people_can_be_filtered(study, desk, ada):
    lazy, good = finished(study, always_left), finished(study)
    quiet = play(join_ready(study), n_items=3)
    exclude_participant(participant_id=good.pk, staff=ada, reason="Ours.", now=NOW)
    names = {one.pk.hex[:8]: one for one in (lazy, good, quiet)}

    def listed(**query) -> set[Participant]:
        page = desk.get(address("monitor", study), query).content.decode()
        rows = page[page.index('id="people-rows"') : page.index("Visits without consent")]
        return {one for name, one in names.items() if f"person-{name}" in rows}

    assert listed() == {lazy, good, quiet}
    assert listed(only="flagged") == {lazy}
    assert listed(only="excluded") == {good}
    assert listed(standing="quiet") == {quiet}
    assert listed(standing="nonsense", page="x") == {lazy, good, quiet}


def test_the_page_renews_itself_with_htmx_and_can_be_held_still(study, desk):
    page = desk.get(address("monitor", study)).content.decode()
    assert 'hx-trigger="every 30s"' in page
    swapped = re.search(r'hx-select-oob="([^"]*)"', page)[1].split(",")
    for part in swapped:
        assert f'id="{part.removeprefix("#")}"' in page
    assert "hx-get" not in desk.get(address("monitor", study), {"still": 1}).content.decode()


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
    consent(participant)
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=NOW)
    path.read_instructions(participant_id=participant.pk, now=NOW)
    for number, answers in ((1, WRONG), (2, RIGHT_ANSWERS)):
        path.answer_comprehension(
            participant_id=participant.pk, number=number, answers=answers, now=NOW
        )
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


def test_who_was_screened_out_saw_no_item(study):
    # Case C12: two failures end before any judged item.
    fail_comprehension(study)
    [person] = watch(study, now=NOW).people
    assert person.standing is Standing.SCREENED_OUT
    assert person.figures.n_answered == 0
    assert not Participant.objects.get().items.filter(shown_at__isnull=False).exists()


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


def test_five_of_six_pairs_are_no_usable_cell_and_counted_as_such():
    # Case C13: a cell with fewer than six valid choices is dropped, never ranked from five.
    study = make_study(n_per_domain=3, allows_cannot_judge=True)
    participant = join_ready(study)
    pairs = participant.items.filter(cell__place=1).order_by("position")
    for item in pairs:
        choice = Choice.CANNOT_JUDGE if item.kind == "judgment" and item == pairs[0] else None
        answer(participant, item.position, choice or Choice.LEFT)
    cell = participant.cells.get(place=1)
    assert (cell.is_usable, cell.code) == (False, None)
    covered = {one.slug: one for one in watch(study, now=NOW).coverage}[cell.scenario_id]
    assert (covered.n_complete, covered.n_held, covered.n_unusable) == (0, 0, 1)


def test_a_note_is_kept_and_an_empty_one_is_refused(study, assistant):
    participant = finished(study)
    url = address("note", study, participant.pk)
    assert assistant.post(url, {"text": " "}).status_code == 422
    assert assistant.post(url, {"text": "<b>Seen</b>"}).status_code == 302
    assert StaffNote.objects.get().staff.get_username() == "bob"
    page = assistant.get(address("person", study, participant.pk)).content.decode()
    assert "&lt;b&gt;Seen&lt;/b&gt;" in page


def test_assistants_watch_and_do_nothing_else(study, assistant, client):
    participant = finished(study)
    for name, *arguments in (("monitor",), ("audit",), ("person", participant.pk)):
        assert assistant.get(address(name, study, *arguments)).status_code == 200
    for name, *arguments in (
        ("recruitment",),
        ("exclude", participant.pk),
        ("undo", participant.pk),
    ):
        for method in (assistant.get, assistant.post):
            assert method(address(name, study, *arguments)).status_code == 403
    for name, *arguments in (("monitor",), ("audit",), ("person", participant.pk)):
        assert client.get(address(name, study, *arguments)).status_code == 302


def test_what_is_not_there_is_404(study, desk):
    other = make_study("other", n_per_domain=3)
    participant = finished(other)
    for url in (
        address("person", study, uuid4()),
        address("person", study, participant.pk),
        address("exclude", study, participant.pk),
        reverse("study-desk:monitor", args=["nowhere"]),
        reverse("study-desk:audit", args=["nowhere"]),
    ):
        assert desk.get(url).status_code == 404
    assert desk.post(address("note", study, uuid4()), {"text": "x"}).status_code == 404


def test_the_log_is_filtered_by_what_who_whom_and_when(study, desk, ada):
    participant = finished(study)
    exclude_participant(participant_id=participant.pk, staff=ada, reason="Late.", now=NOW)

    def listed(**query) -> int:
        page = desk.get(address("audit", study), query).content.decode()
        return int(re.search(r"(\d+) entries", page)[1])

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


def test_a_changed_screen_is_a_problem_until_it_is_a_new_version(study, monkeypatch):
    # Case C21: a style that changes while people answer bumps the protocol's version.
    protocol = protocol_of(join(study).participant)
    assert watch(study, now=NOW).problems == ()
    for module in ("actions.staff", "queries.monitor"):
        monkeypatch.setattr(f"judgments.{module}.screen_sha256", lambda: "another style")
    [problem] = watch(study, now=NOW).problems
    assert "looks or works otherwise than when version 1 was saved" in problem.words
    study.closed_at = NOW
    study.save()
    version = publish_protocol(study=study, protocol=protocol, staff=None, now=NOW)
    assert (version.number, version.definition["screen"]) == (2, "another style")
    study.closed_at = None
    study.save()
    assert watch(study, now=NOW).problems == ()


def test_recruitment_shows_the_link_in_and_the_codes_out(study, desk):
    page = desk.get(address("recruitment", study)).content.decode()
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}" in page
    for code in ("C0DE1", "C0DE2", "C0DE3"):
        assert f"https://app.prolific.com/submissions/complete?cc={code}" in page


@pytest.mark.django_db(transaction=True)
def test_counts_and_flags_are_read_from_rows_so_a_restart_changes_nothing(study):
    # Case C61: nothing is kept in a process; another one reads the same.
    finished(study, always_left)
    first = watch(study, now=later(hours=1))
    connection.close()
    assert watch(study, now=later(hours=1)) == first
