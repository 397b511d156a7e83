"""The page of a research state: the words for everybody, the worth of designs where it is open."""

import re

import pytest
from django.contrib.auth.models import Permission

from catalog.models import Disclosure
from tests.builders import make_states

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    """Return a function that opens a page of g1-00 (budget 6) with what the address says."""
    make_states(n_states=1)

    def open_page(**query):
        return client.get("/states/g1-00/", query)

    return open_page


def text_of(response) -> str:
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def test_an_open_state_shows_map_best_design_and_policies(page):
    words = text_of(page())
    assert "What an experiment tells per cost in g1-00" in words
    assert "478 of 693 designs are affordable" in words  # budget 6
    assert "Oracle: the best affordable design" in words
    assert "You propose" not in words


def test_the_map_marks_the_policies_of_the_table_by_its_letters(page):
    response = page()
    rows = response.context["policies"]
    assert [(row.letter, row.title) for row in rows] == [
        ("a", "Oracle: the best affordable design"),
        ("b", "Oracle that must test the likeliest mechanism"),
        ("", "Uniform over the affordable designs"),
        ("c", "Likeliest mechanism's arm, two seeds"),
        ("d", "All six arms, five seeds"),
    ]
    behind = {row[0]: row[-1] for row in response.context["map"].table.rows if row[-1]}
    # One arm at two seeds; six arms at five; the oracle's size from the row's own words.
    n_arms, n_seeds = rows[0].words.count("I"), re.search(r"(\d+) seeds", rows[0].words)[1]
    assert behind == {f"{n_arms}, {n_seeds}": "a, b", "1, 2": "c", "6, 5": "d"}


def test_a_sealed_state_shows_its_words_alone(client):
    make_states("secret", n_states=1, disclosure=Disclosure.SEALED)
    page = client.get("/states/secret-00/")
    assert "Mechanism 5 would improve" in text_of(page)
    assert "This state is sealed" in text_of(page)
    assert b"<svg" not in page.content
    assert b"Policies" not in client.get("/states/secret-00/", {"seeds": 2}).content


def test_a_target_alone_has_two_readings(page):
    response = page(target=3)
    assert [row.words for row in response.context["rows"]] == [
        "{I0, I3}, 2 seeds",
        "{I0, I3}, 8 seeds",
    ]
    assert [row.cost for row in response.context["rows"]] == [2.9, 5.0]  # 1 + 1.2 + 0.35 n


def test_the_conservative_executor_keeps_the_cheaper_half(page):
    rows = page(target=3, mode="conservative").context["rows"]
    assert [row.words for row in rows] == ["{I0, I3}, 2 seeds"]


def test_arms_without_seeds_are_filled_with_two_and_eight(page):
    rows = page(interventions=[1, 4]).context["rows"]
    assert [row.words for row in rows] == ["{I1, I4}, 2 seeds", "{I1, I4}, 8 seeds"]


def test_a_pasted_response_is_parsed_as_its_interface_would(page):
    pasted = "Target: I3\r\nInterventions: {I1, I3}\r\nSeeds: 8"
    assert [row.words for row in page(response=pasted, interface="l3").context["rows"]] == [
        "{I1, I3}, 8 seeds"
    ]
    assert len(page(response=pasted, interface="l2").context["rows"]) == 2


def test_an_invalid_response_is_shown_with_its_reason(page):
    response = page(response="Target: I3\nInterventions: I1\nSeeds: 13", interface="l3")
    assert "seeds: out of range" in text_of(response)
    assert "score" not in response.context


def test_an_unaffordable_reading_counts_nothing(page):
    response = page(interventions=range(6), seeds=12)  # costs 8.80
    assert response.context["score"].rate == 0
    assert "no: counts 0" in text_of(response)


def test_an_address_that_says_no_action_is_told_so(page):
    assert "Part of the address says no action" in text_of(page(target="I9"))


def test_a_state_that_is_not_there_is_404(client):
    assert client.get("/states/g1-99/").status_code == 404


def test_the_list_names_every_state_and_what_the_paper_prints(client):
    make_states(n_states=2)
    words = text_of(client.get("/states/"))
    assert "g1-01" in words
    assert "cannot be recovered" in words


def test_the_empty_list_says_what_fills_it(client):
    assert "load_catalog" in text_of(client.get("/states/"))


def test_staff_with_the_permission_see_the_map_of_a_sealed_state(client, django_user_model):
    make_states("secret", n_states=1, disclosure=Disclosure.SEALED)
    staff = django_user_model.objects.create_user("staff", password="x", is_staff=True)
    client.force_login(staff)
    address = "/admin/catalog/researchstate/secret-00/map/"
    assert client.get(address).status_code == 403
    staff.user_permissions.add(Permission.objects.get(codename="view_stateprior"))
    assert "Policies without a model" in text_of(client.get(address))
