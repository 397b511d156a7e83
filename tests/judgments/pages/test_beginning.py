"""The Begin form: however often it is sent, one person; and it opens the place of nobody else."""

import re
from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments.actions.path import hand_over
from judgments.models import AuditEntry, Consent, Participant, Study
from tests.judgments.person import PLATFORM
from tests.judgments.studies import HALF, make_study
from tests.races import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    cache.clear()
    make_study(**HALF)
    Study.objects.update(platform_study_id="S1")
    return Study.objects.get()


class Tab:
    """A browser without JavaScript whose landing page stays open, as it was shown."""

    def __init__(self, study, **query):
        self.client = Client(enforce_csrf_checks=True)
        self.home = reverse("judgments:study", args=[study.pk])
        self.form = self.fields(self.client.get(self.home, query))
        self.cookies = {name: cookie.value for name, cookie in self.client.cookies.items()}

    @staticmethod
    def fields(page):
        return dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', page.content.decode()))

    def begin(self, client=None, **changed):
        """Press the button of the page that is still open."""
        return (client or self.client).post(f"{self.home}begin/", self.form | changed)

    def as_it_was(self):
        """Return a browser with the cookies that it had when the page was shown."""
        client = Client(enforce_csrf_checks=True)
        client.cookies.load(self.cookies)
        return client

    def leave(self, way):
        token = self.fields(self.client.get(f"{self.home}leave/"))["csrfmiddlewaretoken"]
        self.client.post(f"{self.home}leave/{way}/", {"csrfmiddlewaretoken": token})


def link_on(client, home):
    page = client.get(home, follow=True).content.decode()
    assert "Your consent" in page
    return re.search(r'class="link">([^<]*)<', page)[1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", [{}, PLATFORM], ids=["own study", "platform"])
def test_ten_clicks_at_once_are_one_participant_with_one_link_and_all_ten_lead_on(study, query):
    tab = Tab(study, **query)
    clicks = [tab.as_it_was() for _ in range(10)]
    replies = at_once([partial(tab.begin, click) for click in clicks])
    assert {(reply.status_code, reply["Location"]) for reply in replies} == {(303, tab.home)}
    assert Participant.objects.count() == 1
    # Whichever reply the browser keeps, it shows the one place and the one link to it.
    links = {link_on(click, tab.home) for click in clicks}
    assert len(links) == 1
    assert b"Your consent" in Client().get(links.pop(), follow=True).content
    assert not AuditEntry.objects.filter(event="joined_again").exists()


@pytest.mark.django_db(transaction=True)
def test_a_second_click_after_the_first_reply_leads_on_too(study):
    # The reply has changed the cookies; the page with the old form is still there for a moment.
    tab = Tab(study)
    assert [tab.begin().status_code, tab.begin().status_code] == [303, 303]
    assert Participant.objects.count() == 1
    assert link_on(tab.client, tab.home)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["hand-over", "delete"])
def test_who_presses_an_old_begin_after_the_last_person_has_gone_gets_nobodys_place(study, way):
    tab = Tab(study)
    tab.begin()
    first = Participant.objects.get()
    tab.leave(way)
    assert tab.begin().status_code == 403  # the page tells to go on from a fresh one
    fresh = Tab.fields(tab.client.get(tab.home))
    assert fresh["key"] != tab.form["key"]
    tab.begin(**fresh)
    second = Participant.objects.exclude(pk=first.pk).get()
    assert str(second.pk) == tab.client.session[f"participant:{study.pk}"]["id"]


@pytest.mark.django_db(transaction=True)
def test_the_key_of_somebody_elses_form_opens_no_place_of_theirs(study):
    # A stranger has read the page's source, on the same device or another.
    tab, stranger = Tab(study), Tab(study)
    tab.begin()
    stranger.begin(key=tab.form["key"])
    assert Participant.objects.count() == 2
    assert link_on(tab.client, tab.home) != link_on(stranger.client, stranger.home)


@pytest.mark.django_db(transaction=True)
def test_after_a_hand_over_not_even_the_same_form_with_the_same_cookies_leads_back(study):
    tab = Tab(study)
    tab.begin()
    hand_over(participant_id=Participant.objects.get().pk, now=timezone.now())
    late = tab.as_it_was()
    reply = tab.begin(late)
    assert (reply.status_code, reply["Location"]) == (303, tab.home)
    page = late.get(tab.home).content.decode()
    assert "Please press Begin once more." in page
    assert Participant.objects.count() == 1
    tab.begin(late, **Tab.fields(late.get(tab.home)))
    assert Participant.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_form_is_one_person_whatever_platform_id_is_written_into_it(study):
    tab = Tab(study, **PLATFORM)
    tab.begin()
    tab.begin(tab.as_it_was(), PROLIFIC_PID="other")
    assert set(Participant.objects.values_list("platform_pid", flat=True)) == {"5f3c", "other"}


@pytest.mark.parametrize("key", [None, "", "x" * 500])
def test_a_form_without_a_key_of_ours_is_shown_again_and_nobody_joins(study, key):
    tab = Tab(study, **PLATFORM)
    del tab.form["key"]
    reply = tab.begin(**({} if key is None else {"key": key}))
    assert reply.status_code == 303
    page = tab.client.get(reply["Location"]).content.decode()
    assert "Please press Begin once more." in page
    assert 'name="PROLIFIC_PID" value="5f3c"' in page
    assert not Participant.objects.exists()


def test_looking_twice_gives_two_keys_and_the_page_is_never_stored(study):
    first, second = Tab(study), Tab(study)
    assert first.form["key"] != second.form["key"]
    assert "no-store" in first.client.get(first.home)["Cache-Control"]


def test_who_has_begun_on_the_platform_can_finish_after_the_study_closed(study):
    """Closing keeps out who is new; another browser has no session to go on from."""
    Tab(study, **PLATFORM).begin()
    Study.objects.update(closed_at=timezone.now())
    phone = Tab(study, **PLATFORM)
    assert phone.begin().status_code == 303
    assert b"Your consent" in phone.client.get(phone.home).content
    assert Participant.objects.count() == 1
    stranger = Client().get(phone.home, PLATFORM | {"PROLIFIC_PID": "new"})
    assert b"This study is not open" in stranger.content
    assert not Consent.objects.exists()
