"""Answers to research states: stored as sent, read strictly, never changed."""

from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import IntegrityError, transaction

from catalog.models import Disclosure, ResearchState
from episodes.actions.proposals import RecordedProposal, RepetitionsExceeded, record_proposal
from episodes.models import Agent, Proposal
from scoring.policies import best_design
from scoring.responses import IDENTIFIERS, Interface
from tests.api_client import Api, api_of, refusal
from tests.builders import NOW, make_agent, make_states
from tests.races import at_once

pytestmark = pytest.mark.django_db

DESIGN = "Target: I3\nInterventions: {I1, I3}\nSeeds: 8"


def propose(api: Api, response: object = DESIGN, *, state="g1-00", interface="l3", **headers: str):
    body = {"state": state, "interface": interface, "response": response}
    return api.post("proposals/", body, **headers)


@pytest.fixture
def api():
    make_states(n_states=2)
    make_states("sealed", n_states=1, disclosure=Disclosure.SEALED)
    return api_of()


def test_a_valid_response_to_an_open_state_is_scored_at_once(api):
    reply = propose(api)
    assert reply.status_code == 201
    body = reply.json()
    assert (body["status"], body["reason"], body["repetition"]) == ("valid", "", 1)
    # ({I1, I3}, 8) costs 5.00 of 6: one reading, affordable.
    assert (body["score"]["n_readings"], body["score"]["n_affordable"]) == (1, 1)
    assert body["score"]["ambiguity"] == 0
    assert 0 < body["score"]["efficiency"] < 1


def test_the_best_design_scores_one(api):
    state = ResearchState.objects.get(slug="g1-00")
    best = best_design(state.open_prior or [], state.budget)
    arms = ", ".join(IDENTIFIERS[j] for j in best.interventions)
    body = propose(api, f"Target: I0\nInterventions: {arms}\nSeeds: {best.n}").json()
    assert body["score"]["efficiency"] == 1


def test_a_sealed_state_says_no_score(api):
    body = propose(api, state="sealed-00").json()
    assert (body["status"], body["score"]) == ("valid", None)
    assert api.get(f"proposals/{body['id']}/").json()["score"] is None


@pytest.mark.parametrize(
    ("response", "interface", "reason"),
    [
        ("", "l3", "empty"),
        (" \n", "l1", "empty"),
        ("Target: I7", "l2", "target: unknown identifier"),
        (DESIGN + "3", "l3", "seeds: out of range"),
        (DESIGN.replace("8", "1"), "l4", "seeds: out of range"),
        (DESIGN.replace("{I1, I3}", "{}"), "l3", "interventions: no interventions"),
        ("Sure! " + DESIGN, "l3", "text outside the fields"),
        (DESIGN, "json-design", "not one JSON object"),
        (DESIGN + "\n" + DESIGN, "l3", "target: two answers"),
    ],
)
def test_an_invalid_response_is_stored_with_its_reason_and_scores_zero(
    api, response, interface, reason
):
    body = propose(api, response, interface=interface).json()
    assert (body["status"], body["reason"]) == ("invalid", reason)
    assert (body["score"]["rate"], body["score"]["efficiency"]) == (0, 0)
    assert body["score"]["ambiguity"] is None
    assert Proposal.objects.get().response == response


def test_a_response_is_kept_to_the_character(api):
    odd = "  Final answer:\r\n\t" + DESIGN.replace("\n", "\r\n") + "\u00a0\n\n"
    proposal_id = propose(api, odd).json()["id"]
    assert api.get(f"proposals/{proposal_id}/").json()["response"] == odd


def test_three_answers_a_state_and_interface_are_the_most(api):
    assert [propose(api).json()["repetition"] for _ in range(3)] == [1, 2, 3]
    assert refusal(propose(api)) == (409, "repetitions_exceeded")
    assert propose(api, interface="l4").json()["repetition"] == 1
    assert propose(api, state="g1-01").json()["repetition"] == 1
    assert Proposal.objects.count() == 5


def test_a_repeated_key_finds_the_first_answer_and_uses_no_repetition(api):
    first = propose(api, Idempotency_Key="a")
    again = propose(api, Idempotency_Key="a")
    assert again.status_code == 201
    assert again.json() == first.json()
    assert ("Idempotent-Replay" in first, again["Idempotent-Replay"]) == (False, "true")
    assert Proposal.objects.count() == 1


def test_a_key_of_another_answer_is_refused(api):
    propose(api, Idempotency_Key="a")
    assert refusal(propose(api, "Target: I1", Idempotency_Key="a")) == (
        409,
        "idempotency_key_reused",
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"state": "g1-99", "interface": "l3", "response": ""}, 404),
        ({"state": "g1-00", "interface": "l9", "response": ""}, 400),
        ({"state": "g1-00", "interface": "l3", "response": 8}, 400),
        ({"state": "g1-00", "interface": "l3", "response": None}, 400),
        ({"state": "g1-00", "interface": "l3"}, 400),
        ({"state": "g1-00", "interface": "l3", "response": "x" * 20_001}, 400),
        ({"state": "g1-00", "interface": "l3", "response": "a\0"}, 400),
    ],
    ids=["no state", "no interface", "number", "null", "missing", "too long", "NUL"],
)
def test_what_is_no_proposal_is_refused_and_not_stored(api, body, status):
    assert api.post("proposals/", body).status_code == status
    assert not Proposal.objects.exists()


