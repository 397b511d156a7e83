"""Staff's pages of a running study in a browser."""

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from catalog.scenario_truth import ScenarioTruth
from judgments.actions import path
from judgments.actions.staff import exclude_participant
from judgments.actions.watching import add_note, store_submissions
from judgments.submissions import Submission
from tests.browser.measures import OVERFLOW
from tests.judgments.desk import MANAGER, log_in, make_staff
from tests.judgments.played import always_left, attentive, play
from tests.judgments.studies import get_ready, join, join_ready, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def staff():
    return make_staff("ada", permissions=(*MANAGER, "read_scenario_truth"))


@pytest.fixture
def study(staff):
    """Return a study in which something of everything has happened."""
    study = make_study(n_per_domain=4)
    now = timezone.now()
    people = [
        play(join_ready(study, pid=f"pid{k}"), choose, n_items=n_items, start=now)
        for k, (choose, n_items) in enumerate(
            [(attentive, 60), (always_left, 60), (attentive, 30), (attentive, 60)]
        )
    ]
    for participant in (people[0], people[1]):
        path.finish(participant_id=participant.pk, now=now)
    add_note(participant_id=people[0].pk, staff=staff, text="Wrote to us.", now=now)
    exclude_participant(participant_id=people[0].pk, staff=staff, reason="Works here.", now=now)
    get_ready(join(study).participant)
    join(study)
    submissions = [Submission("pid0", "approved", "C0DE1"), Submission("pid2", "approved", "X")]
    store_submissions(study=study, submissions=submissions, staff=staff, now=now)
    call_command("load_scenarios")
    return study


@pytest.fixture
def enter(live_server):
    def enter(page, client: Client):
        name = settings.SESSION_COOKIE_NAME
        cookie = {"name": name, "value": client.cookies[name].value, "url": live_server.url}
        page.context.add_cookies([cookie])
        return page

    return enter


def pages_of(study) -> dict[str, str]:
    desk = f"/staff/studies/{study.pk}"
    [flagged] = [one for one in study.participants.filter(platform_pid="pid1")]
    person = f"{desk}/people/{flagged.pk}"
    return {
        "monitor": f"{desk}/monitor/",
        "audit": f"{desk}/audit/",
        "recruitment": f"{desk}/recruitment/",
        "person": f"{person}/",
        "exclude": f"{person}/exclude/",
        "scenarios": "/staff/scenarios/",
        "scenario": f"/staff/scenarios/{ScenarioTruth.objects.earliest('pk').pk}/",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_and_has_no_finding_of_axe(open_page, axe, enter, study, staff, scheme):
    # axe styles what it measures; that is no fault of the page.
    page = enter(open_page(color_scheme=scheme, bypass_csp=True), log_in(staff))
    for name, address in pages_of(study).items():
        page.goto(address)
        assert axe(page) == [], name
        for width in (1280, 375, 320):
            page.set_viewport_size({"width": width, "height": 812})
            assert page.evaluate(OVERFLOW) == 0, (name, width)


def test_the_monitor_renews_its_parts_and_leaves_an_open_table_open(open_page, enter, study, staff):
    page = enter(open_page(), log_in(staff))
    page.goto(f"/staff/studies/{study.pk}/monitor/")
    page.click("summary:has-text('The numbers behind this picture')")
    finished = page.locator("#standings tr:has-text('finished and has a code') td.number")
    assert finished.inner_text() == "2"
    waiting = study.participants.get(platform_pid="pid3")
    path.finish(participant_id=waiting.pk, now=timezone.now())
    with page.expect_response("**/monitor/"):
        # What the clock of htmx sends after half a minute.
        page.evaluate("htmx.trigger('[hx-get]', 'every')")
        page.evaluate("htmx.ajax('GET', location.href, {source: '[hx-get]', swap: 'none'})")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#standings td')].some(td => td.innerText === '3')"
    )
    assert page.locator("#coverage-rows").is_visible()
