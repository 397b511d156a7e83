"""The participant's path from Begin to its end, without JavaScript."""

import re
from html import unescape

import pytest
from django.core.management import call_command

from catalog.scenario_truth import ScenarioTruth
from judgments.models import Judgment, Participant
from tests.judgments.person import Person
from tests.judgments.studies import make_study

pytestmark = pytest.mark.django_db


def test_a_person_goes_the_whole_path_and_gets_a_code_at_the_end_only(study):
    person = Person(study)
    person.begin()
    headings = [person.heading]
    for step in ({"step": "consent", "answer": "yes"}, {"step": "eligibility", "answer": "yes"}):
        person.post(**step)
        headings.append(person.heading)
    person.post(step="instructions")
    headings.append(person.heading)
    assert headings == [
        "Your consent",
        "Your experience",
        "What you will do",
        "One question before you start",
    ]
    person.post(step="comprehension", number=1, task="more-informative")
    pages = [person.page]
    while "All answers are saved" not in person.heading:
        pages.append(person.answer())
    assert sum("Time for a break" in page for page in pages) == 3
    assert Judgment.objects.count() == 60
    person.post(step="debrief")
    code = Participant.objects.get().completion_code or "none"
    assert code in person.page
    assert not any(code in page or "C0DE1" in page for page in pages)
    assert person.get() == person.page  # again, with the same code


def test_an_early_finish_gives_no_code(study):
    person = Person(study)
    person.get_ready()
    for _ in range(30):
        person.answer()
    person.post(step="debrief")
    assert "answered already" in person.page
    assert Participant.objects.get().completion_code is None
    assert Judgment.objects.count() == 30


def test_one_wrong_try_at_the_comprehension_check_is_followed_by_another(study):
    person = Person(study)
    person.begin()
    person.post(step="consent", answer="yes")
    person.post(step="eligibility", answer="yes")
    person.post(step="instructions")
    person.post(step="comprehension", number=1, task="longer-text")
    assert "try once more" in person.page
    person.post(step="comprehension", number=person.hidden("number"), task="more-informative")
    assert person.heading == "Which proposal is more informative?"


def test_a_step_that_does_not_exist_is_not_found(study):
    person = Person(study)
    person.get_ready()
    assert person.client.post(person.url, {"step": "cheat"}).status_code == 404


def test_no_page_shows_what_is_behind_a_scenario():
    """The real material: source, locator, conclusion, facts, form, metric, expected answers."""
    call_command("load_scenarios", verbosity=0)
    person = Person(make_study())
    pages = [person.get(), person.begin()]
    person.get_ready()
    hidden = set()
    for truth in ScenarioTruth.objects.all():
        hidden |= {truth.source_title, truth.source_identifier, truth.source_locator}
        hidden |= {truth.conclusion, *truth.confirmed_facts, str(truth.prior)}
    slugs = set(ScenarioTruth.objects.values_list("scenario", flat=True))
    while not person.heading.startswith("All answers"):
        pages.append(person.page)
        person.answer()
    for page in map(unescape, pages):
        assert not any(secret in page for secret in hidden)
        assert not any(slug in page for slug in slugs)
        fields = set(re.findall(r'\bname="(\w+)"', page)) - {"viewport", "description", "robots"}
        shown = {"csrfmiddlewaretoken", "step", "position", "choice", "after_place", "answer"}
        shown |= {"locale", "language", "key"}
        assert fields <= shown
        assert not re.search(r"\sdata-(?!token=\"[0-9a-f]{32}\")[\w-]+=|<!--", page)
        scripts = re.findall(r"<script[^>]*>", page)
        assert all(re.search(r'^<script type="module" src="/static/js/', tag) for tag in scripts)


def test_a_study_shows_its_own_words_in_the_language_of_the_page_or_in_english():
    texts = {
        "introduction": {"en": "Judge <b>well</b>.", "zh-hans": "请好好判断。"},
        "eligibility": {"en": "Are you a chemist?"},
        "contact": {"en": "Ask ada@example.org."},
        "debrief": {"en": "It was about chemistry."},
    }
    study = make_study(n_per_domain=3, minutes=25, texts=texts)
    person = Person(study)
    landing = person.get()
    assert "Judge &lt;b&gt;well&lt;/b&gt;." in landing
    assert "about 25 minutes" in landing
    assert "请好好判断。" in person.get(language="zh-hans")
    person.get(language="en")
    assert "Ask ada@example.org." in person.begin()
    assert "Are you a chemist?" in person.post(step="consent", answer="yes")
    person.post(step="eligibility", answer="yes")
    person.post(step="instructions")
    person.post(step="comprehension", number=1, task="more-informative")
    leaving = person.client.get(f"{person.url}leave/").content.decode()
    assert "Ask ada@example.org." in leaving
    while "All answers are saved" not in person.heading:
        person.answer()
    assert "It was about chemistry." in person.page
