"""A person plays in the browser, under the rules that bind an API agent."""

import re

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from catalog.models import Disclosure
from episodes.models import Agent, AgentKind, Episode, Measurement
from episodes.views.visitor import StartThrottle
from scoring.masks import all_masks
from scoring.surfaces import grade
from tests.builders import default_truth, make_task

pytestmark = pytest.mark.django_db


def begin(client: Client, *, slug: str = "nile", budget: int = 2, view: str = "full") -> Episode:
    client.post(reverse("episodes:start"), {"task": slug, "budget": budget, "view": view})
    return Episode.objects.latest("created_at")


def url(name: str, episode: Episode) -> str:
    return reverse(f"episodes:{name}", args=[episode.id])


def predictions(value: str = "0.5") -> dict[str, str]:
    return {f"prediction-{mask}": value for mask in all_masks(4)}


def test_starting_makes_one_person_of_the_browser(client: Client) -> None:
    make_task()
    first, second = begin(client), begin(client)
    assert first.agent == second.agent
    assert first.agent.kind == AgentKind.PERSON
    assert Agent.objects.count() == 1


def test_one_address_starts_so_many_episodes_and_is_told_when_to_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_task()
    monkeypatch.setattr(StartThrottle, "THROTTLE_RATES", {"starts": "2/hour"})
    cache.clear()
    for browser in (client, Client()):
        begin(browser)
    reply = Client().post(reverse("episodes:start"), {"task": "nile", "budget": 2, "view": "full"})
    cache.clear()
    assert reply.status_code == 429
    assert 1 <= int(reply["Retry-After"]) <= 3600
    assert "too many were started from your network" in reply.content.decode()
    assert (Episode.objects.count(), Agent.objects.count()) == (2, 2)


def ticked(client: Client, episode: Episode) -> set[str]:
    page = client.get(url("detail", episode)).content.decode()
    boxes: list[str] = re.findall(r"<input type=\"checkbox\"[^>]*>", page)
    return {re.findall('value="([01]+)"', box)[0] for box in boxes if "checked" in box}


def test_ticks_stay_after_a_batch_over_the_budget_and_go_once_they_are_bought(
    client: Client,
) -> None:
    make_task()
    episode = begin(client, budget=2)
    reply = client.post(url("measure", episode), {"mask": ["0001", "0010", "0100", "bad"]})
    assert reply["Location"] == f"{url('detail', episode)}#table"
    assert ticked(client, episode) == {"0001", "0010", "0100"}
    client.post(url("fill", episode), {"mask": ["0001", "0010"], "estimator": "ridge1"})
    assert ticked(client, episode) == {"0001", "0010"}
    client.post(url("measure", episode), {"mask": ["0001"]})
    assert ticked(client, episode) == set()
    episode.refresh_from_db()
    assert episode.spent_credits == 1


def test_a_closed_episode_leads_on(client: Client) -> None:
    make_task()
    episode = begin(client)
    client.post(url("predict", episode), predictions())
    page = client.get(url("detail", episode)).content.decode()
    ways_on = re.findall(r'<a class="button[ a-z]*"\s+href="([^"]+)"', page)
    assert ways_on == [
        reverse("catalog:task", args=["nile"]),
        reverse("catalog:list"),
        reverse("leaderboards:list"),
    ]


def test_what_is_kept_of_a_form_is_short_predictions_of_legal_masks(client: Client) -> None:
    make_task()
    episode = begin(client)
    client.post(
        url("measure", episode),
        {"prediction-0001": "9" * 1000, "prediction-anything": "0.5", "prediction-0010\0": "0.5"},
    )
    assert client.session[f"predictions of {episode.id}"] == {"0001": "9" * 39 + "…"}


