"""Every page of the participant's path, as people with different machines meet it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone

from catalog.models import Scenario
from judgments.actions import path
from judgments.assignment import ItemKind
from judgments.models import Participant, Study
from tests.judgments.studies import answer_all, consent, get_ready, join, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEXT = "button:has-text('Next')"
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
TARGETS = """() => [...document.querySelectorAll(
        "main :is(button, label:has(input), summary), footer :is(a, label), .languages a, .go-on a"
    )]
    .filter(target => target.checkVisibility())
    .filter(target => target.getBoundingClientRect().height < 44)
    .map(target => target.textContent.trim())"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL_FIELDS = """() => [...document.querySelectorAll("input, textarea, select")]
    .filter(field => field.checkVisibility() && parseFloat(getComputedStyle(field).fontSize) < 16)
    .map(field => field.outerHTML)"""
# What has the keyboard's focus lies below the bar, so that nobody sees it.
COVERED = """() => {
    const focus = document.activeElement.getBoundingClientRect();
    const bar = document.querySelector(".choice-bar");
    if (document.activeElement === document.body) return false;
    if (!bar || bar.contains(document.activeElement) || focus.height === 0) return false;
    const top = bar.getBoundingClientRect().top;
    return focus.top < bar.getBoundingClientRect().bottom && focus.bottom > top + 1;
}"""


@dataclass
class Visitor:
    """Somebody at a certain page of the path: how to get there with a fresh browser."""

    study: Study
    token: str | None = None

    @property
    def address(self) -> str:
        link = f"me/{self.token}/" if self.token else ""
        return f"/study/{self.study.pk}/{link}"


def turn(page, control):
    """Click what leads on, and wait until the page it leads to is there."""
    with page.expect_navigation():
        page.click(control)


def visitor(study: Study, *steps: Callable[[Participant], object]) -> Visitor:
    joined = join(study, now=timezone.now())
    for step in steps:
        step(joined.participant)
    return Visitor(study, joined.token)


def agree(participant):
    consent(participant, now=timezone.now())


def agree_not(participant):
    consent(participant, is_given=False, now=timezone.now())


def qualify(participant):
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=timezone.now())


def read(participant):
    path.read_instructions(participant_id=participant.pk, now=timezone.now())


def misunderstand(participant):
    path.answer_comprehension(
        participant_id=participant.pk,
        number=participant.comprehension_attempts.count() + 1,
        answers={"task": "longer-text"},
        now=timezone.now(),
    )


def start(participant):
    get_ready(participant, now=timezone.now())


def answer_first(participant):
    start(participant)
    answer_all(participant, range(1, 2), now=timezone.now())


def go_to_check(participant):
    start(participant)
    check = participant.items.filter(kind=ItemKind.INSTRUCTED).earliest("position")
    answer_all(participant, range(1, check.position), now=timezone.now())


def go_to_break(participant):
    start(participant)
    n_items = participant.items.filter(cell__place__lte=2).count()
    answer_all(participant, range(1, n_items + 1), now=timezone.now())


def go_to_debrief(participant):
    start(participant)
    answer_all(participant, now=timezone.now())


def finish(participant):
    go_to_debrief(participant)
    path.finish(participant_id=participant.pk, now=timezone.now())


def stay_away(participant):
    start(participant)
    away_since = timezone.now() - timedelta(days=2)
    Participant.objects.filter(pk=participant.pk).update(last_seen_at=away_since)


@pytest.fixture
def scenarios():
    """Return the names of the longest real scenarios, three of each domain."""
    call_command("load_scenarios", verbosity=0)
    return longest_scenarios()


def longest_scenarios() -> tuple[str, ...]:
    def length(scenario):
        parts = [*scenario.mechanisms, *scenario.interventions]
        return len(scenario.question + scenario.baseline + "".join(map(str, parts)))

    by_domain: dict[str, list[Scenario]] = {}
    for scenario in sorted(Scenario.objects.all(), key=length, reverse=True):
        by_domain.setdefault(scenario.domain, []).append(scenario)
    return tuple(one.slug for found in by_domain.values() for one in found[:3])


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
