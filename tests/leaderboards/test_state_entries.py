"""What stands behind an entry of a state board: open states whole, of sealed ones the status."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from catalog.models import Disclosure, ResearchState
from catalog.truth import state_priors
from episodes.actions.proposals import record_proposal
from episodes.models import Agent, AgentKind
from leaderboards import actions, queries
from scoring import readings
from scoring.readings import reading_set
from scoring.responses import Interface, parse
from tests.builders import NOW, make_agent, make_states

pytestmark = pytest.mark.django_db

RESPONSE = "Target: I3\nInterventions: {I1, I3}\nSeeds: 5"
HOSTILE = "<script>alert(1)</script>"


def answer(agent: Agent, state: ResearchState, response: str) -> None:
    record_proposal(
        agent=agent, state=state, interface=Interface.DESIGN, response=response, now=NOW
    )


def states_of(slug: str, disclosure: Disclosure) -> list[ResearchState]:
    return list(make_states(slug, n_states=3, disclosure=disclosure).states.order_by("position"))


def page(agent: Agent, board: str, *, status: int = 200) -> str:
    response = Client().get(f"/leaderboards/states/{board}/{agent.pk}/")
    assert response.status_code == status
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def value_of(state: ResearchState, prior: tuple[float, ...]) -> readings.ReadingScore:
    action = parse(Interface.DESIGN, RESPONSE).action
    return readings.score(prior, state.budget, reading_set(action), target=action.target)


@pytest.fixture
def walker() -> Agent:
    return make_agent()


def test_every_state_is_listed_with_answers_reasons_and_scores(walker):
    first, second, third = states_of("g1", Disclosure.OPEN)
    answer(walker, first, RESPONSE)
    answer(walker, first, HOSTILE)
    answer(walker, second, RESPONSE)
    actions.recompute_stale_boards()
    found = queries.read_state_entry("states-g1-l3", agent_id=walker.pk)
    value = value_of(first, tuple(first.open_prior or ())).efficiency
    assert [one.state for one in found.states] == [first, second, third]
    assert [one.percent for one in found.states] == [
        f"{100 * value / 2:.1f}",  # the second answer is invalid and counts 0
        found.states[1].answers[0].percent,
        "0.0",
    ]
    # The mean of what is listed is the number of the board.
    means = [
        sum(answer.score.efficiency for answer in one.answers if answer.score)
        / max(len(one.answers), 1)
        for one in found.states
    ]
    assert sum(means) / 3 == pytest.approx(found.entry.standing.efficiency_score, rel=1e-14)
    words = page(walker, "states-g1-l3")
    assert "no answer: counts 0" in words
    assert "invalid: " in words
    assert "&lt;script&gt;" in words
    assert f"{100 * value:.1f}" in words


def test_of_a_sealed_state_status_and_reason_are_said_and_nothing_else(walker):
    states = states_of("fresh", Disclosure.SEALED)
    answer(walker, states[0], RESPONSE)
    answer(walker, states[1], RESPONSE.replace("Seeds: 5", "Seeds: 13"))
    actions.recompute_stale_boards()
    found = queries.read_state_entry("states-fresh-l3", agent_id=walker.pk)
    assert {one.percent for one in found.states} == {""}
    given = [answer for one in found.states for answer in one.answers]
    assert [(one.words, one.score) for one in given] == [(None, None), (None, None)]
    words = page(walker, "states-fresh-l3")
    assert "3 states are sealed" in words
    assert "invalid: seeds: out of range" in words
    assert "Seeds: " not in words


def test_a_policys_designs_in_sealed_states_are_not_told():
    states_of("fresh", Disclosure.SEALED)
    actions.recompute_stale_boards()
    found = queries.read_baseline("states-fresh-l3", name="oracle")
    assert [one.answers for one in found.states] == [(), (), ()]
    board = Client().get("/leaderboards/states/states-fresh-l3/").content.decode()
    assert "states-fresh-l3/oracle/" not in board


def test_a_baseline_leads_to_what_it_runs_in_every_open_state():
    states = states_of("g1", Disclosure.OPEN)
    actions.recompute_stale_boards()
    board = Client().get("/leaderboards/states/states-g1-l3/").content.decode()
    address = "/leaderboards/states/states-g1-l3/six_arms_five_seeds/"
    assert f'href="{address}"' in board
    words = Client().get(address).content.decode()
    assert words.count("{I0, I1, I2, I3, I4, I5}, 5 seeds") == len(states)


def test_what_a_person_typed_is_not_published_though_its_score_is():
    [state, *_] = states_of("g1", Disclosure.OPEN)
    visitor = make_agent("visitor", kind=AgentKind.PERSON)
    answer(visitor, state, RESPONSE)
    actions.recompute_stale_boards()
    [given] = queries.read_state_entry("states-g1-l3", agent_id=visitor.pk).states[0].answers
    assert given.words is None
    assert given.score is not None
    assert "as it was sent" not in page(visitor, "states-g1-l3")


def test_an_answer_that_came_after_the_computation_is_not_listed(walker):
    [state, *_] = states_of("g1", Disclosure.OPEN)
    answer(walker, state, RESPONSE)
    actions.recompute_stale_boards()
    later = NOW.replace(year=NOW.year + 1)
    record_proposal(agent=walker, state=state, interface=Interface.DESIGN, response="", now=later)
    found = queries.read_state_entry("states-g1-l3", agent_id=walker.pk)
    assert len(found.states[0].answers) == 1


def test_who_does_not_stand_on_the_board_is_404(walker):
    states_of("g1", Disclosure.OPEN)
    actions.recompute_stale_boards()
    page(walker, "states-g1-l3", status=404)
    page(walker, "states-g1-l9", status=404)
    assert Client().get("/leaderboards/states/states-g1-l3/nobody/").status_code == 404


def test_staff_who_may_see_priors_see_the_scores_of_sealed_answers(
    walker, client, django_user_model
):
    [state, *_] = states_of("fresh", Disclosure.SEALED)
    answer(walker, state, RESPONSE)
    actions.recompute_stale_boards()
    staff = django_user_model.objects.create_user("staff", password="x", is_staff=True)
    client.force_login(staff)
    entries = "/admin/leaderboards/stateboard/states-fresh-l3/entries/"
    answers = f"{entries}{walker.pk}/"
    assert {client.get(address).status_code for address in (entries, answers)} == {403}
    staff.user_permissions.add(Permission.objects.get(codename="view_stateprior"))
    assert f'href="{answers}"' in client.get(entries).content.decode()
    value = value_of(state, state_priors(state.state_set)[state.slug])
    response = client.get(answers)
    [given] = response.context["found"].states[0].answers
    assert given.words == RESPONSE
    assert given.score == value
    assert "Staff page" in response.content.decode()
    assert client.get("/admin/leaderboards/stateboard/none/entries/").status_code == 404
