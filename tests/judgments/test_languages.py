"""The participant's path in Chinese: complete, remembered, and nowhere else."""

import hashlib
import re
from gettext import GNUTranslations

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from judgments.models import Consent, Judgment
from tests.judgments.person import Person
from tests.judgments.studies import make_study
from tools.messages import LOCALES, find_messages, folder, read_catalog, untranslated

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("locale", LOCALES)
def test_every_message_of_the_path_is_translated_and_none_is_left_over(locale):
    stored = {message.id for message in read_catalog(locale) if message.id}
    assert stored == set(find_messages()), "run: python -m tools.messages"
    assert untranslated(read_catalog(locale)) == []


@pytest.mark.parametrize("locale", LOCALES)
def test_what_django_reads_is_what_the_translations_say(locale):
    with (folder(locale) / "django.mo").open("rb") as file:
        compiled = GNUTranslations(file)
    for message in read_catalog(locale):
        if isinstance(message.id, str):
            assert compiled.gettext(message.id) == message.string, "run: python -m tools.messages"
        else:
            assert compiled.ngettext(message.id[0], message.id[1], 2) == message.string[0]


@pytest.fixture
def chinese(study):
    return Person(study, Client(headers={"accept-language": "zh-CN,zh;q=0.9,en;q=0.5"}))


def words_of(page: str) -> str:
    """Return what a reader of Chinese sees, without what says that it is English."""
    page = page[page.index("<body") :]
    page = re.sub(r'<(\w+)[^>]*\slang="en"[^>]*>.*?</\1>', "", page, flags=re.DOTALL)
    page = re.sub(r"<(code|kbd)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", page)


@pytest.mark.django_db
def test_the_path_is_chinese_in_a_chinese_browser_but_for_the_scenarios(chinese):
    pages = [chinese.get(), chinese.begin()]
    pages += [
        chinese.post(step="consent", answer="yes"),
        chinese.post(step="eligibility", answer="yes"),
    ]
    pages += [chinese.post(step="instructions")]
    pages += [chinese.post(step="comprehension", number=1, task="longer-text")]
    pages += [chinese.post(step="comprehension", number=2, task="more-informative")]
    pages += [chinese.answer("right"), chinese.post(step="item", position=2)]
    for action in ("last-answer", "leave"):
        url = reverse(f"judgments:{action}", args=[chinese.study.pk])
        pages.append(chinese.client.get(url).content.decode())
    pages.append(chinese.post("delete"))
    for page in pages:
        assert '<html lang="zh-hans">' in page
        assert CHINESE.search(page)
        english = set(re.findall(r"[A-Za-z]{2,}", words_of(page)))
        assert english <= {"English", "Enter", "UTC"}, english


@pytest.mark.django_db
def test_a_broken_link_and_a_form_that_is_too_old_are_told_of_in_chinese_too(study):
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "zh-CN"})
    home = reverse("judgments:study", args=[study.pk])
    replies = {
        client.get(reverse("judgments:personal-link", args=[study.pk, "x" * 43])): 404,
        client.get(home, {"STUDY_ID": "another"}): 404,
        client.get(reverse("judgments:study", args=["no-such-study"])): 404,
        client.post(home, {"step": "consent", "answer": "yes"}): 403,
        client.post(reverse("judgments:begin", args=[study.pk])): 403,
    }
    for reply, status in replies.items():
        page = reply.content.decode()
        assert (reply.status_code, '<html lang="zh-hans">' in page) == (status, True)
        assert set(re.findall(r"[A-Za-z]{2,}", words_of(page))) <= {"Cookie"}


@pytest.mark.django_db
def test_consent_is_stored_with_the_text_and_the_locale_in_which_it_was_read(chinese):
    page = chinese.begin()
    assert "我同意。" in page
    # Another tab turns to English before the form is sent.
    chinese.get(language="en-gb")
    chinese.post(
        step="consent", answer="yes", locale=re.search(r'"locale" value="([^"]+)"', page)[1]
    )
    consent = Consent.objects.get()
    assert consent.locale == "zh-hans"
    assert consent.text_sha256 == hashlib.sha256("我同意。".encode()).hexdigest()


@pytest.mark.django_db
def test_a_language_without_a_consent_text_of_its_own_is_asked_in_english():
    person = Person(make_study(n_per_domain=3, consent={"en": "I agree."}))
    person.client.get(person.url, {"language": "zh-hans"})
    page = person.begin(language="zh-hans")
    assert '<div class="prose" lang="en"><p>I agree.</p></div>' in page
    person.post(step="consent", answer="yes", locale="en")
    assert Consent.objects.get().locale == "en"


@pytest.mark.django_db
def test_codes_are_stored_and_never_labels(chinese):
    chinese.get_ready()
    chinese.answer("right")
    assert Judgment.objects.get().choice == "right"


@pytest.mark.django_db
def test_the_language_that_was_chosen_is_remembered_for_this_person_only(study):
    person = Person(study)
    landing = person.get(language="zh-hans")
    assert 'name="language" value="zh-hans"' in landing
    assert not person.client.cookies.get("sessionid")  # looking stores nothing
    person.begin(language="zh-hans")
    assert person.heading == "知情同意"
    assert person.get(language="en-gb")
    assert person.heading == "Your consent"
    person.get()
    assert person.heading == "Your consent"
    person.get(language="zh-hans")
    person.post("hand-over")
    person.get()
    assert 'lang="en-gb"' in person.page


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["de", "zh-hans'", "x" * 500, ""])
def test_a_language_that_is_none_of_ours_changes_nothing(study, language):
    assert '<html lang="en-gb">' in Person(study).get(language=language)


@pytest.mark.django_db
def test_every_language_can_be_chosen_on_the_page(study):
    page = Person(study).get()
    for code, name in settings.LANGUAGES:
        assert f"language={code}" in page
        assert f">{name}</a>" in page


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/study/", "/methods/", "/admin/login/", "/privacy/"])
def test_all_other_pages_stay_english(client, path):
    response = client.get(path, headers={"accept-language": "zh-CN"})
    assert not CHINESE.search(response.content.decode())
    assert 'lang="en' in response.content.decode()
