"""Staff's pages of the studies in a browser: small screens, both schemes, axe, a whole launch."""

from dataclasses import replace

import pytest
from django.test import Client

from judgments import tasks
from judgments.actions.staff import publish_protocol
from judgments.models import CheckKind, LaunchCheck, Study
from judgments.protocol import TEXTS, Protocol
from tests.browser.measures import OVERFLOW
from tests.judgments.desk import make_staff, pass_checks, version_of
from tests.judgments.studies import join, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DESK = "/staff/studies/"
PAGES = (
    *("", "new/", "main/", "main/settings/", "main/protocol/", "main/certificate/"),
    *("main/export/", "main/export/dictionary/"),
)


@pytest.fixture
def study():
    study = make_study(n_per_domain=3)
    join(study)
    Study.objects.update(closed_at=study.opened_at)
    return study


@pytest.fixture
def certified(study):
    check = LaunchCheck.objects.create(
        protocol=version_of(study), kind=CheckKind.CERTIFICATE, started_at=study.opened_at
    )
    tasks.certify_design(check_id=check.pk, n_people=20, n_studies=10, seed=1)
    return study


@pytest.fixture
def staff_page(open_page, live_server):
    """Return a function that opens a page as staff who may do everything."""
    client = Client()
    client.force_login(make_staff())

    def staff_page(**options):
        page = open_page(**options)
        page.context.add_cookies(
            [
                {
                    "name": "sessionid",
                    "value": client.cookies["sessionid"].value,
                    "url": live_server.url,
                }
            ]
        )
        return page

    return staff_page


def test_words_without_a_space_widen_no_page(staff_page, study):
    # Such as an address in a study's own words; 120 characters are a title's most.
    long = "M" * 120
    texts = {name: {"en": long} for name in TEXTS}
    protocol = replace(Protocol.from_definition(version_of(study).definition), texts=texts)
    publish_protocol(study=study, protocol=protocol, staff=None, now=study.opened_at)
    Study.objects.update(title=long)
    page = staff_page(viewport={"width": 320, "height": 568})
    for path in ("", "main/", "main/settings/", "main/protocol/", "main/monitor/", "main/export/"):
        page.goto(f"{DESK}{path}")
        assert page.evaluate(OVERFLOW) == 0, path
    page.goto(f"{DESK}main/")
    page.get_by_role("button", name="Start a preview").click()
    for heading in ("Your consent", "Your experience"):
        page.get_by_role("heading", name=heading).wait_for()
        assert page.evaluate(OVERFLOW) == 0, heading
        page.get_by_label("Yes").check()
        page.get_by_role("button", name="Next").click()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark"), (320, "light")])
def test_every_page_fits_and_has_no_finding_of_axe(staff_page, axe, certified, width, scheme):
    # axe styles what it measures; that is no fault of the page.
    viewport = {"width": width, "height": 812}
    page = staff_page(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    for path in PAGES:
        page.goto(f"{DESK}{path}")
        assert page.evaluate(OVERFLOW) == 0, path
        assert axe(page) == [], path
    page.goto(f"{DESK}main/protocol/edit/")
    for domain in page.query_selector_all("summary"):
        domain.click()
    page.fill("[name=minutes]", "20")
    page.fill("[name=consent_en]", "Another text.")
    with page.expect_navigation():
        page.click("button[name=compare]")
    assert page.evaluate(OVERFLOW) == 0
    assert axe(page) == []


def test_a_study_is_changed_checked_and_opened_without_javascript(staff_page, study):
    page = staff_page(java_script_enabled=False)
    page.goto(f"{DESK}main/protocol/edit/")
    page.fill("[name=minutes]", "20")
    with page.expect_navigation():
        page.click("button[name=compare]")
    with page.expect_navigation():
        page.click("button[name=save]")
    assert "Version 2 is the current one" in page.inner_text("[role=status] >> nth=0")
    with page.expect_navigation():
        page.click("button:has-text('Open again')")
    assert "Missing: design certificate: not run" in page.inner_text("[role=alert]")
    pass_checks(study)
    with page.expect_navigation():
        page.click("button:has-text('Open again')")
    assert Study.objects.get().is_open