@pytest.mark.parametrize("typed", ["0_1", f"0.{'5' * 40}e9", "0,5", "1e400", "nan"])
def test_what_reads_as_another_number_than_was_typed_is_refused_as_it_was_typed(
    client: Client, typed: str
) -> None:
    make_task()
    episode = begin(client)
    reply = client.post(url("predict", episode), predictions() | {"prediction-0100": typed})
    assert reply.status_code == 422
    page = reply.content.decode()
    assert "1 prediction cannot be graded" in page
    assert f'value="{typed[:39]}' in page
    episode.refresh_from_db()
    assert episode.state == "open"


@pytest.mark.parametrize("step", ["9" * 5000, "-1", "²", "\u0663", "1e0", " 1", "\0", "3"])
def test_a_step_that_the_replay_does_not_have_is_its_last(client: Client, step: str) -> None:
    make_task()
    episode = begin(client)
    client.post(url("measure", episode), {"mask": ["0001", "0010"]})
    client.post(url("predict", episode), predictions())
    reply = client.get(url("detail", episode), {"step": step}, headers={"HX-Request": "true"})
    assert reply.status_code == 200
    assert "After 2 purchases" in reply.content.decode()


@pytest.mark.parametrize("path", ["/episodes/", "/players/"])
def test_a_page_answers_a_head_request(client: Client, path: str) -> None:
    assert client.head(path).status_code == 200


def test_a_budget_beyond_the_task_is_refused_and_the_form_kept(client: Client) -> None:
    make_task()
    reply = client.post(reverse("episodes:start"), {"task": "nile", "budget": 15, "view": "opaque"})
    assert reply.status_code == 422
    page = reply.content.decode()
    assert "nile has 14 masks to buy at most" in page
    assert '<option value="opaque" selected>' in page
    assert not Episode.objects.exists()


def test_a_measured_mask_is_charged_once_however_often_it_is_ticked(client: Client) -> None:
    make_task()
    episode = begin(client)
    for _ in range(2):
        client.post(url("measure", episode), {"mask": ["0001"]})
    episode.refresh_from_db()
    assert episode.spent_credits == 1
    assert f"{default_truth()[1]:.6f}"[:6] in client.get(url("detail", episode)).content.decode()


def test_a_batch_beyond_the_budget_reveals_nothing_and_keeps_what_was_typed(client: Client) -> None:
    make_task()
    episode = begin(client)
    reply = client.post(
        url("measure", episode),
        {"mask": ["0001", "0010", "0100"], "prediction-1000": "0.25"},
        follow=True,
    )
    page = reply.content.decode()
    assert "needs 3 credits and 2 remain" in page
    assert 'name="prediction-1000"' in page
    assert re.search(r'name="prediction-1000"\s+value="0.25"', page)
    assert not Measurement.objects.exists()


def test_a_table_with_faults_is_refused_whole_and_every_fault_named(client: Client) -> None:
    make_task()
    episode = begin(client)
    typed = predictions() | {"prediction-0001": "much", "prediction-0010": "1.5"}
    del typed["prediction-0100"]
    reply = client.post(url("predict", episode), typed)
    page = reply.content.decode()
    assert reply.status_code == 422
    assert "3 predictions cannot be graded" in page
    assert page.count('aria-invalid="true"') == 3
    assert 'value="much"' in page
    episode.refresh_from_db()
    assert episode.state == "open"


def test_filling_changes_no_prediction_that_was_typed(client: Client) -> None:
    make_task(truth=[0.0] * 15 + [1.0])
    episode = begin(client)
    reply = client.post(
        url("fill", episode), {"estimator": "mean", "prediction-0001": "0.9"}, follow=True
    )
    page = reply.content.decode()
    assert re.search(r'name="prediction-0001"\s+value="0.9"', page)
    assert re.search(r'name="prediction-0010"\s+value="0.500000"', page)


def test_a_closed_episode_is_not_filled(client: Client) -> None:
    make_task()
    episode = begin(client)
    client.post(url("predict", episode), predictions())
    page = client.post(url("fill", episode), {"estimator": "mean"}, follow=True).content.decode()
    assert "This episode is submitted" in page
    assert "Filled the empty" not in page


