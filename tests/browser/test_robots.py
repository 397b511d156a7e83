"""One robot in a real browser: what it does there leaves the same rows as over bare HTTP."""

import pytest

from judgments.models import Audience, Judgment
from judgments.protocol import Protocol
from judgments.queries.behind import orders_by_metric
from judgments.queries.robots import knowledge_of, outcomes_of
from judgments.robots.decisions import Robot, RobotName, decide
from judgments.robots.expectations import judge
from judgments.robots.pages import read_page
from judgments.robots.player import read_comparison
from tests.judgments.studies import RIGHT_ANSWERS, SMALLEST, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_oracle_in_a_browser_leaves_what_an_oracle_must(page):
    study = make_study(**SMALLEST, audience=Audience.ROBOTS)
    protocol = Protocol.from_definition(study.protocols.get().definition)
    orders = orders_by_metric(protocol.scenarios)
    order = knowledge_of(protocol, orders).order
    oracle = Robot(RobotName.ORACLE, number=1, seed=1)

    def press(button):
        with page.expect_navigation():
            button.click()

    page.goto(f"/study/main/?PROLIFIC_PID={oracle.platform_pid}")
    press(page.locator("form[action$='/begin/'] button"))
    while form := (shown := read_page(page.url, page.content())).step_form:
        for name, offered in form.offers.items():
            if shown.step == "item":
                value = decide(oracle, read_comparison(shown, form), order)
            else:
                value = "yes" if "yes" in offered else RIGHT_ANSWERS[name]
            page.locator(f"label:has(input[name={name}][value={value}])").click()
        press(page.locator("form:has(input[name=step]) button[type=submit]"))
    [outcome] = outcomes_of(study, [oracle], orders)
    assert [finding for finding in judge(outcome) if not finding.holds] == []
    assert shown.marked["code"]
    # The browser timed every answer itself.
    assert not Judgment.objects.filter(active_ms=None).exists()
