"""Every page that links lead to, as people with different machines meet it."""

import pytest

from tools.screenshots import crawl

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("site")]

WIDTHS = (1280, 375, 320)


@pytest.fixture
def addresses(page, live_server):
    found = crawl(page, live_server.url)
    for path in ("/", "/catalog/", "/catalog/nile/", "/methods/", "/api/docs/", "/privacy/"):
        assert f"{live_server.url}{path}" in found
    return found


def test_no_page_has_a_finding_of_axe_in_light_or_dark(addresses, open_page, axe):
    # axe styles what it measures; that is no fault of the page.
    page, findings = open_page(bypass_csp=True, reduced_motion="reduce"), []
    for address in addresses:
        page.goto(address)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            findings += [f"{address} {scheme} {finding}" for finding in axe(page)]
    assert findings == []


def test_no_page_scrolls_sideways(addresses, page):
    too_wide = []
    for address in addresses:
        page.goto(address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            content = page.evaluate("document.documentElement.scrollWidth")
            if content > width:
                too_wide.append(f"{address} at {width}: {content}")
    assert too_wide == []


def test_the_first_stop_of_the_keyboard_leads_to_the_content(addresses, page):
    for address in addresses:
        page.goto(address)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_everything_reached_by_keyboard_shows_where_it_is(addresses, page):
    without = []
    for address in addresses:
        page.goto(address)
        for _ in range(page.evaluate(_COUNT_STOPS)):
            page.keyboard.press("Tab")
            outline, place = page.evaluate(_OUTLINE)
            if outline < 3:
                without.append(f"{address} {place}")
    assert without == []


_COUNT_STOPS = """() => Math.min(
    30, document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']").length
)"""
_OUTLINE = """() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    const width = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
    return [element === document.body ? 3 : width, element.outerHTML.slice(0, 80)];
}"""


def test_pages_read_the_same_without_javascript(addresses, open_page):
    with_script, without_script = open_page(), open_page(java_script_enabled=False)
    for address in addresses:
        with_script.goto(address)
        without_script.goto(address)
        assert without_script.locator("main").inner_text()
        assert (
            without_script.locator("main").text_content().split()
            == with_script.locator("main").text_content().split()
        )


def test_the_search_of_the_shell_lists_matching_tasks(page):
    page.goto("/")
    page.get_by_role("searchbox", name="Search the catalog").fill("nile")
    page.keyboard.press("Enter")
    page.wait_for_url("**/catalog/?q=nile")
    assert page.locator("main table tbody tr").count() == 1


def test_the_staff_pages_work_under_the_content_security_policy(page, axe, admin_user):
    page.goto("/admin/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("password")
    with page.expect_navigation():
        page.get_by_role("button", name="Log in").click()
    assert page.get_by_role("link", name="wwbsite staff").is_visible()
    page.goto("/admin/catalog/task/")
    assert page.get_by_role("link", name="nile").first.is_visible()
