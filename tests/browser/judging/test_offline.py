"""When the network goes and comes back. C.. are cases of the brief."""

import pytest
from playwright.sync_api import Error

from judgments.models import Judgment, Participant, Revision
from tests.browser.judging.hands import RETRYING, press
from tests.browser.visitors import NEXT, go_to_last, turn, visitor

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_offline_and_back_nothing_is_lost_or_doubled(at_item, viewport):
    """C11: also when the page is reloaded meanwhile."""
    page = at_item(viewport=viewport, loses_network=True)
    page.click("label:has-text('B is more')")
    page.fill("textarea", "Both look at the same part.")
    page.route("**/*", lambda route: route.abort("internetdisconnected"))
    page.click(NEXT)
    page.wait_for_selector(RETRYING)
    assert page.locator("#saving").get_attribute("role") == "status"
    assert page.locator("input[value=right]").is_checked()
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    assert not Judgment.objects.exists()
    page.unroute_all()
    page.goto("/study/main/")
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    stored = Judgment.objects.get()
    assert (stored.choice, stored.comment) == ("right", "Both look at the same part.")
    assert page.locator("textarea").input_value() == ""
    assert page.evaluate("Object.keys(localStorage)") == []


def test_when_the_network_is_back_the_open_page_goes_on_by_itself(open_page, study):
    """C11: at the last answer, without which there is no code."""
    page = open_page(loses_network=True)
    page.goto(visitor(study, go_to_last).address)
    press(page, "1")
    page.context.set_offline(True)
    press(page, "Enter")
    page.wait_for_selector(RETRYING)
    assert Judgment.objects.count() == 59
    with page.expect_navigation():
        page.context.set_offline(False)
    assert page.locator("h1").inner_text() == "All answers are saved"
    assert Judgment.objects.get(item__position=60).choice == "left"
    assert Participant.objects.get().completion_code is None
    turn(page, "main button")
    assert Participant.objects.get().completion_code in page.locator("main").inner_text()


def test_a_reply_that_comes_late_is_waited_for_and_no_click_sends_again(at_item):
    """C59, C02: three clicks, Enter and an impatient repeat are one answer."""
    page = at_item(loses_network=True)
    held = []

    def hold(route):
        if route.request.method == "POST":
            held.append(route)
            if len(held) == 1:
                route.fetch()  # the server stores it, and the reply is lost
            else:
                route.continue_()
        else:
            route.continue_()

    page.route("**/study/main/", hold)
    page.clock.install()
    page.reload()
    page.click("label:has-text('A is more')")
    page.locator(NEXT).click(click_count=3)
    press(page, "Enter")
    page.wait_for_selector("form[aria-busy=true]")
    page.clock.run_for(1_000)
    page.wait_for_selector("#saving:has-text('Saving')")
    assert len(held) == 1
    for _ in range(200):  # the server may still be storing it
        if Judgment.objects.exists():
            break
        page.wait_for_timeout(50)
    assert Judgment.objects.get().choice == "left"
    page.clock.run_for(16_000)
    page.wait_for_selector(RETRYING)
    page.clock.run_for(2_000)
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    assert len(held) == 2
    assert Judgment.objects.count() == 1
    assert not Revision.objects.exists()
