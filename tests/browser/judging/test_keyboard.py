"""By keyboard and by ear. C.. are cases of the brief."""

import pytest

from judgments.models import Judgment
from tests.browser.judging.hands import QUESTION, checked, focus_on, is_at, press, press_on
from tests.browser.visitors import NEXT, turn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_by_keyboard_alone_from_landing_to_the_third_item(open_page, viewport):
    page = open_page(viewport=viewport)
    page.goto("/study/main/")
    focus_on(page, "Begin")
    press_on(page, "Enter")
    for _ in ("consent", "eligibility"):
        focus_on(page, "Yes")
        press_on(page, "Space", "Enter")
    focus_on(page, "Next")
    press_on(page, "Enter")
    focus_on(page, "greater length")
    press_on(page, "Space", "ArrowDown", "Enter")
    press_on(page, "2", "Enter")
    press_on(page, "0", "Enter")
    assert is_at(page, 3)
    assert list(Judgment.objects.order_by("pk").values_list("choice", flat=True)) == [
        "right",
        "equal",
    ]


def test_browsing_the_choices_stores_nothing_before_next_and_next_leads_to_the_heading(at_item):
    """C15."""
    page = at_item()
    page.clock.install()
    page.reload()
    focus_on(page, "A is more")
    press(page, "Space", "ArrowRight", "ArrowRight", "ArrowRight")
    page.clock.run_for(5_000)
    assert page.locator("input[value=cannot-judge]").is_checked()
    assert not Judgment.objects.exists()
    press_on(page, "ArrowLeft", "Enter")
    assert page.evaluate("document.activeElement.id") == "question"
    assert Judgment.objects.get().choice == "equal"


def test_the_choices_are_a_named_group_of_radios_and_saving_is_announced(at_item):
    """C16."""
    page = at_item()
    assert page.locator(":focus").inner_text() == QUESTION  # read out on entry
    group = page.get_by_role("group", name=QUESTION)
    names = ["A is more informative", "B is more informative", "Both are equal", "I cannot judge"]
    for name in names:
        assert group.get_by_role("radio", name=name, exact=True).count() == 1
    assert group.get_by_role("radio").count() == len(names)
    group.get_by_role("radio", name=names[0]).check()
    assert group.get_by_role("radio", name=names[0], checked=True).count() == 1
    turn(page, NEXT)
    page.get_by_role("status").filter(has_text="Answer saved.").wait_for()


def test_keys_are_text_in_a_text_field_and_off_means_off_and_is_remembered(at_item):
    """C17."""
    page = at_item()
    printed = page.locator("main .key").all_inner_texts()
    assert printed == ["S", "1", "2", "0", "↵"]
    page.focus("textarea")
    for name in ("1", "2", "Space", "0", "s", "Enter"):
        press(page, name)
    assert page.locator("textarea").input_value() == "12 0s\n"
    assert checked(page) == 0
    assert page.locator("details.scenario").get_attribute("open") is not None
    page.uncheck("#keys input")
    page.locator("#question").focus()
    press(page, "1", "s")
    page.reload()
    assert not page.locator("#keys input").is_checked()
    press(page, "1", "Enter")
    assert checked(page) == 0
    assert page.locator("details.scenario").get_attribute("open") is not None
    assert not page.locator("main .key").first.is_visible()
    page.check("#keys input")
    page.locator("#question").focus()
    press(page, "1")
    assert page.locator("input[value=left]").is_checked()


def test_the_scenario_stays_closed_until_the_next_one(at_item):
    page = at_item()
    press(page, "s")
    assert page.locator("details.scenario").get_attribute("open") is None
    press_on(page, "1", "Enter")
    assert page.locator("details.scenario").get_attribute("open") is None
    press(page, "s")
    assert page.locator("details.scenario").get_attribute("open") is not None


def test_held_bouncing_and_left_over_keys_give_no_second_answer(at_item):
    """C18."""
    page = at_item()
    page.evaluate(
        """() => ["keydown", "keyup"].forEach(type => document.body.dispatchEvent(
            new KeyboardEvent(type, {key: "1", bubbles: true})))"""
    )
    assert checked(page) == 0  # no finger is that quick
    press(page, "1")
    press(page, "Enter")  # and 30 more keys while the next item comes
    for _ in range(15):
        page.keyboard.down("Enter")
        page.keyboard.down("1")
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    page.keyboard.up("1")
    page.keyboard.up("Enter")
    page.wait_for_timeout(300)
    assert is_at(page, 2)
    assert Judgment.objects.count() == 1
    for _ in range(30):
        page.keyboard.down("2")
    page.keyboard.up("2")
    assert page.locator("input[value=right]").is_checked()
    assert Judgment.objects.count() == 1
