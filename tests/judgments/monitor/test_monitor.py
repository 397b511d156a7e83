"""The monitor: who stands where, which slots are free, and what is a problem."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.actions import path
from judgments.actions.staff import exclude_participant, publish_protocol
from judgments.actions.watching import add_note
from judgments.models import Choice, Exclusion, Participant
from judgments.queries.monitor import watch
from judgments.queries.participants import protocol_of
from judgments.standing import Standing
from tests.builders import NOW
from tests.judgments.desk import address
from tests.judgments.played import always_left, attentive, finished, play
from tests.judgments.studies import (
    WRONG_ANSWERS,
    answer,
    attempt,
    consent,
    get_ready,
    go_to_comprehension,
    join,
    join_ready,
    later,
    make_study,
)

pytestmark = pytest.mark.django_db


def fail_comprehension(study) -> None:
    participant = join(study).participant
    go_to_comprehension(participant)
    for number in (1, 2):
        attempt(participant, number, WRONG_ANSWERS)


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


def test_who_was_screened_out_saw_no_item(study):
    # Case C12: two failures end before any judged item.
    fail_comprehension(study)
    [person] = watch(study, now=NOW).people
    assert person.standing is Standing.SCREENED_OUT
    assert person.figures.n_answered == 0
    assert not Participant.objects.get().items.filter(shown_at__isnull=False).exists()


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


@pytest.mark.django_db(transaction=True)
def test_counts_and_flags_are_read_from_rows_so_a_restart_changes_nothing(study):
    # Case C61: nothing is kept in a process; another one reads the same.
    finished(study, always_left)
    first = watch(study, now=later(hours=1))
    connection.close()
    assert watch(study, now=later(hours=1)) == first
