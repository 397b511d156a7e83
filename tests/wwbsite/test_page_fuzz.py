"""Whatever an address or a form holds, no page answers with a fault of ours."""

import uuid

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalog.models import Disclosure
from episodes.actions import ledger
from episodes.models import Episode
from scoring.masks import all_masks
from tests.builders import make_agent, make_task

pytestmark = pytest.mark.django_db

BOUNDED = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
NAMES = (
    *("q", "family", "factors", "source", "disclosure", "order", "page", "task", "step", "panel"),
    *("limit", "cursor", "format", "lang", "next", "o", "p", "e", "all", "_popup", "_to_field"),
    *("state", "state__exact", "agent__kind__exact", "source__family__slug__exact", "mask"),
)
VALUES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["\0", "9" * 5000, "-1", "1e400", "nan", "\u0664", "' OR 1=1 --", "../../etc/passwd"]
    ),
    st.integers().map(str),
)
QUERIES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3)
WORDS = st.one_of(st.text(min_size=1, max_size=20), st.just("\0"), st.uuids().map(str))


@pytest.fixture
def played():
    """Leave a closed episode with its board, and an open one of this browser's person."""
    agent, task, now = make_agent(), make_task(disclosure=Disclosure.OPEN), timezone.now()
    episode = ledger.start_episode(agent=agent, task=task, budget=2, view="full", now=now)
    table = dict.fromkeys(all_masks(4), 0.5)
    ledger.submit_prediction(agent=agent, episode_id=episode.id, predictions=table, now=now)
    return episode


@pytest.fixture
def paths(played, admin_client):
    call_command("recompute_leaderboards", "--draws", "20")
    board = "/leaderboards/d4-b2-full-2026-1"
    return [
        *("/", "/catalog/", "/catalog/nile/", "/catalog/effects/", "/episodes/", "/players/"),
        *(f"/episodes/{played.id}/", "/leaderboards/", f"{board}/", f"{board}.csv"),
        *(f"{board}/{played.agent_id}/", "/leaderboards/controls/", "/study/", "/methods/"),
        *("/privacy/", "/api/", "/api/docs/", "/healthz", "/admin/login/", "/admin/"),
        *("/api/v1/tasks/", "/api/v1/tasks/nile/", "/api/v1/boards/", "/api/v1/schema/"),
        *(f"/admin/episodes/{model}/" for model in ("agent", "agentkey", "episode", "purchase")),
        *(f"/admin/catalog/{model}/" for model in ("family", "source", "release", "task")),
    ]


def test_no_query_makes_a_page_fail(paths, admin_client):
    @BOUNDED
    @given(st.sampled_from(paths), QUERIES, st.sampled_from([{}, {"HX-Request": "true"}]))
    def answer(path, query, headers):
        assert admin_client.get(path, query, headers=headers).status_code < 500

    answer()


def test_no_path_makes_a_page_fail(paths, admin_client):
    @BOUNDED
    @given(st.sampled_from(paths), WORDS)
    @example("/admin/catalog/source/", "\0/change")
    @example("/episodes/", str(uuid.UUID(int=0)))
    def answer(path, word):
        for address in (f"{path}{word}", f"{path}{word}/", f"{path}{word}/change/"):
            assert admin_client.get(address).status_code < 500

    answer()


def test_no_form_of_an_episode_makes_a_page_fail(played):
    client = Client()
    client.post("/episodes/start/", {"task": "nile", "budget": 2, "view": "full"})
    own = Episode.objects.exclude(pk=played.pk).get()
    fields = ("mask", "estimator", "prediction-0001", "prediction-", "task", "budget", "view")
    doors = [f"/episodes/{own.id}/{door}/" for door in ("measure", "fill", "predict")]

    @BOUNDED
    @given(
        st.sampled_from(["/episodes/start/", *doors]),
        st.dictionaries(st.sampled_from(fields), VALUES, max_size=4),
    )
    def answer(path, form):
        assert client.post(path, form).status_code < 500

    answer()
