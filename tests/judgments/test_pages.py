"""The participant's path over HTTP, without JavaScript: nothing lost, nothing double."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog.scenario_truth import ScenarioTruth
from judgments import views
from judgments.actions.path import leave_and_delete
from judgments.assignment import ItemKind
from judgments.models import (
    AuditEntry,
    Consent,
    DeletionReceipt,
    Item,
    Judgment,
    Participant,
    Revision,
    Study,
)
from judgments.queries.coverage import coverage, served_cells
from judgments.queries.participants import find_by_link
from judgments.sessions import current_participant
from tests.builders import NOW
from tests.judgments.studies import PROTOCOL, make_study

pytestmark = pytest.mark.django_db
PLATFORM = {"PROLIFIC_PID": "5f3c", "STUDY_ID": "S1", "SESSION_ID": "x9"}


@pytest.fixture
def study():
    return make_study(n_per_domain=3)


@pytest.fixture
def platform_study(study):
    study.platform_study_id = "S1"
    study.save()
    return study


class Person:
    """Somebody with a browser: follows redirects, fills in the form that is shown."""

    def __init__(self, study, client: Client | None = None) -> None:
        self.study = study
        self.client = client or Client()
        self.url = reverse("judgments:study", args=[study.pk])
        self.page = ""

    def get(self, **query: str) -> str:
        return self._read(self.client.get(self.url, query, follow=True))

    def post(self, action: str = "study", **data: object) -> str:
        url = reverse(f"judgments:{action}", args=[self.study.pk])
        return self._read(self.client.post(url, data, follow=True))

    def begin(self, **platform: str) -> str:
        return self.post("begin", **platform)

    def get_ready(self, **platform: str) -> str:
        self.begin(**platform)
        self.post(step="consent", answer="yes")
        self.post(step="eligibility", answer="yes")
        self.post(step="instructions")
        return self.post(step="comprehension", number=1, task="more-informative")

    def answer(self, choice: str = "left") -> str:
        """Answer the item that is shown; go on first where a break is."""
        if "Time for a break" in self.page:
            self.post(step="break", after_place=self.hidden("after_place"))
        return self.post(step="item", position=self.hidden("position"), choice=choice)

    def finish(self) -> str:
        while "All answers are saved" not in self.heading:
            self.answer()
        return self.post(step="debrief")

    def hidden(self, name: str) -> str:
        return re.search(rf'name="{name}"\s+value="([^"]*)"', self.page)[1]

    @property
    def heading(self) -> str:
        return unescape(re.search(r"<h1[^>]*>(.*?)</h1>", self.page, re.DOTALL)[1]).strip()

    @property
    def participant(self) -> Participant:
        session = self.client.session[f"participant:{self.study.pk}"]
        return Participant.objects.get(pk=session["id"])

    def _read(self, response) -> str:
        assert response.status_code in {200, 422}, response.status_code
        self.page = response.content.decode()
        return self.page


def test_looking_at_the_landing_page_changes_nothing(study):
    person = Person(study)
    person.get(PROLIFIC_PID="5f3c")
    assert "Nothing is stored before you press Begin" in person.page
    assert not Participant.objects.exists()
    assert not person.client.cookies.get("sessionid")


def test_an_unknown_study_is_not_found(client):
    assert client.get("/study/nowhere/").status_code == 404


def test_a_study_that_is_not_open_says_so_and_stores_nothing(study):
    study.closed_at = NOW
    study.save()
    response = Client().post(reverse("judgments:begin", args=[study.pk]))
    assert response.status_code == 403
    assert b"not open" in response.content
    assert not Participant.objects.exists()


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


def test_a_reload_shows_the_same_item_with_the_same_sides(study):
    person = Person(study)
    first = person.get_ready()
    cards = re.findall(r"Proposal \d of [\w-]+\.", first)
    assert len(cards) == 2
    assert re.findall(r"Proposal \d of [\w-]+\.", person.get()) == cards
    assert Item.objects.filter(shown_at__isnull=False).count() == 1


def test_the_sides_on_the_page_are_those_of_the_row(study):
    person = Person(study)
    person.get_ready()
    item = person.participant.items.get(position=1)
    assert re.findall(r"Proposal \d of [\w-]+\.", person.page) == [item.left.text, item.right.text]
    person.answer("right")
    assert Judgment.objects.get().chosen == item.right


def test_an_answer_is_announced_as_saved(study):
    person = Person(study)
    person.get_ready()
    person.answer()
    assert re.search(r'role="status"[^>]*>Answer saved\.', person.page)


def test_nothing_is_chosen_beforehand_and_a_missing_choice_is_asked_for_again(study):
    person = Person(study)
    page = person.get_ready()
    assert "checked" not in page
    person.post(step="item", position=1)
    assert re.search(r'role="alert"[^>]*>Please choose an answer', person.page)
    assert not Judgment.objects.exists()


def test_a_stale_tab_is_led_to_the_next_item(study):
    person = Person(study)
    person.get_ready()
    person.answer()
    person.answer()
    page = person.post(step="item", position=1, choice="right")
    assert "answered already. Please continue here." in page
    assert person.hidden("position") == "3"
    assert Judgment.objects.count() == 2
    assert not Revision.objects.exists()


def test_the_last_answer_can_be_looked_at_and_changed(study):
    person = Person(study)
    person.get_ready()
    person.answer("left")
    page = person.client.get(reverse("judgments:last-answer", args=[study.pk])).content.decode()
    assert "Change your last answer" in page
    assert re.search(r'value="left"[^>]*checked', page)
    person.post(step="item", position=1, choice="right")
    assert Judgment.objects.get().choice == "right"
    assert Revision.objects.count() == 1
    assert person.hidden("position") == "2"


def test_without_an_answer_there_is_none_to_change(study):
    person = Person(study)
    page = person.get_ready()
    assert "Change my last answer" not in page
    response = person.client.get(reverse("judgments:last-answer", args=[study.pk]))
    assert response.status_code == 303


def test_an_instructed_check_asks_for_the_label_of_its_expected_side_and_looks_like_an_item(study):
    person = Person(study)
    person.get_ready()
    asked = {item.position: item for item in person.participant.items.filter(kind="instructed")}
    while not person.heading.startswith("All answers"):
        if "Time for a break" not in person.page:
            label = re.search(r"choose the proposal labelled (A|B)\.", person.page)
            item = asked.pop(int(person.hidden("position")), None)
            assert bool(label) is (item is not None)
            if item and label:
                assert (item.left if label[1] == "A" else item.right) == item.expected
            assert "check" not in re.sub(r"checked|checkbox|comprehension", "", person.page).lower()
        person.answer()
    assert not asked


def test_timing_of_the_browser_is_stored_and_nonsense_costs_no_answer(study):
    person = Person(study)
    person.get_ready()
    report = {"active_ms": "1500", "focus_losses": "2", "layout": "stacked"}
    person.post(step="item", position=1, choice="left", **report)
    nonsense = {
        "active_ms": "-5",
        "focus_losses": "9" * 5000,
        "layout": "<b>",
        "viewport_width": "٣",
    }
    person.post(step="item", position=2, choice="left", **nonsense)
    stored = Judgment.objects.order_by("item__position").values_list(
        "active_ms", "focus_losses", "layout", "viewport_width"
    )
    assert list(stored) == [(1500, 2, "stacked", None), (None, None, "unknown", None)]


def test_the_next_person_on_the_device_is_asked_for_consent_again(study):
    first = Person(study)
    first.get_ready()
    first.finish()
    first.post("hand-over")
    second = Person(study, first.client)
    assert "Nothing is stored before you press Begin" in second.get()
    second.begin()
    assert second.heading == "Your consent"
    assert Participant.objects.count() == 2
    assert Consent.objects.count() == 1


def test_another_persons_link_takes_over_the_browser_and_touches_no_row_of_the_first(study):
    first, second = Person(study), Person(study)
    first.get_ready()
    first.answer()
    second.begin()
    link = re.search(r'class="link">([^<]*)<', second.page)[1]
    before = list(Judgment.objects.values())
    taken_over = Person(study, first.client)
    taken_over._read(first.client.get(link, follow=True))
    assert taken_over.heading == "Your consent"
    assert taken_over.participant == second.participant
    assert list(Judgment.objects.values()) == before


def test_a_hand_over_ends_the_session_on_every_device_and_the_link_leads_back(study):
    laptop = Person(study)
    laptop.begin()
    link = re.search(r'class="link">([^<]*)<', laptop.page)[1]
    phone = Person(study)
    phone._read(phone.client.get(link, follow=True))
    assert phone.heading == "Your consent"
    laptop.post("hand-over")
    assert "press Begin" in phone.get()
    assert Participant.objects.count() == 1
    phone._read(phone.client.get(link, follow=True))
    assert phone.heading == "Your consent"


def test_another_study_ignores_the_session_of_the_first(study):
    person = Person(study)
    person.get_ready()
    other = Person(make_study("other"), person.client)
    assert "press Begin" in other.get()
    other.begin()
    assert Participant.objects.count() == 2
    person.get()
    assert person.heading == "Which proposal is more informative?"


def test_a_wrong_link_is_not_found(study):
    url = reverse("judgments:personal-link", args=[study.pk, "x" * 43])
    assert Client().get(url).status_code == 404


def test_laptop_and_phone_with_the_same_platform_id_are_one_person(platform_study):
    laptop, phone = Person(platform_study), Person(platform_study)
    laptop.get(**PLATFORM)
    laptop.get_ready(**PLATFORM)
    laptop.answer()
    phone.get(**PLATFORM)
    phone.begin(**(PLATFORM | {"PROLIFIC_PID": " 5F3C "}))
    assert phone.hidden("position") == "2"
    assert Participant.objects.count() == 1
    assert AuditEntry.objects.filter(event="joined_again").count() == 1


@pytest.mark.parametrize("way_back", ["session", "platform"])
def test_who_comes_back_after_25_hours_has_no_place_and_the_gap_is_recorded(
    platform_study, way_back
):
    # Case C04: 24 hours are the resume rule of the protocol; whichever way leads back.
    person = Person(platform_study)
    person.get_ready(**PLATFORM)
    for _ in range(17):
        person.answer()
    leave = person.client.get(reverse("judgments:leave", args=[platform_study.pk]))
    assert re.search(r"Your place is kept until [^.]* UTC", leave.content.decode())
    gone = timezone.now() - timedelta(hours=25)
    Participant.objects.update(last_seen_at=gone, hold_until=gone + timedelta(hours=1))
    for _ in range(2):
        if way_back == "platform":
            person = Person(platform_study)
            person.begin(**PLATFORM)
        person.get()
        assert person.heading == "Your place is no longer kept"
    entry = AuditEntry.objects.get(event="returned_too_late")
    assert entry.details["gap_seconds"] == pytest.approx(25 * 3600, abs=60)
    assert Judgment.objects.count() == 17
    assert not served_cells(platform_study, now=timezone.now()).filter(completed_at=None).exists()


def test_the_platforms_parameters_travel_through_the_landing_page(platform_study):
    page = Person(platform_study).get(**PLATFORM)
    for name, value in PLATFORM.items():
        assert f'name="{name}" value="{value}"' in page.replace("\n", " ")


def test_the_platform_sends_another_person_to_a_used_browser(platform_study):
    first = Person(platform_study)
    first.get_ready(**PLATFORM)
    second = Person(platform_study, first.client)
    assert "press Begin" in second.get(**(PLATFORM | {"PROLIFIC_PID": "other"}))
    second.begin(**(PLATFORM | {"PROLIFIC_PID": "other"}))
    assert second.heading == "Your consent"
    assert Participant.objects.count() == 2


def test_a_link_of_another_platform_study_is_not_found(platform_study):
    url = reverse("judgments:study", args=[platform_study.pk])
    assert Client().get(url, PLATFORM | {"STUDY_ID": "S2"}).status_code == 404
    begin = reverse("judgments:begin", args=[platform_study.pk])
    assert Client().post(begin, PLATFORM | {"STUDY_ID": "S2"}).status_code == 404


@pytest.mark.parametrize(
    "hostile",
    [
        {"PROLIFIC_PID": "a\0b"},
        {"PROLIFIC_PID": "a" * 81},
        # The small letters of this one are two: 41 of them are 82 as they are compared.
        {"PROLIFIC_PID": "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * 41},
        {"SESSION_ID": "a\0b"},
        {"SESSION_ID": "a" * 81},
    ],
)
def test_a_link_that_no_platform_makes_is_not_found_and_nobody_joins(platform_study, hostile):
    for name in ("study", "begin"):
        url = reverse(f"judgments:{name}", args=[platform_study.pk])
        send = Client().get if name == "study" else Client().post
        assert send(url, PLATFORM | hostile).status_code == 404
    assert not Participant.objects.exists()


def test_a_study_whose_checks_do_not_fit_says_that_nobody_can_join():
    # Past the desk's form: 13 checks for 48 judgments.
    study = make_study(n_per_domain=3, checks={**PROTOCOL.checks, ItemKind.DOMINATED: 5})
    response = Client().post(reverse("judgments:begin", args=[study.pk]))
    assert response.status_code == 403
    assert b"not open" in response.content
    assert not Participant.objects.exists()


def test_a_blocked_person_is_told_so_before_consent(platform_study):
    platform_study.blocked_pids.create(platform_pid="5f3c")
    response = Client().post(reverse("judgments:begin", args=[platform_study.pk]), PLATFORM)
    assert response.status_code == 403
    assert b"does not accept your platform account" in response.content


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([{"step": "consent", "answer": "no"}], "C0DE3"),
        (
            [{"step": "consent", "answer": "yes"}, {"step": "eligibility", "answer": "no"}],
            "C0DE2",
        ),
        (
            [
                {"step": "consent", "answer": "yes"},
                {"step": "eligibility", "answer": "yes"},
                {"step": "instructions"},
                {"step": "comprehension", "number": 1, "task": "longer-text"},
                {"step": "comprehension", "number": 2, "task": "longer-text"},
            ],
            "C0DE2",
        ),
    ],
    ids=["no-consent", "not-eligible", "comprehension"],
)
def test_other_ends_lead_back_to_the_platform_with_codes_of_their_own(platform_study, steps, code):
    person = Person(platform_study)
    person.begin(**PLATFORM)
    for step in steps:
        assert "cc=" not in person.page
        person.post(**step)
    assert f"submissions/complete?cc={code}" in person.page
    assert not Judgment.objects.exists()
    again = Person(platform_study)
    assert f"submissions/complete?cc={code}" in again.begin(**PLATFORM)
    assert not served_cells(platform_study, now=timezone.now()).exists()  # the place stays free


def test_a_complete_session_leads_back_to_the_platform(platform_study):
    person = Person(platform_study)
    person.get_ready(**PLATFORM)
    assert "submissions/complete?cc=C0DE1" in person.finish()


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


def test_leaving_deletes_everything_shows_a_receipt_and_frees_the_slots(study):
    person = Person(study)
    person.get_ready()
    for _ in range(30):
        person.answer()
    leave = person.client.get(reverse("judgments:leave", args=[study.pk])).content.decode()
    assert "cannot be called back" in leave
    page = person.post("delete")
    receipt = DeletionReceipt.objects.get()
    assert str(receipt.pk) in page
    assert "30 answers were deleted" in page
    assert not Participant.objects.exists()
    assert not Judgment.objects.exists()
    assert "press Begin" in person.get()
    slugs = study.protocols.get().definition["scenarios"]
    assert set(coverage(study, slugs, now=NOW).values()) == {0}


@pytest.mark.parametrize("is_published", [True, False])
def test_after_publication_the_pages_say_what_cannot_be_called_back(study, is_published):
    # Case C14.
    person = Person(study)
    person.get_ready()
    published_at = datetime(2026, 12, 24, 8, 30, tzinfo=UTC) if is_published else None
    Study.objects.update(closed_at=NOW, published_at=published_at)
    leave = person.client.get(reverse("judgments:leave", args=[study.pk])).content.decode()
    words = "public since 24 Dec 2026, 08:30 UTC. What others have read or downloaded since then"
    for page in (leave, person.post("delete")):
        assert (words in page) is is_published


def test_an_answer_after_deletion_in_another_tab_leads_to_the_landing_page(study):
    person = Person(study)
    person.get_ready()
    Participant.objects.get().delete()
    person.post(step="item", position=1, choice="left")
    assert "Your session has ended" in person.page
    assert "press Begin" in person.page


@pytest.mark.parametrize(
    ("method", "door"),
    [
        ("get", "study"),
        ("get", "last-answer"),
        ("get", "leave"),
        ("post", "study"),
        ("post", "hand-over"),
        ("post", "delete"),
    ],
)
def test_no_door_fails_when_another_tab_deletes_in_this_moment(study, monkeypatch, method, door):
    person = Person(study)
    person.get_ready()
    person.answer()

    def erased_meanwhile(request, study):
        participant = current_participant(request, study)
        assert participant is not None
        leave_and_delete(participant_id=participant.pk, now=NOW)
        return participant

    monkeypatch.setattr(views, "current_participant", erased_meanwhile)
    url = reverse(f"judgments:{door}", args=[study.pk])
    reply = getattr(person.client, method)(url, {"step": "item", "position": 2, "choice": "left"})
    assert reply.status_code in (200, 303)
    assert not Participant.objects.exists()


def test_a_link_that_is_opened_while_another_tab_deletes_is_not_found(study, monkeypatch):
    person = Person(study)
    person.begin()
    link = re.search(r'class="link">([^<]*)<', person.page)[1]

    def erased_meanwhile(**arguments):
        participant = find_by_link(**arguments)
        leave_and_delete(participant_id=participant.pk, now=NOW)
        return participant

    monkeypatch.setattr(views, "find_by_link", erased_meanwhile)
    assert Client().get(link).status_code == 404


def test_a_step_that_does_not_exist_is_not_found(study):
    person = Person(study)
    person.get_ready()
    assert person.client.post(person.url, {"step": "cheat"}).status_code == 404


def test_forms_are_protected_against_other_sites(study):
    client = Client(enforce_csrf_checks=True)
    assert client.post(reverse("judgments:begin", args=[study.pk])).status_code == 403
    assert not Participant.objects.exists()


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
        shown |= {"locale", "language"}
        assert fields <= shown
        assert not re.search(r"\sdata-(?!token=\"[0-9a-f]{32}\")[\w-]+=|<!--", page)
        scripts = re.findall(r"<script[^>]*>", page)
        assert all(re.search(r'^<script type="module" src="/static/js/', tag) for tag in scripts)


def test_pages_of_the_path_are_never_cached_or_indexed(study):
    response = Client().get(reverse("judgments:study", args=[study.pk]))
    assert "no-store" in response["Cache-Control"]
    assert b'name="robots" content="noindex"' in response.content


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
