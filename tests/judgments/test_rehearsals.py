"""Robots rehearse a study: three launch checks are filled, by one worker, and none is stuck."""

import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from catalog.scenario_truth import ScenarioTruth
from judgments.actions import rehearsals
from judgments.actions.rehearsals import KINDS, RehearsalLost, RehearsalRunning
from judgments.models import Audience, LaunchCheck, Participant, Study
from judgments.rehearsing import give_up
from judgments.tasks import rehearse_study, settle_quiet_checks
from tests.builders import NOW
from tests.judgments.studies import HALF, SMALLEST, join, later, make_scenarios, make_study

pytestmark = pytest.mark.django_db(transaction=True)


def statuses(study_slug="main"):
    checks = LaunchCheck.objects.filter(protocol__study=study_slug).order_by("pk")
    return {check.kind: check.status for check in checks}


def check_of(kind):
    return LaunchCheck.objects.filter(kind=kind).latest("pk")


def rehearse_in_production() -> str:
    """Run the command on this test's tables as behind a TLS proxy, and return what it says."""
    tables = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    production = {"INSECURE_HTTP": "0", "BEHIND_TLS_PROXY": "1", "ALLOWED_HOSTS": "www.example.org"}
    done = subprocess.run(
        [sys.executable, "manage.py", "rehearse_study", "main"],
        env=os.environ | {"DATABASE_URL": tables.geturl()} | production,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_rehearsal_passes_and_a_second_one_takes_the_place_of_the_first():
    make_study(**SMALLEST)
    said = rehearse_in_production()
    assert statuses() == {"robots": "passed", "leak-crawl": "passed", "export": "passed"}
    first = set(Participant.objects.values_list("pk", flat=True))
    assert len(first) == 8
    stage = Study.objects.get(rehearsal_of="main")
    assert (stage.audience, stage.is_open) == (Audience.ROBOTS, False)
    robots = check_of("robots").details
    assert robots["faults"] == []
    assert len(robots["findings"]) > 50
    assert "robots' rehearsal: passed" in said

    rehearsals.request_rehearsal(study_slug="main", staff=None, now=NOW)
    rehearse_study(study_slug="main")
    assert set(statuses().values()) == {"passed"}
    assert LaunchCheck.objects.count() == 6
    assert Study.objects.count() == 2
    second = set(Participant.objects.values_list("pk", flat=True))
    assert len(second) == 8
    assert not first & second
    rehearse_study(study_slug="main")  # the message again
    assert LaunchCheck.objects.count() == 6


def test_what_is_wrong_fails_its_check_with_the_place_and_not_the_secret():
    slugs = make_scenarios(n_per_domain=1)
    truth = {"source_year": 2020, "confirmed_facts": [], "prior": [], "budget": 4, "removes": []}
    secret = "The plain system."  # which every page of an item shows
    for slug in slugs:
        ScenarioTruth.objects.create(scenario_id=slug, conclusion=secret, **truth)
    make_study(**SMALLEST)
    with pytest.raises(CommandError, match="cannot be opened"):
        call_command("rehearse_study", "main")
    assert statuses() == {"robots": "passed", "leak-crawl": "failed", "export": "passed"}
    details = check_of("leak-crawl").details
    assert details["n_faults"] == len(details["faults"]) == 20
    assert details["faults"][0].endswith(": 1 private texts")
    assert secret not in str(details)


def test_robots_that_do_not_get_through_fail_theirs():
    # The right answer is one that the page does not offer: nobody gets past the check.
    make_study(**SMALLEST, comprehension={"task": "nothing-of-these"})
    with pytest.raises(CommandError, match="cannot be opened"):
        call_command("rehearse_study", "main")
    assert statuses() == {"robots": "failed", "leak-crawl": "passed", "export": "passed"}
    assert "oracle: items answered: 0, expected 15" in check_of("robots").details["faults"]


@pytest.mark.parametrize("slug", ["nowhere", "robots"])
def test_a_study_that_cannot_be_rehearsed_is_told(slug):
    make_study("robots", audience=Audience.ROBOTS, **HALF)
    with pytest.raises(CommandError, match=slug):
        call_command("rehearse_study", slug)


class TestClaims:
    @pytest.fixture(autouse=True)
    def _requested(self):
        make_study(**HALF)
        rehearsals.request_rehearsal(study_slug="main", staff=None, now=NOW)

    def test_one_rehearsal_at_a_time(self):
        with pytest.raises(RehearsalRunning):
            rehearsals.request_rehearsal(study_slug="main", staff=None, now=NOW)
        with pytest.raises(CommandError, match="running already"):
            call_command("rehearse_study", "main")

    def test_one_worker_gets_it_however_often_the_message_comes(self):
        assert rehearsals.claim_rehearsal(study_slug="main", now=NOW).checks.keys() == {*KINDS}
        assert rehearsals.claim_rehearsal(study_slug="main", now=NOW) is None

    def test_a_killed_worker_is_found_and_its_checks_fail(self):
        claimed = rehearsals.claim_rehearsal(study_slug="main", now=NOW)
        rehearsals.hear_from(checks=claimed.checks.values(), now=later(seconds=50))
        assert rehearsals.settle_quiet_checks(now=later(seconds=70)) == 0
        assert rehearsals.settle_quiet_checks(now=later(seconds=111)) == 3
        assert set(statuses().values()) == {"failed"}
        assert check_of("robots").details["faults"] == [rehearsals.LOST]
        # Should it live after all, it notices.
        with pytest.raises(RehearsalLost):
            rehearsals.hear_from(checks=claimed.checks.values(), now=later(seconds=112))
        rehearsals.request_rehearsal(study_slug="main", staff=None, now=later(seconds=113))

    def take_stage(self, *, now):
        rehearsal = rehearsals.claim_rehearsal(study_slug="main", now=now)
        assert rehearsal is not None
        return rehearsal, rehearsals.prepare_stage(rehearsal=rehearsal, now=now)

    def test_a_worker_that_was_given_up_and_comes_back_closes_no_stage_but_its_own(self):
        lost, its_stage = self.take_stage(now=NOW)
        rehearsals.settle_quiet_checks(now=later(seconds=61))
        rehearsals.request_rehearsal(study_slug="main", staff=None, now=later(seconds=62))
        second, stage = self.take_stage(now=later(seconds=63))
        assert stage != its_stage
        for one in (its_stage, stage):
            rehearsals.free_stage(stage=one, rehearsal=lost, now=later(seconds=64))
        its_stage.refresh_from_db()
        stage.refresh_from_db()
        assert (its_stage.is_open, stage.is_open) == (False, True)
        rehearsals.free_stage(stage=stage, rehearsal=second, now=later(seconds=65))
        stage.refresh_from_db()
        assert not stage.is_open

    def test_a_stage_is_used_again_when_it_is_freed_or_its_worker_must_be_gone(self):
        _, abandoned = self.take_stage(now=NOW)
        join(abandoned)
        rehearsals.settle_quiet_checks(now=later(seconds=61))
        stages = []
        for seconds in (62, 63, 61 + settings.CELERY_TASK_TIME_LIMIT):
            now = later(seconds=seconds)
            rehearsals.request_rehearsal(study_slug="main", staff=None, now=now)
            rehearsal, stage = self.take_stage(now=now)
            give_up(rehearsal, cause="A test.", now=now)
            if seconds == 62:
                rehearsals.free_stage(stage=stage, rehearsal=rehearsal, now=now)
            stages.append(stage)
        assert stages[0] == stages[1] != abandoned
        assert stages[2] == abandoned
        assert not abandoned.participants.exists()

    def test_checks_that_wait_for_a_worker_are_sent_again_and_given_up_in_the_end(self):
        assert rehearsals.settle_quiet_checks(now=later(seconds=61)) == 0
        assert set(statuses().values()) == {"running"}
        assert rehearsals.settle_quiet_checks(now=later(seconds=700)) == 3
        settle_quiet_checks()
        assert set(statuses().values()) == {"failed"}
