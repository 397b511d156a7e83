"""The home page: what is measured, four doors, one picture, three numbers."""

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.builders import NOW, make_agent, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_old_answers():
    cache.clear()


def _words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_an_empty_site_says_what_would_fill_it(client):
    words = _words(client.get("/"))
    assert "tasks 0 none yet closed episodes 0 none yet ranked entries 0 none yet" in words
    assert "No board is published yet." in words


def test_a_number_has_the_date_of_its_newest_fact(client):
    make_task("nile")
    assert "task 1 as of 29 Nov 2026" in _words(client.get("/"))


def test_an_open_episode_is_not_counted(client):
    make_agent().episodes.create(
        task=make_task(), budget_credits=8, created_at=NOW, deadline_at=NOW
    )
    assert "closed episodes 0 none yet" in _words(client.get("/"))


def test_the_four_doors_lead_to_pages_that_exist(client):
    page = client.get("/").content.decode()
    doors = re.findall(r'<dt>\s*<a href="([^"]+)"', page)
    assert doors == ["/study/", "/catalog/", "/api/", "/leaderboards/"]
    assert [client.get(door).status_code for door in doors] == [200] * 4


def test_a_second_visitor_of_the_same_minute_counts_nothing_again(client):
    client.get("/")
    with CaptureQueriesContext(connection) as queries:
        client.get("/")
    assert [query for query in queries if "COUNT(" in query["sql"]] == []
