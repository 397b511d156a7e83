"""The HTTP contracts of episodes (issue 2, section 4)."""

import json
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from catalog.models import Task
from episodes.actions import ledger
from episodes.models import Agent, Episode
from scoring.masks import all_masks
from tests.api_client import api_of, refusal
from tests.builders import default_truth, make_task

pytestmark = pytest.mark.django_db

TRUTH = dict(zip(all_masks(4), default_truth(4), strict=True))
TABLE = dict.fromkeys(all_masks(4), 0.5)


@pytest.fixture
def api():
    make_task("nile")
    return api_of("walker")


def overdue_episode() -> Episode:
    """Start an episode of walker an hour ago, that the clock has not expired yet."""
    return ledger.start_episode(
        agent=Agent.objects.get(name="walker"),
        task=Task.objects.get(),
        budget=8,
        view="full",
        now=timezone.now() - timedelta(hours=1),
    )


# --- Starting -------------------------------------------------------------------------------
def test_starting_answers_201_with_the_anchors_and_the_deadline(api):
    started = api.start(budget=8)
    created, deadline = (
        datetime.fromisoformat(started[name]) for name in ("created_at", "deadline_at")
    )
    assert deadline - created == timedelta(seconds=1800)
    assert started["deadline_at"].endswith("Z")
    del started["id"], started["created_at"], started["deadline_at"]
    assert started == {
        "task": "nile",
        "budget": 8,
        "view": "full",
        "state": "open",
        "observations": {"0000": TRUTH["0000"], "1111": TRUTH["1111"]},
        "credits_remaining": 8,
        "closed_at": None,
    }


def test_the_view_is_full_unless_asked(api):
    assert api.post("episodes/", {"task": "nile", "budget": 0}).json()["view"] == "full"


def test_an_opaque_episode_says_nothing_of_the_task_but_the_slug_sent(api):
    task = Task.objects.get()
    text = json.dumps(api.start(view="opaque"))
    secrets = [task.source_code, task.question, task.version, task.source.family_id]
    secrets += [factor["name"] for factor in task.factors]
    assert [secret for secret in secrets if secret in text] == []
    assert text.count("nile") == 1


@pytest.mark.parametrize("budget", [-1, 15, True, 8.0, 8.5, "8", None, [8], 10**30])
def test_a_budget_that_is_no_whole_number_in_range_is_refused_by_name(api, budget):
    response = api.post("episodes/", {"task": "nile", "budget": budget})
    assert response.status_code == 400
    assert "budget" in response.json()["error"]["details"]
    assert not Episode.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("task", None), ("task", ["nile"]), ("task", "n" * 300), ("view", "half"), ("view", {})],
)
def test_another_faulty_field_is_refused_by_name(api, field, value):
    response = api.post("episodes/", {"task": "nile", "budget": 8, field: value})
    assert refusal(response) == (400, "invalid_request")
    assert list(response.json()["error"]["details"]) == [field]


def test_a_misspelt_field_is_named_and_nothing_is_started_in_its_default(api):
    response = api.post("episodes/", {"task": "nile", "budget": 8, "veiw": "opaque", "x": 1})
    assert refusal(response) == (400, "invalid_request")
    known = "is not a field of this request; they are: task, budget, view"
    assert response.json()["error"]["details"] == {"veiw": [known], "x": [known]}
    assert not Episode.objects.exists()


def test_no_other_request_takes_unknown_fields_either(api):
    episode = api.start()
    table = dict.fromkeys(all_masks(4), 0.5)
    for path, body in (
        (f"episodes/{episode['id']}/measurements/", {"masks": ["0001"], "dry_run": True}),
        (f"episodes/{episode['id']}/prediction/", {"predictions": table, "final": False}),
        ("proposals/", {"state": "s", "interface": "l0", "response": "", "trace": ""}),
    ):
        response = api.post(path, body)
        assert refusal(response) == (400, "invalid_request")
        assert list(response.json()["error"]["details"]) == list(body)[-1:]


