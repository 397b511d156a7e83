"""What the screen looks like, and what it reports of itself. C.. are cases of the brief."""

import pytest
from django.core.management import call_command

from judgments.models import Judgment
from tests.browser.judging.hands import PHONE, press, press_on
from tests.browser.measures import COVERED, OVERFLOW, TARGETS
from tests.browser.visitors import NEXT, longest_scenarios, start, turn, visitor
from tests.judgments.studies import SMALLEST, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_only_time_in_front_of_the_open_page_counts(at_item):
    """C20: 20 minutes in another tab are one loss of focus and no work; a reload adds up."""
    page = at_item()
    page.clock.install()
    page.reload()
    page.clock.run_for(10_000)
    page.reload()
    turn_to = """state => {
        Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(turn_to, "hidden")
    page.clock.run_for(20 * 60_000)
    page.evaluate(turn_to, "visible")
    page.clock.run_for(15_000)
    press(page, "1")
    press_on(page, "Enter")
    stored = Judgment.objects.get()
    assert 24_000 <= (stored.active_ms or 0) < 10 * 60_000
    assert stored.focus_losses == 1


@pytest.mark.parametrize(
    ("size", "layout"),
    [((320, 568), "stacked"), ((390, 844), "stacked"), ((1280, 800), "side-by-side")],
    ids=["small", "phone", "wide"],
)
def test_layout_and_viewport_are_stored_with_the_answer(at_item, size, layout):
    """C21."""
    page = at_item(viewport=dict(zip(("width", "height"), size, strict=True)))
    page.click("label:has-text('A is more')")
    turn(page, NEXT)
    stored = Judgment.objects.get()
    assert (stored.layout, stored.viewport_width, stored.viewport_height) == (layout, *size)


@pytest.mark.parametrize("text", [16, 32], ids=["text", "large-text"])
def test_the_bar_covers_nothing_that_has_the_focus(open_page, text):
    """C21: the longest scenario, at 200 % text too; all is reached, nothing scrolls sideways."""
    call_command("load_scenarios", verbosity=0)
    study = make_study("long", **(SMALLEST | {"scenarios": longest_scenarios()[::3]}))
    page = open_page(has_touch=True)
    sizes = {"standard": text, "fixed": text}
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})
    page.goto(visitor(study, start).address)
    for width, height in ((320, 568), (390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(OVERFLOW) == 0
        assert page.evaluate(TARGETS) == []
        page.evaluate("window.scrollTo(0, 0); document.querySelector('.skip').focus()")
        for _ in range(12):
            press(page, "Tab")
            assert not page.evaluate(COVERED), page.evaluate("document.activeElement.outerHTML")
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        last_card = page.locator(".card").last.bounding_box()
        bar = page.locator(".choice-bar").bounding_box()
        assert last_card["y"] + last_card["height"] <= bar["y"] + 1


def test_choosing_moves_nothing_and_the_cards_are_alike(at_item, viewport):
    page = at_item(viewport=viewport)
    where = """() => [...document.querySelectorAll(".card, main label, main button")].map(
        box => [box.offsetLeft, box.offsetTop, box.offsetWidth, box.offsetHeight])"""
    places = page.evaluate(where)
    left, right = places[:2]
    assert left[2:] == right[2:] or viewport is PHONE
    assert left[2] == right[2]
    page.click("label:has-text('B is more')")
    assert page.evaluate(where) == places
