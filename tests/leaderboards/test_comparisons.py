"""An entry against another one, with each source left out."""

import re

import pytest
from django.test import Client

from episodes.models import Agent
from leaderboards import actions, queries
from leaderboards.queries import BoardReading
from tests.builders import make_agent
from tests.leaderboards.facts import close_episode, make_tasks

pytestmark = pytest.mark.django_db

SLUG = "d4-b0-full-2026-1"
RECOVERIES = {"walker": (0.9, 0.7, 0.6), "runner": (0.5, 0.5, 0.5), "sitter": (0.1, 0.1, 0.9)}


@pytest.fixture
def agents() -> dict[str, Agent]:
    tasks = make_tasks({"retrieval": ["arguana", "scifact"], "images": ["coffee"]})
    found = {name: make_agent(name) for name in RECOVERIES}
    for name, agent in found.items():
        for task, recovery in zip(tasks, RECOVERIES[name], strict=True):
            close_episode(agent, task, recovery)
    actions.recompute_stale_boards()
    return found


def reading_of(agent: Agent) -> BoardReading:
    return queries.read_entry(SLUG, agent_id=agent.pk)[0]


def page_of(agent: Agent, **query: str) -> str:
    response = Client().get(f"/leaderboards/{SLUG}/{agent.pk}/", query)
    assert response.status_code == 200
    return " ".join(re.sub("<[^>]+>", " ", response.content.decode()).split())


def test_the_difference_is_taken_again_without_each_source(agents):
    walker, runner = agents["walker"], agents["runner"]
    found = queries.compare_entries(reading_of(walker), agent_id=walker.pk, rival=runner)
    # Retrieval 0.4 and 0.2, images 0.1: (0.3 + 0.1)/2. Without coffee retrieval is left alone.
    assert found.difference == pytest.approx(0.2)
    without = {source.source: source.difference_without for source in found.sources}
    assert without == pytest.approx({"arguana": 0.15, "scifact": 0.25, "coffee": 0.3})
    assert (found.smallest.source, found.largest.source) == ("arguana", "coffee")
    assert not found.changes_sign


def test_an_order_that_hangs_on_one_source_is_named(agents):
    text = page_of(agents["runner"], against=str(agents["sitter"].pk))
    # Retrieval 0.4, images -0.4: a tie; without coffee 0.4, without the others the tie stays.
    assert "minus that of sitter is 0.000" in text
    assert "0.400 (without coffee): the order of the two hangs on a single source" in text


@pytest.mark.parametrize("against", ["", "nobody", "00000000-0000-0000-0000-000000000000"])
def test_whoever_is_not_there_gives_way_to_the_best_other_entry(agents, against):
    assert "minus that of walker is" in page_of(agents["runner"], against=against)
    assert "minus that of walker is" not in page_of(agents["walker"], against=against)


def test_facts_that_came_later_are_not_mixed_with_the_computation(agents):
    task = make_tasks({"retrieval": ["late"]})[0]
    close_episode(agents["walker"], task, 1.0)
    assert "the next one is due" in page_of(agents["walker"])


def test_a_board_of_one_source_or_one_entry_has_no_comparison():
    [task] = make_tasks({"retrieval": ["scifact"]})
    walker, runner = make_agent("walker"), make_agent("runner")
    close_episode(walker, task, 0.5)
    actions.recompute_stale_boards()
    assert "Against another entry" not in page_of(walker)
    close_episode(runner, task, 0.6)
    actions.recompute_stale_boards()
    assert "the board has a single source" in page_of(walker)
