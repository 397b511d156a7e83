"""The judgment screen without JavaScript: what it shows, stores and lets change."""

import re

import pytest
from django.urls import reverse

from judgments.models import Item, Judgment, Revision
from tests.judgments.person import Person

pytestmark = pytest.mark.django_db


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
