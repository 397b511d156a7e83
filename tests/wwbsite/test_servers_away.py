"""While the broker is away the site works without it; while the database is, it says so at once."""

import re
from contextlib import contextmanager
from functools import partial

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from judgments.models import Participant
from tests.api_client import api_of
from tests.builders import make_task
from tests.judgments.studies import HALF, make_study

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = ("/", "/catalog/", "/leaderboards/", "/study/", "/study/main/", "/privacy/", "/api/docs/")


@pytest.fixture
def broker_away(settings, tmp_path):
    """Leave nobody at the address of the cache, as when the server of it is stopped."""
    away = settings.CACHES["default"] | {"LOCATION": f"unix://{tmp_path}/nobody.sock"}
    settings.CACHES = {"default": away}
    settings.REDIS_URL = away["LOCATION"]


@contextmanager
def database_away():
    connection.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        patch.setitem(connection.settings_dict, "PORT", "1")  # no server has port 1
        yield
    connection.close()


def visitor():
    return Client(raise_request_exception=False)


@pytest.mark.usefixtures("broker_away")
def test_without_the_broker_pages_the_api_and_a_study_go_on(caplog):
    make_study(**HALF)
    make_task()
    assert {page: visitor().get(page).status_code for page in PAGES} == dict.fromkeys(PAGES, 200)
    api = api_of()
    episode = api.start()
    assert api.buy(episode["id"], ["0111"]).status_code == 200
    person, home = visitor(), reverse("judgments:study", args=["main"])
    form = dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', person.get(home).content.decode()))
    assert person.post(f"{home}begin/", form).status_code == 303
    assert Participant.objects.count() == 1
    away = [line for line in caplog.records if "cache_away" in str(line.msg)]
    assert len(away) == 1


@pytest.mark.usefixtures("broker_away")
def test_a_wrong_key_is_still_refused_without_the_broker():
    answer = visitor().get("/api/v1/episodes/", headers={"Authorization": "Bearer wwb_no"})
    assert answer.status_code == 401


@pytest.mark.usefixtures("broker_away")
def test_health_names_the_broker_that_is_away_and_stays_healthy():
    answer = visitor().get("/healthz")
    assert answer.status_code == 200
    assert answer.content == b"ok, without the broker: jobs wait and rates go uncounted"


def test_without_the_database_every_page_says_to_come_back_and_none_shows_an_error_of_ours():
    make_study(n_per_domain=1)
    api = api_of()
    cache.clear()
    with database_away():
        answers = [visitor().get(page) for page in PAGES[:5]]
        answers.append(visitor().post("/study/main/begin/"))
        refused = partial(visitor().get, headers={"Authorization": f"Bearer {api.key}"})
        calls = [refused(f"/api/v1/{path}/") for path in ("episodes", "tasks", "boards", "no-door")]
        health = visitor().get("/healthz")
    assert calls.pop().status_code == 404
    assert {answer.status_code for answer in [*answers, *calls, health]} == {503}
    assert {answer["Retry-After"] for answer in [*answers, *calls, health]} == {"30"}
    for page in answers:
        assert "The database does not answer" in page.content.decode()
    for call in calls:
        assert call.json()["error"]["code"] == "database_away"
    assert health.content == b"database away"
    assert visitor().get("/study/main/").status_code == 200