def test_an_unknown_task_is_not_found(api):
    response = api.post("episodes/", {"task": "atlantis", "budget": 8})
    assert refusal(response) == (404, "task_not_found")


def test_an_old_version_of_a_task_cannot_be_started(api):
    Task.objects.update(is_current=False)
    assert api.post("episodes/", {"task": "nile", "budget": 8}).status_code == 404


# --- Reading --------------------------------------------------------------------------------
def test_an_episode_reads_back_with_all_that_was_bought_in_order(api):
    episode = api.start()
    api.buy(episode["id"], ["0111"])
    api.buy(episode["id"], ["0001"])
    read = api.get(f"episodes/{episode['id']}/").json()
    assert list(read["observations"]) == ["0000", "1111", "0111", "0001"]
    assert read["credits_remaining"] == 6


def test_a_list_has_the_agents_own_episodes_newest_first_in_pages(api):
    ids = [api.start()["id"] for _ in range(5)]
    api_of("other").start()
    first = api.get("episodes/?limit=3").json()
    second = api.get(first["next"].partition("/api/v1/")[2]).json()
    listed = [episode["id"] for page in (first, second) for episode in page["results"]]
    assert listed == ids[::-1]
    assert second["next"] is None


def test_an_episode_past_its_deadline_reads_as_expired_and_refuses(api):
    episode = overdue_episode()
    assert api.get(f"episodes/{episode.id}/").json()["state"] == "expired"
    assert api.get("episodes/").json()["results"][0]["state"] == "expired"
    assert refusal(api.buy(episode.id, ["0001"])) == (409, "episode_closed")
    assert refusal(api.submit(episode.id, TABLE)) == (409, "episode_closed")


# --- Buying ---------------------------------------------------------------------------------
def test_buying_answers_the_utilities_the_charge_and_the_balance(api):
    episode = api.start(budget=3)
    response = api.buy(episode["id"], ["0001", "0000", "0001"])
    assert response.status_code == 200
    assert response.json() == {
        "observations": {"0001": TRUTH["0001"], "0000": TRUTH["0000"]},
        "charged": 1,
        "credits_remaining": 2,
    }
    assert "Idempotent-Replay" not in response


def test_beyond_the_budget_is_402_with_reason_and_balance_and_nothing_charged(api):
    episode = api.start(budget=1)
    response = api.buy(episode["id"], ["0001", "0010"])
    assert refusal(response) == (402, "budget_exceeded")
    assert response.json()["error"]["details"] == {
        "reason": "not_enough_credits",
        "credits_needed": 2,
        "credits_remaining": 1,
    }
    assert api.get(f"episodes/{episode['id']}/").json()["credits_remaining"] == 1


def test_illegal_masks_are_422_named_and_nothing_is_charged(api):
    episode = api.start()
    response = api.buy(episode["id"], ["0001", "00012", 1, None, "0a01"])
    assert refusal(response) == (422, "illegal_masks")
    assert response.json()["error"]["details"] == {"masks": ["00012", "1", "null", "0a01"]}
    assert api.get(f"episodes/{episode['id']}/").json()["credits_remaining"] == 8


@pytest.mark.parametrize("masks", [[], "0001", {"0001": 1}, None, 5, ["0001"] * 1025])
def test_masks_that_are_no_list_of_sensible_length_are_refused_by_name(api, masks):
    response = api.buy(api.start()["id"], masks)
    assert refusal(response) == (400, "invalid_request")
    assert "masks" in response.json()["error"]["details"]


def test_a_repeated_request_gets_the_same_body_marked_as_a_replay(api):
    episode = api.start()
    replies = [api.buy(episode["id"], ["0001"], Idempotency_Key="batch-1") for _ in range(5)]
    assert len({reply.content for reply in replies}) == 1
    assert [reply.get("Idempotent-Replay") for reply in replies] == [None] + ["true"] * 4
    assert api.get(f"episodes/{episode['id']}/").json()["credits_remaining"] == 7


