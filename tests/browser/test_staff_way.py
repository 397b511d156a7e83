"""A study from its creation to its published results, by clicks, with a participant in between."""

import json
import zipfile

import pytest

from judgments import exports, tasks
from judgments.models import LaunchCheck, Study
from tests.browser.visitors import turn
from tests.judgments.desk import make_staff
from tests.judgments.studies import make_scenarios

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TITLE = "Which experiment would teach more?"
RIGHT = {"consent": "yes", "eligibility": "yes", "comprehension": "more-informative"}


def say(page):
    """Return what the page says of what was just done, where a reader is as well."""
    message = page.locator(".notice[role=status], .notice[role=alert]").first
    assert message.evaluate("notice => notice === document.activeElement")
    return message.inner_text()


def row_of(page, name):
    """Return the cells behind a row's name."""
    return page.locator(f"tr:has(th:has-text('{name}'))").first.locator("td").all_inner_texts()


def take_part(page):
    """Walk the path to its end, always for the lower number, and return the code.

    The proposals of a scenario of the tests differ in their number alone, the lower worth more.
    """
    turn(page, "button:has-text('Begin')")
    while step := page.locator("input[name=step]").all():
        name = step[0].get_attribute("value")
        if name == "item":
            left, right = page.locator(".card p").all_inner_texts()
            page.click(f"label:has(input[value={'left' if left < right else 'right'}])")
        elif name in RIGHT:
            page.click(f"label:has(input[value={RIGHT[name]}])")
        turn(page, "form:has(input[name=step]) button[type=submit]")
    return page.inner_text(".code")


def test_a_manager_leads_a_study_from_its_title_to_its_results(open_page, tmp_path):
    make_scenarios(n_per_domain=1)
    make_staff("ada")
    page = open_page()

    def go(tab):
        turn(page, f".desk-nav a:text-is('{tab}')")

    def press(name):
        with page.expect_navigation():
            page.get_by_role("button", name=name, exact=True).click()

    # Log in, and make a study of two scenarios a person.
    page.goto("/")
    turn(page, "text=For staff")
    page.fill("[name=username]", "ada")
    page.fill("[name=password]", "ada")
    press("Log in")
    turn(page, "text=New study")
    page.fill("[name=title]", TITLE)
    press("Create")
    assert "not open yet" in say(page)
    go("Protocol")
    turn(page, "main a:text-is('Edit')")
    page.check("[name=domain_systems][value=none]")
    for name, value in {"quotas": "1 1", "breaks_after": "1"}.items():
        page.fill(f"[name={name}]", value)
    for name in ("instructed", "dominated", "repeat"):
        page.fill(f"[name={name}]", "1")
    press("Compare with version 1")
    assert row_of(page, "quotas") == ["3, 3, 2", "1, 1"]
    press("Save as version 2")
    assert "Version 2 is the current one" in say(page)

    # The four checks; the page shows by itself how they ended.
    press("Certify the design")
    assert row_of(page, "Design certificate")[0] == "running"
    page.locator("#certify").focus()
    check = LaunchCheck.objects.get()
    tasks.certify_design(check_id=check.pk, n_people=3, n_studies=2, seed=1)
    page.wait_for_selector("td:has-text('passed')")
    assert page.evaluate("document.activeElement.id") == "certify"
    press("Rehearse with robots")
    study = Study.objects.get(rehearsal_of=None)
    tasks.rehearse_study(study_slug=study.pk)
    page.wait_for_selector("text=All four checks passed on version 2.")
    go("Design")
    assert page.locator("text=2 studies of 3 people").count() == 1

    # A preview never counts.
    go("State and launch")
    press("Start a preview")
    assert page.inner_text("h1") == "Your consent"
    turn(page, "text=Back to the study's page")
    press("Open the study")
    assert "The study is open" in say(page)

    somebody = open_page()
    somebody.goto("/study/")
    turn(somebody, "text=Take part")
    assert take_part(somebody)

    # Watch, write a note, exclude, and take it back.
    go("Monitor")
    assert row_of(page, "complete")[1] == row_of(page, "previews")[1] == "1"
    turn(page, "#people-rows a")
    assert page.locator("tbody tr:has-text('Finished and got a code')").count() == 1
    page.fill("[name=text]", "Wrote to us.")
    press("Save the note")
    assert say(page) == "The note is saved."
    assert "Wrote to us." in page.inner_text("section:has(#note-title)")
    for way, button, outcome, n_excluded in (
        ("Exclude from results", "Exclude", "Excluded.", "1"),
        ("Undo the exclusion", "Count again", "The participant counts again.", "0"),
    ):
        turn(page, f"text={way}")
        page.get_by_label("Reason").fill("A colleague.")
        press(button)
        assert say(page) == outcome
        turn(page, "main a:text-is('Monitor')")
        assert row_of(page, "excluded")[1] == n_excluded
        turn(page, "#people-rows a")
    turn(page, f".breadcrumb a:text-is('{TITLE}')")

    # Export: what was answered, and why the preview's rows are not there.
    go("Export")
    page.uncheck("text=Parquet")
    with page.expect_download() as download:
        page.click("text=Download as zip")
    download.value.save_as(tmp_path / "export.zip")
    with zipfile.ZipFile(tmp_path / "export.zip") as packed:
        packed.extractall(tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert exports.verify(folder) == []
    items = json.loads((folder / "manifest.json").read_text("utf-8"))["counts"]["items"]
    assert (items["expected"], items["exported"], items["excluded"]) == (30, 15, {"preview": 15})

    # Close, publish; and anybody reads the results.
    go("State and launch")
    press("Close the study")
    assert "The study is closed." in say(page)
    page.click("summary:has-text('Publish')")
    press("Publish the results")
    assert say(page) == "The results are public."
    go("Results")
    assert page.locator(".desk-nav").count() == 1
    press("Log out")
    assert page.url.endswith("/")
    turn(page, "nav >> text=Study")
    turn(page, f"main a:text-is('{TITLE}')")
    assert page.inner_text(".lede strong") == "1.000"
    assert page.locator(".desk-nav").count() == 0
    turn(page, "main tbody a >> nth=0")
    assert page.locator("h2:has-text('The four actions')").count() == 1
