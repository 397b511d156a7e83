"""Every page of the participant's path, as people with different machines meet it."""

import os
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command

from tests.browser.measures import OVERFLOW, SMALL_FIELDS, TARGETS
from tests.browser.visitors import (
    Visitor,
    agree,
    agree_not,
    answer_first,
    finish,
    go_to_break,
    go_to_check,
    go_to_debrief,
    longest_scenarios,
    misunderstand,
    qualify,
    read,
    start,
    stay_away,
    turn,
    visitor,
)
from tests.judgments.studies import make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LEAVE = "footer a >> nth=0"
NEXT_UNCHOSEN = ".choice-bar button"
HEADINGS = {
    "landing": "Which experiment would teach more?",
    "consent": "Your consent",
    "eligibility": "Your experience",
    "instructions": "What you will do",
    "comprehension": "One question before you start",
    "break": "Time for a break",
    "debrief": "All answers are saved",
    "complete": "Thank you",
    "refused": "You did not agree to take part",
    "screened out": "The study ends here for you",
    "lost place": "Your place is no longer kept",
    "not open": "This study is not open",
    "leave": "Pause or leave",
    "receipt": "Your answers are deleted",
    "handed over": "Which experiment would teach more?",
}
SIZES = {1280: 800, 375: 812, 320: 568}


@pytest.fixture
def scenarios():
    """Return the names of the longest real scenarios, three of each domain."""
    call_command("load_scenarios", verbosity=0)
    return longest_scenarios()


def pages(scenarios):
    """Return every page of the path with who is there; some lead on by a click."""
    study = make_study(scenarios=scenarios)
    study.title = "Which experiment would teach more?"
    study.save()
    closed = make_study("closed", scenarios=scenarios, opened_at=None)
    lenient = make_study(
        "lenient",
        scenarios=scenarios,
        allows_equal=True,
        allows_cannot_judge=True,
        offers_comment=True,
    )
    return {
        "landing": (Visitor(study),),
        "consent": (visitor(study),),
        "eligibility": (visitor(study, agree),),
        "instructions": (visitor(study, agree, qualify),),
        "comprehension": (visitor(study, agree, qualify, read),),
        "comprehension again": (visitor(study, agree, qualify, read, misunderstand),),
        "item": (visitor(study, start),),
        "instructed check": (visitor(study, go_to_check),),
        "four choices and a comment": (visitor(lenient, start),),
        "nothing chosen": (visitor(study, start), NEXT_UNCHOSEN),
        "change": (visitor(study, answer_first), ".go-on a"),
        "break": (visitor(study, go_to_break),),
        "debrief": (visitor(study, go_to_debrief),),
        "complete": (visitor(study, finish),),
        "refused": (visitor(study, agree_not),),
        "screened out": (visitor(study, agree, qualify, read, misunderstand, misunderstand),),
        "lost place": (visitor(study, stay_away),),
        "not open": (Visitor(closed),),
        "leave": (visitor(study, start), LEAVE),
        "receipt": (visitor(study, start), LEAVE, "form:last-of-type button"),
        "handed over": (visitor(study, start), LEAVE, "form:first-of-type button"),
    }


def picture(page, name):
    """Save what the page looks like, if somebody wants to look: SCREENSHOTS=folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"study-{name.replace(' ', '-')}.png", full_page=True)


def open_at(page, visitor, *way):
    """Open a page as its visitor; `way` are the controls that lead on from there."""
    page.context.clear_cookies()
    page.goto(visitor.address)
    for control in way:
        if control == NEXT_UNCHOSEN:
            page.click(control)
            page.wait_for_selector("#problem:not(:empty)")
        else:
            turn(page, control)


# Colours are the same in every language, so the second one is looked at in light only.
@pytest.mark.parametrize(
    ("language", "schemes"), [("en", ("light", "dark")), ("zh-CN", ("light",))], ids=["en", "zh-CN"]
)
def test_every_page_fits_has_large_targets_and_no_finding_of_axe(
    open_page, axe, scenarios, language, schemes
):
    cache.clear()
    # axe styles what it measures; that is no fault of the page.
    page = open_page(bypass_csp=True, reduced_motion="reduce", locale=language)
    findings = []
    for name, way in pages(scenarios).items():
        open_at(page, *way)
        if language == "en" and name in HEADINGS:
            assert page.locator("h1").inner_text() == HEADINGS[name]
        for width, height in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            findings += [f"{name} {width} wide" for _ in range(page.evaluate(OVERFLOW))]
            findings += [f"{name} {width} target {found}" for found in page.evaluate(TARGETS)]
            findings += [f"{name} {width} field {found}" for found in page.evaluate(SMALL_FIELDS)]
            for scheme in schemes:
                page.emulate_media(color_scheme=scheme)
                findings += [f"{name} {width} {scheme} {found}" for found in axe(page)]
                picture(page, f"{name}-{language}-{width}-{scheme}")
    assert findings == []
