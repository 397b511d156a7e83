"""Without JavaScript."""

import pytest

from judgments.models import Judgment
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
