"""Boards of research states: honest denominators, pinned baselines, the same digits everywhere."""

import csv
import io
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from scipy.stats import bootstrap

from catalog.models import Disclosure, ResearchState
from episodes.actions.proposals import record_proposal
from episodes.models import Agent, AgentKind
from leaderboards import actions, queries
from leaderboards.models import StateBoard, StateComputation, StateStanding
from scoring import readings
from scoring.policies import best_design
from scoring.readings import Action
from scoring.responses import IDENTIFIERS, Interface
from tests.api_client import Api, refusal
from tests.builders import NOW, make_agent, make_states

pytestmark = pytest.mark.django_db

BOARD = "states-g1-l3"


def answer(agent: Agent, state: ResearchState, response: str, *, interface=Interface.DESIGN):
    return record_proposal(
        agent=agent, state=state, interface=interface, response=response, now=NOW
    ).proposal


def best_response(state: ResearchState) -> str:
    best = best_design(state.open_prior or [], state.budget)
    arms = ", ".join(IDENTIFIERS[j] for j in best.interventions)
    return f"Target: {arms[:2]}\nInterventions: {arms}\nSeeds: {best.n}"


def recompute(*options: str) -> str:
    out = StringIO()
    call_command("recompute_leaderboards", *options, stdout=out)
    return out.getvalue()


def entry_of(name: str, board: str = BOARD) -> dict[str, Any]:
    entries = Api().get(f"state-boards/{board}/").json()["entries"]
    found: dict[str, Any] = next(e for e in entries if name in (e["entry"], e["baseline"]))
    return found


@pytest.fixture
def states() -> list[ResearchState]:
    return list(make_states(n_states=4).states.order_by("position"))


def test_every_set_has_one_board_an_interface_without_any_answer(states):
    recompute()
    assert StateBoard.objects.count() == len(Interface)
    assert all(board.current for board in StateBoard.objects.all())


def test_an_invalid_answer_and_a_missing_one_count_zero_in_the_denominator(states):
    agent = make_agent()
    for state in states[:2]:
        answer(agent, state, best_response(state))
    answer(agent, states[2], "I would measure more.")
    recompute()
    found = entry_of("walker")
    assert found["efficiency_score"] == 0.5  # (1 + 1 + 0 + 0) / 4
    assert found["valid_efficiency_score"] == 1
    assert (found["n_valid"], found["n_proposals"], found["n_answered_states"]) == (2, 3, 3)
    assert found["rank"] == 1


def test_a_state_weighs_the_same_however_often_it_was_answered(states):
    agent = make_agent()
    for response in (best_response(states[0]), "", ""):
        answer(agent, states[0], response)
    for state in states[1:]:
        answer(agent, state, best_response(state))
    recompute()
    # A third of the first state, all of the three others.
    assert entry_of("walker")["efficiency_score"] == pytest.approx(10 / 12, rel=1e-15)