def test_an_agent_lists_its_own_proposals_alone(api):
    propose(api)
    other = api_of("other")
    mine = propose(other, interface="l2").json()
    assert [one["id"] for one in other.get("proposals/").json()["results"]] == [mine["id"]]
    assert refusal(api.get(f"proposals/{mine['id']}/")) == (404, "not_found")


def test_nobody_proposes_without_a_key(api):
    assert propose(Api()).status_code == 401


@pytest.mark.parametrize("change", [{"response": ""}, {"status": "invalid", "reason": "empty"}])
def test_a_proposal_is_neither_changed_nor_deleted(api, change):
    propose(api)
    with pytest.raises(IntegrityError, match="only ever added to"), transaction.atomic():
        Proposal.objects.update(**change)
    with pytest.raises(IntegrityError, match="only ever added to"), transaction.atomic():
        Proposal.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_twenty_answers_at_once_store_three():
    make_states(n_states=1)
    agent, state = make_agent(), ResearchState.objects.get()

    def answer() -> RecordedProposal:
        return record_proposal(
            agent=Agent.objects.get(pk=agent.pk),
            state=state,
            interface=Interface.DESIGN,
            response=DESIGN,
            now=NOW,
        )

    results = at_once([answer] * 20, refusals=(RepetitionsExceeded,))
    assert sum(isinstance(result, RecordedProposal) for result in results) == 3
    assert sorted(Proposal.objects.values_list("repetition", flat=True)) == [1, 2, 3]


# --- In the browser -------------------------------------------------------------------------
@pytest.fixture
def visitor(client, api):
    cache.clear()
    return client


def test_a_person_reads_a_request_and_answers_it(visitor):
    page = visitor.get("/states/g1-00/answer/?interface=l2").content.decode()
    assert "State which mechanism to test next." in page
    sent = {"interface": "l2", "response": "Target: I3"}
    reply = visitor.post("/states/g1-00/answer/", sent, follow=True)
    proposal = Proposal.objects.get()
    assert (proposal.agent.kind, proposal.interface, proposal.status) == ("person", "l2", "valid")
    assert reply.redirect_chain == [(f"/proposals/{proposal.id}/", 302)]
    assert "of the best affordable design" in reply.content.decode()
    assert "l2, answer 1" in visitor.get("/states/g1-00/answer/").content.decode()


def test_a_person_sees_why_a_response_is_invalid(visitor):
    sent = {"interface": "l3", "response": ""}
    page = visitor.post("/states/g1-00/answer/", sent, follow=True).content.decode()
    assert "The parser read no action: empty." in page


def test_a_hostile_response_is_text_on_every_page_that_shows_it(visitor):
    # Case C50: what a model says comes back in the form, on the answer's page and behind a board.
    hostile = "</pre></textarea><svg onload=alert(1)>[x](javascript:alert(1))"
    shown = "&lt;/pre&gt;&lt;/textarea&gt;&lt;svg onload=alert(1)&gt;[x](javascript:alert(1))"
    state = ResearchState.objects.get(slug="g1-00")
    agent = Agent.objects.get(name="walker")
    record_proposal(agent=agent, state=state, interface=Interface.DESIGN, response=hostile, now=NOW)
    call_command("recompute_leaderboards", "--draws", "50", stdout=StringIO())
    sent = {"interface": "l3", "response": hostile}
    replies = [visitor.post("/states/g1-00/answer/", sent, follow=True) for _ in range(4)]
    for reply in (*replies, visitor.get(f"/leaderboards/states/states-g1-l3/{agent.pk}/")):
        page = reply.content.decode()
        assert shown in page
        assert "<svg onload" not in page
        assert 'href="javascript:' not in page


def test_a_person_sees_no_score_of_a_sealed_state(visitor):
    sent = {"interface": "l3", "response": DESIGN}
    page = visitor.post("/states/sealed-00/answer/", sent, follow=True).content.decode()
    assert "not said: the state is sealed" in page
    assert "affordable" not in page


def test_a_fourth_answer_of_a_person_is_refused_and_kept_in_the_form(visitor):
    sent = {"interface": "l2", "response": "Target: I3"}
    for _ in range(3):
        visitor.post("/states/g1-00/answer/", sent)
    reply = visitor.post("/states/g1-00/answer/", sent)
    assert reply.status_code == 409
    assert "3 times, which is the most" in reply.content.decode()
    assert "Target: I3</textarea>" in reply.content.decode()


def test_a_proposal_of_another_browser_is_404(visitor):
    visitor.post("/states/g1-00/answer/", {"interface": "l2", "response": "Target: I3"})
    proposal_id = Proposal.objects.get().id
    visitor.cookies.clear()
    assert visitor.get(f"/proposals/{proposal_id}/").status_code == 404


def test_a_form_without_an_interface_is_refused(visitor):
    reply = visitor.post("/states/g1-00/answer/", {"interface": "l9", "response": "x"})
    assert reply.status_code == 422
    assert not Proposal.objects.exists()


def test_a_state_that_is_not_there_cannot_be_answered(visitor):
    assert visitor.get("/states/g1-99/answer/").status_code == 404