def test_a_submitted_table_is_graded_with_measured_cells_as_measured(client: Client) -> None:
    truth = default_truth()
    make_task(disclosure=Disclosure.OPEN)
    episode = begin(client)
    client.post(url("measure", episode), {"mask": ["0001"]})
    reply = client.post(url("predict", episode), predictions(), follow=True)
    table = [0.5] * 16
    for index in (0, 1, 15):
        table[index] = truth[index]
    expected = grade(truth, table)
    page = reply.content.decode()
    assert f"effect recovery {expected.effect_recovery:.3f}" in page
    assert f"{expected.grid_mae:.6f}" in page
    assert "Prediction against truth" in page


def test_a_closed_episode_takes_no_purchase(client: Client) -> None:
    make_task()
    episode = begin(client)
    client.post(url("predict", episode), predictions())
    reply = client.post(url("measure", episode), {"mask": ["0001"]}, follow=True)
    assert "takes no more purchases" in reply.content.decode()
    assert not Measurement.objects.exists()


def test_a_stranger_sees_an_open_episode_as_missing(client: Client) -> None:
    make_task()
    episode = begin(client)
    stranger = Client()
    assert stranger.get(url("detail", episode)).status_code == 404
    assert stranger.post(url("measure", episode), {"mask": ["0001"]}).status_code == 404


def test_a_stranger_sees_no_paid_utility_of_a_sealed_task(client: Client) -> None:
    truth = default_truth()
    truth[1] = 0.7654321
    make_task(truth=truth)
    episode = begin(client)
    client.post(url("measure", episode), {"mask": ["0001"]})
    client.post(url("predict", episode), predictions("0.1234567"))
    own = client.get(url("detail", episode)).content.decode()
    assert "0.765432" in own
    page = Client().get(url("detail", episode)).content.decode()
    assert "0.765" not in page
    assert "0.123" not in page
    assert "After 1 purchase; what was measured is sealed" in " ".join(page.split())


def test_the_opaque_view_names_neither_task_nor_factor_nor_code(client: Client) -> None:
    task = make_task()
    episode = begin(client, view="opaque")
    page = client.get(url("detail", episode)).content.decode()
    for hidden in (task.question, "factor A", "def forecast", "forecasting"):
        assert hidden not in page


@pytest.mark.parametrize("view", ["full", "opaque"])
def test_an_episode_says_in_which_view_it_is_played_while_open_and_after(
    client: Client, view: str
) -> None:
    make_task()
    episode = begin(client, view=view, budget=0)
    said = re.compile(rf"<dt>View</dt>\s*<dd>\s*{view}\s*</dd>")
    assert said.search(client.get(url("detail", episode)).content.decode())
    client.post(url("predict", episode), predictions())
    assert said.search(client.get(url("detail", episode)).content.decode())


def test_the_replay_shows_the_surface_as_it_filled_in(client: Client) -> None:
    make_task(disclosure=Disclosure.OPEN)
    episode = begin(client)
    client.post(url("measure", episode), {"mask": ["0001", "0010"]})
    client.post(url("predict", episode), predictions())
    before = client.get(url("detail", episode), {"step": "0"}).content.decode()
    after = client.get(url("detail", episode), {"step": "2"}).content.decode()
    assert "2 of 16 configurations are known" in before
    assert "4 of 16 configurations are known" in after
    assert "After 2 purchases" in after
    assert (
        "After 2 purchases" in client.get(url("detail", episode), {"step": "99"}).content.decode()
    )


def test_the_list_shows_closed_episodes_without_a_query_per_row(
    client: Client, django_assert_max_num_queries
) -> None:
    make_task()
    for _ in range(12):
        client.post(url("predict", begin(client, budget=0)), predictions())
    with django_assert_max_num_queries(9):
        page = Client().get(reverse("episodes:list")).content.decode()
    assert "1–12 of 12 closed episodes" in page