def test_a_key_for_other_masks_is_409(api):
    episode = api.start()
    api.buy(episode["id"], ["0001"], Idempotency_Key="a")
    response = api.buy(episode["id"], ["0010"], Idempotency_Key="a")
    assert refusal(response) == (409, "idempotency_key_reused")


@pytest.mark.parametrize("key", ["", "k" * 201, "two words", "caf\xe9"])
def test_a_key_that_cannot_be_stored_is_refused_by_name(api, key):
    response = api.buy(api.start()["id"], ["0001"], Idempotency_Key=key)
    assert refusal(response) == (400, "invalid_request")
    assert "idempotency_key" in response.json()["error"]["details"]


# --- Submitting -----------------------------------------------------------------------------
def test_a_prediction_is_201_submitted_and_closes_the_episode(api):
    episode = api.start()
    response = api.submit(episode["id"], TABLE)
    assert (response.status_code, response.json()) == (201, {"state": "submitted"})
    assert api.get(f"episodes/{episode['id']}/").json()["state"] == "submitted"
    assert refusal(api.submit(episode["id"], TABLE)) == (409, "episode_closed")
    assert refusal(api.buy(episode["id"], ["0001"])) == (409, "episode_closed")


def test_a_faulty_table_is_422_with_every_mask_and_reason_and_stays_open(api):
    episode = api.start()
    pairs = [f'"{mask}": 0.5' for mask in all_masks(4)[6:]]
    faulty = (
        '"0000": true, "0001": "0.5", "0010": NaN, "0011": 1e400, "0100": 1.5, '
        '"0101": 0.1, "0101": 0.2, "01": 0.5'
    )
    body = f'{{"predictions": {{{faulty}, {", ".join(pairs[1:])}}}}}'.encode()
    response = api.post(f"episodes/{episode['id']}/prediction/", body)
    assert refusal(response) == (422, "invalid_predictions")
    assert response.json()["error"]["details"]["masks"] == {
        "0000": "not_a_number",
        "0001": "not_a_number",
        "0010": "not_finite",
        "0011": "not_finite",
        "0100": "out_of_range",
        "0101": "duplicate",
        "0110": "missing",
        "01": "illegal",
    }
    assert api.get(f"episodes/{episode['id']}/").json()["state"] == "open"


@pytest.mark.parametrize("predictions", [None, [0.5] * 16, "0.5", 1])
def test_predictions_that_are_no_object_are_refused_by_name(api, predictions):
    response = api.submit(api.start()["id"], predictions)
    assert refusal(response) == (400, "invalid_request")
    assert "predictions" in response.json()["error"]["details"]


# --- What must not get out (C47) ------------------------------------------------------------
def test_no_reply_or_refusal_holds_a_utility_that_was_not_measured(api):
    truth = [0.123400 + index / 1e6 for index in range(16)]
    canaries = dict(zip(all_masks(4), (repr(value) for value in truth), strict=True))
    make_task("sunspots", truth=truth)
    episode = api.start(task="sunspots", budget=2)
    url = f"episodes/{episode['id']}"
    responses = [
        api.get("tasks/"),
        api.get("tasks/sunspots/"),
        api.get("schema/"),
        api.buy(episode["id"], ["0001"]),
        api.buy(episode["id"], ["0010", "0011"]),
        api.buy(episode["id"], ["0010", "x"]),
        api.submit(episode["id"], {"0010": 2}),
        api.submit(episode["id"], TABLE),
        api.buy(episode["id"], ["0010"]),
        api.get(f"{url}/"),
        api.get("episodes/"),
        api.get(f"{url}/measurements/"),
    ]
    text = "".join(response.content.decode() for response in responses)
    leaked = [mask for mask, canary in canaries.items() if canary in text]
    assert leaked == ["0000", "0001", "1111"]
