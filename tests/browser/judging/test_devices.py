"""Shared devices, second tabs and second devices. C.. are cases of the brief."""

import pytest
from django.utils import timezone

from judgments.models import Consent, Judgment, Participant, Revision
from judgments.queries.timeline import timeline_of
from tests.browser.judging.hands import PHONE, is_at
from tests.browser.visitors import NEXT, start, turn, visitor

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_hand_over_on_a_shared_device_asks_the_next_person_for_consent(open_page, viewport, study):
    """C01: rows, consents and what was not confirmed stay with their person."""
    page = open_page(viewport=viewport)
    page.goto(visitor(study, start).address)
    page.click("label:has-text('A is more')")
    page.fill("textarea", "Mine.")
    turn(page, "footer a:has-text('leave')")
    turn(page, "button:has-text('Hand over')")
    assert page.evaluate("Object.keys(localStorage)") == []
    turn(page, "button:has-text('Begin')")
    assert page.locator("h1").inner_text() == "Your consent"
    page.click("label:has-text('Yes')")
    turn(page, NEXT)
    assert Participant.objects.count() == 2
    assert Consent.objects.values("participant").distinct().count() == 2
    assert not Judgment.objects.exists()


def test_a_second_tab_is_led_on_and_its_stale_answer_changes_nothing(at_item):
    """C06."""
    first = at_item()
    second = first.context.new_page()
    second.goto("/study/main/")
    for page in (first, first):
        page.click("label:has-text('A is more')")
        turn(page, NEXT)
    second.click("label:has-text('B is more')")
    turn(second, NEXT)
    assert is_at(second, 3)
    second.get_by_role("status").filter(has_text="answered already").wait_for()
    assert list(Judgment.objects.values_list("choice", flat=True)) == ["left", "left"]


def test_an_answer_in_a_second_tab_to_the_last_item_is_said_to_be_a_change(at_item):
    """C06: item 5 in one tab, then in the other: one row, and the change is kept as one."""
    first = at_item()
    second = first.context.new_page()
    second.goto("/study/main/")
    first.click("label:has-text('A is more')")
    turn(first, NEXT)
    second.click("label:has-text('B is more')")
    turn(second, NEXT)
    assert is_at(second, 2)
    second.get_by_role("status").filter(
        has_text="answered already; your answer is changed"
    ).wait_for()
    assert Judgment.objects.get().choice == "right"
    assert list(Revision.objects.values_list("choice_before", "choice_after")) == [
        ("left", "right")
    ]


def test_a_reload_keeps_the_item_its_sides_and_what_was_begun(at_item):
    """C04; Back leads to the item that is next, too."""
    page = at_item()
    cards = page.locator(".card p").all_inner_texts()
    page.click("label:has-text('B is more')")
    page.fill("textarea", "Half a sent")
    page.reload()
    assert page.locator(".card p").all_inner_texts() == cards
    assert page.locator("textarea").input_value() == "Half a sent"
    assert page.locator("input[value=right]").is_checked()
    turn(page, NEXT)
    turn(page, "a:has-text('Change my last answer')")
    page.go_back()
    page.wait_for_selector("input[name=position][value='2']", state="attached")
    assert Judgment.objects.count() == 1


def test_whoever_closes_the_browser_comes_back_to_the_same_item(open_page, at_item):
    """C04: what a browser keeps after its end are cookies with a date."""
    page = at_item()
    page.click("label:has-text('A is more')")
    turn(page, NEXT)
    kept = [cookie for cookie in page.context.cookies() if cookie["expires"] != -1]
    later = open_page()
    later.context.add_cookies(kept)
    later.goto("/study/main/")
    assert is_at(later, 2)
    assert later.locator(".card p").all_inner_texts() == page.locator(".card p").all_inner_texts()


def test_another_device_goes_on_where_the_first_stopped(open_page, study):
    """C08: with the platform's parameters, and no second participant."""
    study.platform_study_id = "S1"
    study.save()
    address = "/study/main/?PROLIFIC_PID=5f3c&STUDY_ID=S1&SESSION_ID=x9"
    laptop, phone = open_page(), open_page(viewport=PHONE)
    laptop.goto(address)
    turn(laptop, "button:has-text('Begin')")
    start(Participant.objects.get())
    laptop.goto(address)
    laptop.click("label:has-text('A is more')")
    turn(laptop, NEXT)
    phone.goto(address)
    turn(phone, "button:has-text('Begin')")
    assert is_at(phone, 2)
    phone.click("label:has-text('A is more')")
    turn(phone, NEXT)
    participant = Participant.objects.get()
    timeline = timeline_of(study, participant.pk, now=timezone.now())
    events = {event.what: event.detail for event in timeline.events}
    assert "Came back from the platform" in events
    assert events["Other window or device"].startswith("375 × 812, stacked, before 1280 × ")
