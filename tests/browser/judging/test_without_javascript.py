"""Without JavaScript."""

import pytest

from judgments.models import Consent, Judgment, Participant, Revision
from tests.browser.visitors import NEXT, turn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_without_javascript_from_landing_to_the_receipt(open_page, viewport):
    page = open_page(java_script_enabled=False, viewport=viewport)
    page.goto("/study/main/")
    turn(page, "button:has-text('Begin')")
    for _ in ("consent", "eligibility"):
        page.click("label:has-text('Yes')")
        turn(page, NEXT)
    turn(page, NEXT)
    page.click("label:has-text('teach more')")
    turn(page, NEXT)
    assert not page.locator(".key").first.is_visible()
    assert not page.locator("#keys").is_visible()
    page.click("label:has-text('A is more')")
    page.fill("textarea", "Close.")
    turn(page, NEXT)
    assert page.locator(".place [role=status]").inner_text() == "Answer saved."
    assert Judgment.objects.get().comment == "Close."
    turn(page, "a:has-text('Change my last answer')")
    assert page.locator("input[value=left]").is_checked()
    page.click("label:has-text('B is more')")
    turn(page, NEXT)
    assert Judgment.objects.get().choice == "right"
    turn(page, "footer a:has-text('leave')")
    turn(page, "button:has-text('delete my answers')")
    assert "1 answer was deleted" in page.locator("main").inner_text()
    assert not Judgment.objects.exists()


def test_double_clicks_without_javascript_are_one_person_with_one_row_each(open_page):
    page = open_page(java_script_enabled=False)
    page.goto("/study/main/")
    page.dblclick("button:has-text('Begin')")
    for step in ("consent", "eligibility"):
        page.locator(f"input[name=step][value={step}]").wait_for(state="attached")
        page.click("label:has-text('Yes')")
        page.dblclick(NEXT)
    page.locator("input[name=step][value=instructions]").wait_for(state="attached")
    page.dblclick(NEXT)
    page.locator("input[name=step][value=comprehension]").wait_for(state="attached")
    page.click("label:has-text('teach more')")
    page.dblclick(NEXT)
    page.locator("input[name=position][value='1']").wait_for(state="attached")
    page.click("label:has-text('A is more')")
    page.dblclick(NEXT)
    page.locator("input[name=position][value='2']").wait_for(state="attached")
    page.reload()  # whatever was still under way is answered before
    person = Participant.objects.get()
    assert person.items.filter(judgment__isnull=False).count() == Judgment.objects.count() == 1
    assert Consent.objects.count() == 1
    assert not Revision.objects.exists()
