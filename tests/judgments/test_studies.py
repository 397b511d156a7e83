"""judgments.actions.studies: from creation to published results, and what keeps people out."""

from dataclasses import replace
from importlib import import_module

import pytest
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor

from catalog.models import Scenario
from judgments.actions.launch import CheckFinished, finish_check, start_check
from judgments.actions.staff import StudyOpen, publish_protocol
from judgments.actions.studies import (
    NotReady,
    SlugTaken,
    StudyNotFound,
    WrongState,
    close_study,
    create_study,
    open_study,
    publish_results,
)
from judgments.assignment import ItemKind
from judgments.models import Audience, AuditEntry, CheckKind, LaunchCheck, ParticipantKind, Study
from judgments.protocol import Protocol
from judgments.protocol_defaults import default_protocol
from tests.builders import NOW
from tests.judgments.desk import (
    ASSISTANT,
    MANAGER,
    group_permissions,
    log_in,
    make_assistant,
    make_staff,
    pass_checks,
    version_of,
)
from tests.judgments.studies import (
    PROTOCOL,
    answer_all,
    join,
    join_ready,
    later,
    make_scenarios,
    make_study,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return create("fresh")


def create(slug: str, **arguments) -> Study:
    scenarios = Scenario.objects.values_list("slug", flat=True) or make_scenarios(n_per_domain=3)
    protocol = default_protocol(scenarios)
    return create_study(
        slug=slug, title="Fresh", protocol=protocol, staff=None, now=NOW, **arguments
    )


def start(study: Study, kind: CheckKind) -> LaunchCheck:
    return start_check(version=version_of(study), kind=kind, staff=None, now=NOW)


def change(study: Study, **parts):
    protocol = Protocol.from_definition(version_of(study).definition)
    return publish_protocol(study=study, protocol=replace(protocol, **parts), staff=None, now=NOW)


def test_a_new_study_is_not_open_and_has_its_first_protocol(study):
    assert (study.is_open, study.audience) == (False, Audience.PEOPLE)
    assert version_of(study).number == 1
    with pytest.raises(SlugTaken):
        create("fresh")


def test_a_study_opens_only_when_the_newest_check_of_each_kind_passed(study):
    with pytest.raises(NotReady) as refusal:
        open_study(slug="fresh", staff=None, now=NOW)
    assert [str(one) for one in refusal.value.missing] == [
        "design certificate: not run on this version",
        "robots' rehearsal: not run on this version",
        "leak crawl: not run on this version",
        "export check: not run on this version",
    ]
    pass_checks(study, CheckKind.CERTIFICATE, CheckKind.ROBOTS, CheckKind.EXPORT)
    crawl = start(study, CheckKind.LEAK_CRAWL)
    with pytest.raises(NotReady, match=r"^leak crawl: still running$"):
        open_study(slug="fresh", staff=None, now=NOW)
    finish_check(check_id=crawl.pk, is_passed=False, details={}, now=NOW)
    with pytest.raises(NotReady, match=r"^leak crawl: failed$"):
        open_study(slug="fresh", staff=None, now=NOW)
    pass_checks(study, CheckKind.LEAK_CRAWL)
    assert open_study(slug="fresh", staff=None, now=NOW).is_open


def test_a_check_that_passed_stands_no_longer_once_it_was_started_again(study):
    pass_checks(study)
    start(study, CheckKind.EXPORT)
    with pytest.raises(NotReady, match="export check"):
        open_study(slug="fresh", staff=None, now=NOW)


def test_a_run_of_a_check_ends_once(study):
    check = start(study, CheckKind.EXPORT)
    finish_check(check_id=check.pk, is_passed=False, details={"n": 1}, now=NOW)
    with pytest.raises(CheckFinished):
        finish_check(check_id=check.pk, is_passed=True, details={}, now=NOW)


def test_a_new_version_needs_checks_of_its_own(study):
    pass_checks(study)
    change(study, allows_equal=True)
    with pytest.raises(NotReady):
        open_study(slug="fresh", staff=None, now=NOW)


def test_the_protocol_of_an_open_study_changes_only_after_closing_it():
    study = make_study(n_per_domain=3)
    with pytest.raises(StudyOpen):
        change(study, allows_equal=True)
    close_study(slug="main", staff=None, now=NOW)
    assert change(study, allows_equal=True).number == 2


def test_going_back_to_an_earlier_protocol_is_a_new_version(study):
    change(study, allows_equal=True)
    assert change(study, allows_equal=False).number == 3
    assert version_of(study).number == 3
    assert change(study, allows_equal=False).number == 3


def test_a_closed_study_keeps_its_first_opening_and_opens_again_by_the_same_rule(study):
    pass_checks(study)
    open_study(slug="fresh", staff=None, now=NOW)
    with pytest.raises(WrongState, match="open already"):
        open_study(slug="fresh", staff=None, now=NOW)
    close_study(slug="fresh", staff=None, now=later(hours=1))
    with pytest.raises(WrongState, match="not open"):
        close_study(slug="fresh", staff=None, now=NOW)
    study = open_study(slug="fresh", staff=None, now=later(hours=2))
    assert (study.opened_at, study.closed_at) == (NOW, None)
    events = AuditEntry.objects.filter(event__startswith="study").order_by("id")
    assert list(events.values_list("event", flat=True)) == [
        "study_created",
        "study_opened",
        "study_closed",
        "study_reopened",
    ]


def test_results_are_published_once_of_closed_studies_of_people_which_then_stay_closed(study):
    pass_checks(study)
    with pytest.raises(WrongState, match="Close the study first"):
        publish_results(slug="fresh", staff=None, now=NOW)
    open_study(slug="fresh", staff=None, now=NOW)
    with pytest.raises(WrongState, match="Close the study first"):
        publish_results(slug="fresh", staff=None, now=NOW)
    participant = join_ready(study)
    first_scenario = participant.items.filter(cell__place=1).count()
    close_study(slug="fresh", staff=None, now=NOW)
    with pytest.raises(WrongState, match="Nobody who counts has finished a scenario"):
        publish_results(slug="fresh", staff=None, now=NOW)
    answer_all(participant, range(1, first_scenario + 1))
    later_on = later(hours=25)  # nobody can come back any more: test_publishing.py
    assert publish_results(slug="fresh", staff=None, now=later_on).published_at == later_on
    with pytest.raises(WrongState, match="public already"):
        publish_results(slug="fresh", staff=None, now=NOW)
    with pytest.raises(WrongState, match="results are public"):
        open_study(slug="fresh", staff=None, now=NOW)


def test_a_study_of_robots_opens_without_checks_takes_robots_and_publishes_nothing(study):
    robots = create("robots", audience=Audience.ROBOTS, rehearsal_of=study)
    open_study(slug="robots", staff=None, now=NOW)
    assert join(robots).participant.kind == ParticipantKind.ROBOT
    assert join(robots, is_preview=True).participant.kind == ParticipantKind.PREVIEW
    close_study(slug="robots", staff=None, now=NOW)
    with pytest.raises(WrongState, match="Robots"):
        publish_results(slug="robots", staff=None, now=NOW)


def test_no_study_opens_whose_protocol_cannot_be_played():
    # Past the desk's form: 11 checks for 48 judgments, which the first to begin would meet.
    checks = {**PROTOCOL.checks, ItemKind.REPEAT: 3}
    study = make_study(n_per_domain=3, checks=checks, audience=Audience.ROBOTS, opened_at=None)
    with pytest.raises(NotReady, match="11 checks for 48 judgments"):
        open_study(slug=study.pk, staff=None, now=NOW)


def test_a_study_of_people_takes_people():
    assert join(make_study(n_per_domain=3)).participant.kind == ParticipantKind.PERSON


def test_an_unknown_study_is_named(study):
    for action in (open_study, close_study, publish_results):
        with pytest.raises(StudyNotFound, match="nowhere"):
            action(slug="nowhere", staff=None, now=NOW)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("study_closed_was_open", {"closed_at": NOW}),
        ("study_published_is_closed", {"opened_at": NOW, "published_at": NOW}),
        ("study_rehearsal_by_robots", {"rehearsal_of": "fresh"}),
    ],
)
def test_the_database_refuses_impossible_studies(study, name, columns):
    with pytest.raises(IntegrityError, match=name):
        Study.objects.update(**columns)


def test_the_groups_of_staff_hold_what_they_are_for():
    # Tests that commit empty all tables afterwards, and the migration's groups are gone.
    loader = MigrationExecutor(connection).loader
    state = loader.project_state([("judgments", "0005_groups")])
    import_module("judgments.migrations.0005_groups").add_groups(state.apps, None)
    assert group_permissions("Study managers") == set(MANAGER)
    assert group_permissions("Study assistants") == set(ASSISTANT)


def test_the_desk_asks_to_log_in_and_tells_who_may_not_enter_why(client):
    reply = client.get("/staff/studies/")
    assert (reply.status_code, reply["Location"]) == (302, "/admin/login/?next=/staff/studies/")
    stranger = log_in(make_staff(permissions=())).get("/staff/studies/")
    assert stranger.status_code == 403
    assert b"ada, who may not watch studies" in stranger.content
    assert log_in(make_assistant()).get("/staff/studies/").status_code == 200
