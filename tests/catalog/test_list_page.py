"""/catalog/: every task, found by search and filters in the address."""

import re

import pytest

from catalog.models import Disclosure, Track
from scoring.masks import all_masks
from tests.builders import make_family, make_source, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    """Return the page of a query string as text."""

    def get(query: str = "") -> str:
        response = client.get(f"/catalog/{query}", secure=True)
        assert response.status_code == 200
        return str(response.content, "utf-8")

    return get


@pytest.fixture
def three_tasks() -> None:
    make_task("nile", disclosure=Disclosure.OPEN)
    images = make_family("image_restoration")
    make_task("rocket", source=make_source("rocket", family=images))
    make_task("nile__d6", truth=[index / 64 for index in range(64)], track=Track.SIX_FACTOR_PAIRED)


def slugs(page: str) -> list[str]:
    return re.findall(r'<a class="mask" href="/catalog/([a-z0-9_]+)/"', page)


@pytest.mark.usefixtures("three_tasks")
class TestFilters:
    def test_all_tasks_are_listed_in_catalogue_order_with_their_count(self, page):
        text = page()
        assert slugs(text) == ["nile", "nile__d6", "rocket"]
        assert "3 tasks," in text
        assert "96 records" in text

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("?q=rock", ["rocket"]),
            ("?q=STEPS+nile", ["nile", "nile__d6"]),
            ("?family=image_restoration", ["rocket"]),
            ("?factors=6", ["nile__d6"]),
            ("?source=nile", ["nile", "nile__d6"]),
            ("?disclosure=open", ["nile"]),
            ("?source=nile&disclosure=sealed", ["nile__d6"]),
            ("?order=-task", ["rocket", "nile__d6", "nile"]),
            ("?order=-factors", ["nile__d6", "nile", "rocket"]),
            ("?q=nile&order=-task", ["nile__d6", "nile"]),
        ],
    )
    def test_the_address_decides_what_is_listed(self, page, query, found):
        assert slugs(page(query)) == found

    def test_the_row_count_says_how_many_of_all(self, page):
        assert "1 of 3 tasks," in page("?q=rocket")

    def test_a_search_without_result_says_so_and_leads_back(self, page):
        text = page("?q=no-such-task")
        assert "No task passes these filters" in text
        assert 'href="/catalog/">Show all 3' in text

    def test_sorting_keeps_the_filters_and_turns_around(self, page):
        text = page("?q=nile&order=task")
        assert 'href="?q=nile&amp;order=-task"' in text
        assert text.count('aria-sort="ascending"') == 1

    def test_filtering_keeps_the_order(self, page):
        assert '<input type="hidden" name="order" value="-task">' in page("?order=-task")

    @pytest.mark.parametrize("query", ["?family=poetry", "?factors=many", "?order=sideways"])
    def test_an_unknown_filter_is_left_out_and_said(self, page, query):
        text = page(query)
        assert "not a filter of this list" in text
        assert slugs(text) == ["nile", "nile__d6", "rocket"]

    @pytest.mark.parametrize("query", ["?q=%00", "?q=" + "a" * 5000, "?family=%00", "?source=%27"])
    def test_hostile_queries_are_answered(self, page, query):
        page(query)


def test_an_empty_catalogue_says_what_fills_it(page):
    assert "manage.py load_catalog" in page()


def test_old_versions_are_not_listed(page):
    make_task("nile", version="2" * 64, is_current=False)
    make_task("nile")
    assert slugs(page()) == ["nile"]


def test_the_number_of_queries_does_not_grow_with_the_tasks(
    page, django_assert_max_num_queries, client
):
    for number in range(12):
        make_task(f"task-{number}", truth=[0.5] * len(all_masks(2)))
    page()  # fills the cache of the shell
    # tasks, their count, families and sources for the filters
    with django_assert_max_num_queries(4):
        page()
