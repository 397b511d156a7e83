"""Boards and scores over HTTP."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from episodes.actions import ledger
from episodes.models import Agent, Episode
from leaderboards import actions
from leaderboards.metrics import METRICS
from scoring.masks import all_masks
from scoring.surfaces import grade, overwrite_measured
from tests.api_client import Api, api_of, refusal
from tests.builders import default_truth, make_agent, make_key, make_task
from tests.leaderboards.facts import close_episode, expire, lose, make_tasks

pytestmark = pytest.mark.django_db

SLUG = "d4-b0-full-2026-1"


# --- Scores ---------------------------------------------------------------------------------
def test_a_score_is_the_grade_of_the_table_with_its_measured_cells_as_observed():
    make_task("nile")
    api = api_of()
    episode = api.start(budget=2)
    bought = api.buy(episode["id"], ["0001", "1000"]).json()["observations"]
    assert api.submit(episode["id"], dict.fromkeys(all_masks(4), 0.5)).status_code == 201

    score = api.get(f"episodes/{episode['id']}/score/").json()

    table = overwrite_measured([0.5] * 16, {**episode["observations"], **bought})
    expected = grade(default_truth(), table)
    assert {name: score[name] for name in vars(expected)} == {
        **vars(expected),
        "strict": {str(tolerance): passed for tolerance, passed in expected.strict.items()},
    }
    assert (score["state"], score["cause"], score["scoring_version"]) == ("submitted", "", "1.0.0")


def test_an_open_episode_has_no_score_yet():
    make_task("nile")
    api = api_of()
    episode = api.start()
    response = api.get(f"episodes/{episode['id']}/score/")
    assert refusal(response) == (409, "episode_open")
    assert response.json()["error"]["details"] == {"deadline_at": episode["deadline_at"]}


def overdue_episode() -> Episode:
    """Return an episode of walker whose deadline passed before the clock looked."""
    return ledger.start_episode(
        agent=Agent.objects.get(name="walker"),
        task=make_task("nile"),
        budget=8,
        view="full",
        now=timezone.now() - timedelta(hours=1),
    )


def test_an_episode_without_delivery_counts_zero_and_says_why():  # C55
    api = api_of()
    episode = overdue_episode()

    score = api.get(f"episodes/{episode.pk}/score/").json()

    assert (score["state"], score["cause"]) == ("expired", "limit:deadline")
    assert score["effect_recovery"] == 0
    assert score["exact_choice"] is False
    assert score["strict"] == dict.fromkeys(["0.025", "0.05", "0.1", "0.2", "0.4"], False)
    assert score["effect_mae"] is None


def test_an_episode_lost_by_us_has_no_score_at_all():
    api = api_of()
    episode = lose(Agent.objects.get(name="walker"), make_task("nile"))

    score = api.get(f"episodes/{episode.pk}/score/").json()

    assert score["state"] == "lost"
    assert score["effect_recovery"] is None
    assert score["exact_choice"] is None


def test_the_score_of_another_agent_is_not_there():
    owner = make_agent("owner")
    (nile,) = make_tasks({"forecasting": ["nile"]})
    episode = close_episode(owner, nile, 1.0)
    stranger = api_of("stranger")

    foreign = stranger.get(f"episodes/{episode.pk}/score/")
    unknown = stranger.get("episodes/00000000-0000-0000-0000-000000000000/score/")

    assert refusal(foreign) == (404, "not_found")
    assert foreign.content == unknown.content


def test_a_score_needs_a_key_with_the_scope_to_read():
    agent = make_agent("walker")
    (nile,) = make_tasks({"forecasting": ["nile"]})
    path = f"episodes/{close_episode(agent, nile, 1.0).pk}/score/"
    write_only = Api(make_key(agent, scopes=["episodes:write"]))
    assert refusal(Api().get(path)) == (401, "not_authenticated")
    assert refusal(write_only.get(path)) == (403, "missing_scope")


def test_the_score_before_and_after_scoring_is_the_same():
    agent = make_agent("walker")
    api = Api(make_key(agent))
    (nile,) = make_tasks({"forecasting": ["nile"]})
    path = f"episodes/{close_episode(agent, nile, 0.3).pk}/score/"
    before = api.get(path).content
    actions.recompute_stale_boards()
    assert api.get(path).content == before


# --- Boards ---------------------------------------------------------------------------------
@pytest.fixture
def board():
    """Publish a board with a tie, an expired episode and one that was lost."""
    nile, sunspots = make_tasks({"forecasting": ["nile", "sunspots"]})
    for name in ("walker", "runner"):
        agent = make_agent(name)
        close_episode(agent, nile, 1 / 3)
        close_episode(agent, sunspots, 2 / 3)
    expire(make_agent("absent"), nile)
    lose(make_agent("unlucky"), nile)
    actions.recompute_stale_boards()


def read(path: str):
    response = Client().get(f"/api/v1/{path}")
    assert response.status_code == 200
    return json.loads(response.content)


def test_anybody_reads_the_list_of_boards(board):
    (found,) = read("boards/")["results"]
    assert (found["slug"], found["budget"], found["n_tasks"]) == (SLUG, 0, 2)


def test_anybody_reads_a_board_with_definitions_and_provenance(board):
    found = read(f"boards/{SLUG}/")
    assert [metric["name"] for metric in found["metrics"]] == [metric.name for metric in METRICS]
    assert found["metrics"][0]["direction"] == "higher is better"
    assert len(found["input_digest"]) == 64
    assert found["command"] == (
        f"manage.py recompute_leaderboards --board {SLUG} --seed 3 --draws 2000"
    )


def test_ties_share_a_rank_and_those_without_one_come_last_with_the_reason(board):
    entries = read(f"boards/{SLUG}/")["entries"]
    assert [(e["agent"], e["rank"], e["unranked_reason"]) for e in entries] == [
        ("runner", 1, ""),
        ("walker", 1, ""),
        ("absent", None, "nothing delivered"),
        ("unlucky", None, "1 episode lost by us, to be run again"),
    ]


def test_an_unknown_board_is_not_there():
    assert refusal(Api().get("boards/nowhere/")) == (404, "board_not_found")
