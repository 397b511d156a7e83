"""Boards of sealed states: means, and no number that tells what a single answer is worth."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from catalog.models import Disclosure, ResearchState
from catalog.truth import state_priors
from episodes.actions.proposals import record_proposal
from episodes.models import Agent
from leaderboards import actions
from leaderboards.models import StateBoard
from scoring import readings
from scoring.readings import reading_set
from scoring.responses import Interface, parse
from tests.api_client import Api
from tests.builders import NOW, make_agent, make_states

pytestmark = pytest.mark.django_db

BOARD = "states-fresh-l3"
FIRST = "Target: I3\nInterventions: {I1, I3}\nSeeds: 2"
SECOND = "Target: I0\nInterventions: {I0}\nSeeds: 3"
NUMBERS = ("efficiency_score", "efficiency_low", "efficiency_high", "valid_efficiency_score")


def sealed_states(n_states: int = 8) -> list[ResearchState]:
    made = make_states("fresh", n_states=n_states, disclosure=Disclosure.SEALED)
    return list(made.states.order_by("position"))


def answer(agent: Agent, states: list[ResearchState], response: str = FIRST) -> None:
    for state in states:
        record_proposal(
            agent=agent, state=state, interface=Interface.DESIGN, response=response, now=NOW
        )


def entries() -> list[dict[str, Any]]:
    actions.publish_state_board(board=StateBoard.objects.get(slug=BOARD))
    found: list[dict[str, Any]] = Api().get(f"state-boards/{BOARD}/").json()["entries"]
    return found


def numbers(entry: dict[str, Any]) -> set[float | None]:
    return {entry[name] for name in (*NUMBERS, "rate_score", "rank")}


def value_of(state: ResearchState, response: str) -> float:
    action = parse(Interface.DESIGN, response).action
    prior = state_priors(state.state_set)[state.slug]
    return readings.score(prior, state.budget, reading_set(action)).efficiency


@pytest.fixture
def walker() -> Agent:
    return make_agent()


def test_an_answer_to_one_state_has_no_number_anywhere(walker):
    states = sealed_states()
    actions.open_state_boards()
    answer(walker, states[:1])
    *baselines, entry = entries()
    assert numbers(entry) == {None}
    assert entry["unranked_reason"].startswith("numbers follow when every state is answered")
    assert (entry["n_valid"], entry["n_answered_states"]) == (1, 1)
    assert None not in {one["efficiency_score"] for one in baselines}
    row = list(
        csv.DictReader(
            io.StringIO(Client().get(f"/leaderboards/states/{BOARD}.csv").content.decode())
        )
    )[-1]
    assert {row[name] for name in (*NUMBERS, "rate_score")} == {""}
    told = f"{100 * value_of(states[0], FIRST):.1f}"
    board = Client().get(f"/leaderboards/states/{BOARD}/").content.decode()
    behind = Client().get(f"/leaderboards/states/{BOARD}/{walker.pk}/").content.decode()
    assert "numbers follow when every state is answered" in board
    assert told not in board.split("<tr")[-1] + behind.split("<h1")[1]


def test_one_valid_answer_among_empty_ones_has_no_number(walker):
    states = sealed_states()
    actions.open_state_boards()
    answer(walker, states[:1])
    answer(walker, states[1:], "")
    assert numbers(entries()[-1]) == {None}


def test_every_state_answered_has_the_mean_and_one_answer_more_does_not_move_it(walker):
    states = sealed_states()
    actions.open_state_boards()
    answer(walker, states)
    mean = sum(value_of(state, FIRST) for state in states) / 8
    entry = entries()[-1]
    assert (entry["rank"], entry["efficiency_score"]) == (1, pytest.approx(mean, rel=1e-14))
    answer(walker, states[:1], SECOND)
    assert entries()[-1] == entry
    answer(walker, states[1:], SECOND)
    second = sum(value_of(state, SECOND) for state in states) / 8
    moved = entries()[-1]
    assert moved["efficiency_score"] == pytest.approx((mean + second) / 2, rel=1e-14)
    assert moved["n_proposals"] == 16


def test_baselines_of_few_sealed_states_have_no_numbers():
    sealed_states(n_states=2)
    actions.open_state_boards()
    assert {value for entry in entries() for value in numbers(entry)} == {None}
    assert Client().get(f"/leaderboards/states/{BOARD}/").status_code == 200
