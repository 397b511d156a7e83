"""What every page has around its content."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.cache import cache

import scoring
from tests.builders import make_task

ROOT = Path(__file__).parent.parent.parent
PAGES = ("/", "/methods/", "/study/", "/privacy/", "/api/", "/api/docs/")

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_old_answers():
    cache.clear()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_five_links_a_search_and_says_what_it_runs(client, path):
    make_task()
    page = client.get(path).content.decode()
    navigation = re.search(r'<nav aria-label="Site">(.*?)</nav>', page, re.DOTALL)[1]
    assert re.findall(r">(\w+)</a>", navigation) == [
        "Catalog",
        "Episodes",
        "Study",
        "Leaderboards",
        "Methods",
    ]
    assert re.search(r'<form role="search"\s+action="/catalog/"\s+method="get">', page)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for words in (f"wwbsite {version}", "Release 2026.1", f"Scoring {scoring.VERSION}"):
        assert words in page


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_one_heading_of_the_first_level_and_skips_no_level(client, path):
    levels = [int(level) for level in re.findall(r"<h(\d)", client.get(path).content.decode())]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_link_of_the_open_section_is_marked(client):
    page = client.get("/methods/").content.decode()
    assert re.findall(r'aria-current="true">(\w+)<', page) == ["Methods"]


def test_pages_share_the_look_up_of_the_release(client, django_assert_num_queries):
    with django_assert_num_queries(1):
        client.get("/privacy/")
    with django_assert_num_queries(0):
        client.get("/api/")


@pytest.mark.parametrize("path", PAGES)
def test_reading_sets_no_cookie(client, path):
    assert client.get(path).cookies == {}


def test_health_answers_in_plain_text(client):
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")
