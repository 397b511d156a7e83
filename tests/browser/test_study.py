"""Every page of the participant's path, as people with different machines meet it."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone, translation
from django.utils.translation import gettext
from rest_framework.throttling import SimpleRateThrottle

from judgments.models import Study
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
from tests.judgments.studies import join, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LEAVE = "footer a >> nth=0"
BEGIN = "form button"
NEXT_UNCHOSEN = ".choice-bar button"
LOSE_COOKIES = "lose cookies"
TITLE = "Which experiment would teach more?"
QUESTION = "Which proposal is more informative?"
ASKED = "For this comparison please choose the proposal labelled %(label)s."


@dataclass(frozen=True)
class Shown:
    """What proves which page it is: a heading, and where others share it, words or elements."""

    heading: str
    words: str = ""
    elements: tuple[str, ...] = ()


# Headings and words are messages of the path, looked for in the language of the page.
SHOWN = {
    "landing": Shown(TITLE, "Begin"),
    "consent": Shown("Your consent"),
    "eligibility": Shown("Your experience"),
    "instructions": Shown("What you will do"),
    "comprehension": Shown("One question before you start"),
    "comprehension again": Shown(
        "One question before you start",
        "That was not right. Please read again and try once more.",
        (".problem",),
    ),
    "item": Shown(
        QUESTION, elements=('[name="position"][value="1"]', ".choices:not(:has(:checked))")
    ),
    "instructed check": Shown(ASKED),
    "four choices and a comment": Shown(
        QUESTION, "I cannot judge", ("#id_comment", ".choices label >> nth=3")
    ),
    "nothing chosen": Shown(QUESTION, "Please choose an answer before you go on."),
    "change": Shown(
        QUESTION, "Change your last answer: it is marked below.", (".choices :checked",)
    ),
    "break": Shown("Time for a break"),
    "debrief": Shown("All answers are saved"),
    "complete": Shown("Thank you", "Hand over or delete", (".code",)),
    "refused": Shown("You did not agree to take part", "You can close this page."),
    "screened out": Shown("The study ends here for you", "You can close this page."),
    "lost place": Shown("Your place is no longer kept", "Hand over or delete"),
    "study over": Shown("This study is over", "Read the results"),
    "not open": Shown("This study is not open", elements=(".languages",)),
    "blocked": Shown("You cannot take part in this study"),
    "come back": Shown("Welcome back", "Go on with the study"),
    "leave": Shown("Pause or leave", "Come back later"),
    "leave after the end": Shown("Hand over or delete", "Back", (".link",)),
    "receipt": Shown("Your answers are deleted"),
    "handed over": Shown(TITLE, "Begin"),
    "unknown study": Shown("Please open your link once more", elements=(".languages",)),
    "expired form": Shown("Please go on from a fresh page"),
    "too many": Shown("Please try again a little later"),
}
SIZES = {1280: 800, 375: 812, 320: 568}


@pytest.fixture
def scenarios():
    """Return the names of the longest real scenarios, three of each domain."""
    call_command("load_scenarios", verbosity=0)
    return longest_scenarios()


@pytest.fixture
def one_begin_an_hour(monkeypatch):
    cache.clear()
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"begins": "1/hour"})


def pages(scenarios):
    """Return every page of the path with who is there; some lead on by a click."""
    study = make_study(scenarios=scenarios)
    study.title = TITLE
    study.save()
    study.blocked_pids.create(platform_pid="blocked")
    closed = make_study("closed", scenarios=scenarios)
    join(closed, now=timezone.now(), pid="known")
    over = make_study("over", scenarios=scenarios)
    lenient = make_study(
        "lenient",
        scenarios=scenarios,
        allows_equal=True,
        allows_cannot_judge=True,
        offers_comment=True,
    )
    shown = {
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
        "study over": (visitor(over, start),),
        "not open": (Visitor(closed),),
        # The first Begin of the hour; the next one is one too many.
        "blocked": (Visitor(study, pid="blocked"), BEGIN),
        "come back": (Visitor(closed, pid="known"),),
        "leave": (visitor(study, start), LEAVE),
        "leave after the end": (visitor(study, finish), LEAVE),
        "receipt": (visitor(study, start), LEAVE, "form:last-of-type button"),
        "handed over": (visitor(study, start), LEAVE, "form:first-of-type button"),
        "unknown study": (Visitor(Study(slug="nowhere")),),
        "expired form": (Visitor(study), LOSE_COOKIES, BEGIN),
        "too many": (Visitor(study), BEGIN),
    }
    Study.objects.filter(pk__in=("closed", "over")).update(closed_at=timezone.now())
    Study.objects.filter(pk="over").update(published_at=timezone.now())
    return shown


def picture(page, name):
    """Save what the page looks like, if somebody wants to look: SCREENSHOTS=folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"study-{name.replace(' ', '-')}.png", full_page=True)


def open_at(page, visitor, *way):
    """Open a page as its visitor; `way` are the controls that lead on from there."""
    page.context.clear_cookies()
    page.goto(visitor.address)
    for control in way:
        if control == LOSE_COOKIES:
            page.context.clear_cookies()
        elif control == NEXT_UNCHOSEN:
            page.click(control)
            page.wait_for_selector("#problem:not(:empty)")
        else:
            turn(page, control)


def require_shown(page, shown, language):
    """Fail unless this is the page that it should be, in its language."""
    with translation.override({"en": "en-gb", "zh-CN": "zh-hans"}[language]):
        headings = {gettext(shown.heading) % {"label": label} for label in "AB"}
        words = gettext(shown.words) if shown.words else ""
    assert page.locator("h1").inner_text() in headings
    for element in shown.elements:
        assert page.locator(element).count() == 1, element
    assert not words or page.get_by_text(words).first.is_visible(), words


# Colours are the same in every language, so the second one is looked at in light only.
@pytest.mark.usefixtures("one_begin_an_hour")
@pytest.mark.parametrize(
    ("language", "schemes"), [("en", ("light", "dark")), ("zh-CN", ("light",))], ids=["en", "zh-CN"]
)
def test_every_page_fits_has_large_targets_and_no_finding_of_axe(
    open_page, axe, scenarios, language, schemes
):
    # axe styles what it measures; that is no fault of the page.
    page = open_page(
        bypass_csp=True,
        reduced_motion="reduce",
        locale=language,
        expected_statuses=(403, 404, 429),
    )
    findings = []
    for name, way in pages(scenarios).items():
        open_at(page, *way)
        require_shown(page, SHOWN[name], language)
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