def test_an_answer_is_worth_what_its_readings_are(states):
    agent = make_agent()
    for state in states:
        answer(agent, state, "Target: I3", interface=Interface.TARGET)
    recompute()
    designs = readings.reading_set(Action(target=3))
    values = [
        readings.score(state.open_prior or [], state.budget, designs).efficiency for state in states
    ]
    found = entry_of("walker", "states-g1-l2")
    assert found["efficiency_score"] == pytest.approx(np.mean(values), rel=1e-15)
    interval = bootstrap(
        (values,),
        np.mean,
        n_resamples=5000,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    bounds = [found["efficiency_low"], found["efficiency_high"]]
    assert bounds == pytest.approx([interval.low, interval.high], rel=1e-12)


def test_the_baselines_of_all_thirty_states_are_those_of_the_specification():
    make_states(n_states=30)
    recompute()
    # specs/reading-sets.md, column G1, per cent
    expected = {
        "uniform_affordable": "45.14",
        "top_prior_arm_two_seeds": "10.83",
        "six_arms_five_seeds": "15.01",
        "oracle": "100.00",
        "oracle_top_prior_target": "100.00",
    }
    for name, percent in expected.items():
        assert f"{100 * entry_of(name)['efficiency_score']:.2f}" == percent
    named = entry_of("any_action_name", "states-g1-l1")
    target = entry_of("top_prior_target", "states-g1-l2")
    assert f"{100 * named['efficiency_score']:.2f}" == "13.19"
    assert f"{100 * target['efficiency_score']:.2f}" == "25.67"
    assert (named["paper_percent"], target["paper_percent"]) == ("13.36", "25.3–25.4")


def test_another_set_has_no_figures_of_the_paper(client):
    make_states("fresh", n_states=2, disclosure=Disclosure.SEALED)
    recompute()
    assert entry_of("oracle", "states-fresh-l3")["paper_percent"] == ""
    assert b"The paper" not in client.get("/leaderboards/states/states-fresh-l3/").content


def test_agents_are_ranked_and_baselines_people_and_the_withdrawn_are_not(states):
    names = {"first": 4, "second": 2, "tied": 2, "gone": 4, "nothing": 0}
    for name, n_right in names.items():
        agent = make_agent(name)
        for state in states[:n_right]:
            answer(agent, state, best_response(state))
    answer(Agent.objects.get(name="nothing"), states[0], "")
    answer(make_agent("visitor", kind=AgentKind.PERSON), states[0], best_response(states[0]))
    Agent.objects.filter(name="gone").update(is_active=False)
    recompute()
    entries = Api().get(f"state-boards/{BOARD}/").json()["entries"]
    assert [bool(one["baseline"]) for one in entries] == [True] * 5 + [False] * 6
    ranks = {one["entry"]: one["rank"] for one in entries if not one["baseline"]}
    assert ranks == {
        "first": 1,
        "second": 2,
        "tied": 2,
        "gone": None,
        "nothing": None,
        "visitor": None,
    }
    assert entry_of("nothing")["unranked_reason"] == "no valid answer"
    assert {one["rank"] for one in entries[:5]} == {None}


def test_page_csv_and_api_show_the_same_digits(states, client):
    agent = make_agent()
    answer(agent, states[0], "Target: I1\nInterventions: I1\nSeeds: 7")
    recompute()
    entries = Api().get(f"state-boards/{BOARD}/").json()["entries"]
    sent = client.get(f"/leaderboards/states/{BOARD}.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(sent)))
    page = client.get(f"/leaderboards/states/{BOARD}/").content.decode()
    assert len(rows) == len(entries) == 6
    for row, entry in zip(rows, entries, strict=True):
        assert float(row["efficiency_score"]) == entry["efficiency_score"]
        assert float(row["rate_score"]) == entry["rate_score"]
        assert f'<data value="{row["efficiency_score"]}">' in page
        assert row["paper_percent"] == entry["paper_percent"]


def test_the_share_over_valid_answers_stands_in_its_column(states, client):
    agent = make_agent()
    answer(agent, states[0], best_response(states[0]))
    answer(agent, states[1], "")
    recompute("--board", BOARD)
    page = client.get(f"/leaderboards/states/{BOARD}/").content.decode()
    row = page.split("<tr")[-1]
    assert [cell.strip() for cell in re.findall(r'<td class="number">([^<]*)</td>', row)][-4:] == [
        "100.0",
        f"{entry_of('walker')['rate_score']:.4f}",
        "1/2",
        "2 of 4",
    ]


def test_ranks_have_the_range_that_the_intervals_leave_possible(states, client):  # C37
    for name, n_right in {"ahead": 4, "close": 3, "behind": 1, "silent": 0}.items():
        agent = make_agent(name)
        for number, state in enumerate(states):
            answer(agent, state, best_response(state) if number < n_right else "")
    recompute("--board", BOARD)
    entries = Api().get(f"state-boards/{BOARD}/").json()["entries"]
    found = {one["entry"]: (one["rank"], one["rank_low"], one["rank_high"]) for one in entries[5:]}
    # Means of four states, 95 % intervals: 1 [1, 1], .75 [.25, 1], .25 [0, .75].
    assert found == {
        "ahead": (1, 1, 2),
        "close": (2, 1, 3),
        "behind": (3, 2, 3),
        "silent": (None, None, None),
    }
    page = client.get(f"/leaderboards/states/{BOARD}/").content.decode()
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    assert "Not separated from the first, since rank 1 is in their range: ahead, close." in text
    assert '<td class="number muted">2\N{EN DASH}3</td>' in page
    sent = client.get(f"/leaderboards/states/{BOARD}.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(sent)))[5:]
    assert [(row["rank_low"], row["rank_high"]) for row in rows] == [
        ("1", "2"),
        ("1", "3"),
        ("2", "3"),
        ("", ""),
    ]


def test_a_board_of_one_state_has_no_interval(client):
    make_states("one", n_states=1)
    recompute()
    found = entry_of("oracle", "states-one-l3")
    assert (found["efficiency_low"], found["efficiency_high"]) == (None, None)
    answer(make_agent(), ResearchState.objects.get(), "")
    actions.recompute_stale_boards()
    assert entry_of("walker", "states-one-l3")["rank_low"] is None
    assert b"undefined (one state)" in client.get("/leaderboards/states/states-one-l3/").content


def test_a_rebuild_from_scratch_gives_the_same_bytes(states, client):
    answer(make_agent(), states[0], best_response(states[0]))

    def everything() -> list[bytes]:
        paths = [f"/api/v1/state-boards/{BOARD}/", f"/leaderboards/states/{BOARD}.csv"]
        return [client.get(path).content for path in [*paths, f"/leaderboards/states/{BOARD}/"]]

    first = recompute()
    before = everything()
    assert recompute("--from-scratch") == first
    assert everything() == before


def test_only_boards_with_new_facts_are_stale(states):
    recompute()
    assert queries.stale_state_boards() == []
    agent = make_agent()
    answer(agent, states[0], "")
    assert [board.slug for board in queries.stale_state_boards()] == [BOARD]
    actions.recompute_stale_boards()
    assert queries.stale_state_boards() == []
    agent.is_active = False
    agent.save()
    assert [board.slug for board in queries.stale_state_boards()] == [BOARD]


def test_the_same_facts_are_one_computation(states):
    recompute("--board", BOARD)
    recompute("--board", BOARD)
    assert StateComputation.objects.count() == 1
    assert StateStanding.objects.count() == 5


def test_as_of_is_the_newest_answer(states):
    agent = make_agent()
    later = NOW + timedelta(hours=2)
    record_proposal(
        agent=agent, state=states[0], interface=Interface.DESIGN, response="", now=later
    )
    recompute()
    assert StateBoard.objects.get(slug=BOARD).current.facts_until == later


def test_a_board_that_is_not_there_is_404(client, states):
    assert refusal(Api().get("state-boards/states-g1-l9/")) == (404, "board_not_found")
    assert client.get("/leaderboards/states/states-g1-l9/").status_code == 404
    assert client.get("/leaderboards/states/states-g1-l9.csv").status_code == 404


def test_the_list_leads_to_every_board(client, states):
    assert b"No board yet" in client.get("/leaderboards/states/").content
    recompute()
    page = client.get("/leaderboards/states/").content.decode()
    assert page.count('href="/leaderboards/states/states-g1-') == len(Interface)
    assert len(Api().get("state-boards/").json()["results"]) == len(Interface)
