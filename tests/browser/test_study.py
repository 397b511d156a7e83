"""The participant's path in a browser: without JavaScript, by keyboard, on small screens."""

import pytest

from judgments.models import Judgment
from tests.judgments.studies import make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEXT = "button:has-text('Next')"
TARGETS = """() => [...document.querySelectorAll("main button, main label, footer a")]
    .filter(target => target.getBoundingClientRect().height < 44)
    .map(target => target.textContent.trim())"""
PLACES = """() => [...document.querySelectorAll(".card, main label, main button")].map(
    box => [box.offsetLeft, box.offsetTop, box.offsetWidth, box.offsetHeight])"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(autouse=True)
def study():
    return make_study(n_per_domain=3)


def turn(page, control):
    """Click what leads on, and wait until the page it leads to is there."""
    with page.expect_navigation():
        page.click(control)


def walk(page):
    """Yield the name of every page of the path while it is open, up to the second item."""
    page.goto("/study/main/")
    yield "landing"
    turn(page, "button:has-text('Begin')")
    yield "consent"
    page.click("label:has-text('Yes')")
    turn(page, NEXT)
    yield "eligibility"
    page.click("label:has-text('Yes')")
    turn(page, NEXT)
    yield "instructions"
    turn(page, NEXT)
    yield "comprehension"
    page.click("label:has-text('teach more')")
    turn(page, NEXT)
    yield "item"
    page.click("label:has-text('A is more')")
    yield "item chosen"
    turn(page, NEXT)
    yield "second item"
    turn(page, "a:has-text('Change my last answer')")
    yield "change"
    turn(page, "footer a")
    yield "leave"
    turn(page, "button:has-text('delete my answers')")
    yield "receipt"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375, 320])
def test_every_page_fits_has_large_targets_and_no_finding_of_axe(open_page, axe, width, scheme):
    # axe styles what it measures; that is no fault of the page.
    viewport = {"width": width, "height": 812}
    page = open_page(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    for name in walk(page):
        assert page.evaluate(OVERFLOW) == 0, name
        assert page.evaluate(TARGETS) == [], name
        assert axe(page) == [], name


def test_the_path_needs_no_javascript(open_page):
    page = open_page(java_script_enabled=False)
    names = []
    for name in walk(page):
        names.append(name)
        if name == "second item":
            assert Judgment.objects.get().choice == "left"
            assert page.locator("[role=status]").inner_text() == "Answer saved."
    assert names[-1] == "receipt"
    assert not Judgment.objects.exists()


def test_by_keyboard_nothing_is_stored_before_next(open_page):
    page = open_page()
    for name in walk(page):
        if name == "item":
            break
    page.focus("input[type=radio]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(500)
    assert page.locator("input[value=right]").is_checked()
    assert not Judgment.objects.exists()
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=status]")
    assert Judgment.objects.get().choice == "right"


def test_choosing_moves_nothing_and_the_cards_are_alike(open_page):
    page = open_page(viewport={"width": 1280, "height": 900})
    for name in walk(page):
        if name == "item":
            break
    places = page.evaluate(PLACES)
    (_, top, width, height), second = places[:2]
    assert second[1:] == [top, width, height]
    page.click("label:has-text('B is more')")
    assert page.evaluate(PLACES) == places


def test_three_clicks_on_next_are_one_answer(open_page):
    page = open_page()
    for name in walk(page):
        if name == "item chosen":
            break
    page.locator(NEXT).click(click_count=3)
    page.wait_for_selector("[role=status]")
    assert Judgment.objects.count() == 1
