"""Pages of boards: the same digits as CSV and API, and nothing that should stay hidden."""

import csv
import io
import json
import re
from html import unescape

import pytest
from django.test import Client

from catalog.models import Disclosure, Task
from episodes.models import Agent, AgentKind, Episode
from leaderboards import actions
from leaderboards.metrics import METRICS
from leaderboards.queries import featured_board
from tests.api_client import api_of
from tests.builders import NOW, make_agent, make_task
from tests.leaderboards.facts import close_episode, expire, lose, make_tasks

pytestmark = pytest.mark.django_db

SLUG = "d4-b0-full-2026-1"


def get(path: str, **query: str) -> str:
    response = Client().get(f"/leaderboards/{path}", query)
    assert response.status_code == 200
    page: str = bytes(response.content).decode()
    return page


def row_of(page: str, name: str) -> str:
    """Return the table row of an entry."""
    rows: list[str] = re.findall(r"<tr.*?</tr>", page, flags=re.DOTALL)
    return next(row for row in rows if f"<bdi>{name}</bdi>" in row)


@pytest.fixture
def board() -> None:
    nile, sunspots, coffee = make_tasks({"forecasting": ["nile", "sunspots"], "images": ["coffee"]})
    walker, player = make_agent("walker"), make_agent("ridge", kind=AgentKind.PLAYER)
    for number, task in enumerate((nile, sunspots, coffee)):
        close_episode(walker, task, 0.9 - number / 7)
        close_episode(player, task, number / 3)
    expire(walker, nile, minute=1)
    lose(make_agent("unlucky"), nile)
    close_episode(make_agent("visitor", kind=AgentKind.PERSON), nile, 1.0)
    actions.recompute_stale_boards()


def test_page_csv_and_api_show_the_same_digits(board):
    page = get(f"{SLUG}/")
    rows = {row["agent"]: row for row in csv.DictReader(io.StringIO(get(f"{SLUG}.csv")))}
    entries = json.loads(Client().get(f"/api/v1/boards/{SLUG}/").content, parse_float=str)
    assert [entry["agent"] for entry in entries["entries"]] == list(rows)
    for entry in entries["entries"]:
        row, shown = rows[entry["agent"]], row_of(page, entry["agent"])
        for metric in METRICS:
            digits = entry[metric.name] or ""
            assert row[metric.name] == digits
            if digits:
                rounded = f"{float(digits):.{metric.digits}f}"
                assert f'<data value="{digits}">{rounded}</data>' in shown
        for name in ("recovery_low", "recovery_high"):
            assert row[name] == (entry[name] or "")
        for name, digits in entry["family_scores"].items():
            assert row[f"recovery_score_{name}"] == digits


def test_the_page_states_the_board_and_how_it_was_computed(board):
    page = get(f"{SLUG}/")
    assert "<h1>Four factors, 0 credits, full view</h1>" in page
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "3 tasks on 3 sources in 2 families, release 2026.1" in text
    assert "2000 draws, seed 3" in text
    assert f"manage.py recompute_leaderboards --board {SLUG} --seed 3 --draws 2000" in text
    digest = json.loads(Client().get(f"/api/v1/boards/{SLUG}/").content)["input_digest"]
    assert digest in page


def test_directions_are_printed_with_an_arrow(board):
    page = get(f"{SLUG}/")
    for metric in METRICS:
        assert f"{metric.direction.arrow} {metric.direction}" in page


def test_those_not_separated_from_the_first_are_named():
    # Case C37: walker and runner win on one source each, sitter on none.
    tasks = make_tasks({"forecasting": ["nile", "sunspots"]})
    for name, recoveries in {
        "walker": (0.9, 0.4),
        "runner": (0.5, 0.7),
        "sitter": (0.1, 0.1),
    }.items():
        agent = make_agent(name)
        for task, recovery in zip(tasks, recoveries, strict=True):
            close_episode(agent, task, recovery)
    actions.recompute_stale_boards()
    text = " ".join(re.sub("<[^>]+>", "", get(f"{SLUG}/")).split())
    assert (
        "Not separated from the first, since rank 1 is in their 95 % range: walker, runner." in text
    )


def test_both_denominators_stand_in_the_row(board):
    row = row_of(get(f"{SLUG}/"), "walker")
    assert ">3/4<" in row
    assert ">3 of 3<" in row


def test_those_not_ranked_stand_below_with_the_reason(board):
    page = get(f"{SLUG}/")
    assert "not ranked: 1 episode lost by us, to be run again" in row_of(page, "unlucky")
    assert "not ranked: plays in a browser, anonymous" in row_of(page, "visitor")
    assert page.index("<bdi>ridge</bdi>") < page.index("<bdi>unlucky</bdi>")


def test_a_baseline_is_marked_and_no_search_hides_it(board):
    page = get(f"{SLUG}/", q="unlucky")
    assert "baseline</span>" in row_of(page, "ridge")
    assert "<bdi>unlucky</bdi>" in page
    assert "<bdi>walker</bdi>" not in page


@pytest.mark.parametrize("query", [{"q": "a\0b"}, {"order": "agent__name"}, {"q": "x" * 81}])
def test_an_address_that_asks_for_nothing_known_shows_the_whole_board(board, query):
    assert "<bdi>walker</bdi>" in get(f"{SLUG}/", **query)


def test_open_episodes_are_said_and_not_counted(board):
    Episode.objects.create(
        agent=Agent.objects.get(name="walker"),
        task=Task.objects.get(slug="nile"),
        budget_credits=0,
        created_at=NOW,
        deadline_at=NOW,
    )
    assert "1 open episode will count when closed" in get(f"{SLUG}/")


def test_the_board_says_how_many_of_its_surfaces_are_public():
    task = make_task("nile", disclosure=Disclosure.OPEN)
    agent = make_agent()
    close_episode(agent, make_task("coffee", truth=[0.0, 0.25, 0.5, 1.0]), 1.0)
    actions.recompute_stale_boards()
    assert task.release.tasks.count() == 2
    assert "Of 1 task the whole surface is public" in get(f"{SLUG}/")


def test_every_number_opens_its_episodes_rule_digest_and_command(board):
    walker = Agent.objects.get(name="walker")
    row = row_of(get(f"{SLUG}/"), "walker")
    page = unescape(get(f"{SLUG}/{walker.pk}/"))
    for metric in METRICS:
        assert f'href="/leaderboards/{SLUG}/{walker.pk}/#{metric.name}"' in row
        assert f'id="{metric.name}"' in page
        assert metric.formula in page
    assert page.count("/episodes/") - page.count('href="/episodes/"') == 4
    assert "limit:deadline" in page
    assert "manage.py recompute_leaderboards" in page


def test_an_episode_closed_after_the_computation_waits_for_the_next(board):
    walker = Agent.objects.get(name="walker")
    close_episode(walker, Task.objects.get(slug="nile"), 0.1, minute=60)
    assert "counts in the next computation" in get(f"{SLUG}/{walker.pk}/")


@pytest.mark.parametrize(
    "path", ["nowhere/", "nowhere.csv", f"{SLUG}/{'0' * 8}-0000-0000-0000-{'0' * 12}/"]
)
def test_what_is_not_there_is_404(board, path):
    assert Client().get(f"/leaderboards/{path}").status_code == 404


def test_without_a_board_the_pages_say_what_would_fill_them():
    assert "No board yet" in get("")
    assert featured_board() is None


def test_the_featured_board_is_the_fullest_of_the_newest_release(board):
    walker, nile = Agent.objects.get(name="walker"), Task.objects.get(slug="nile")
    close_episode(walker, nile, 1.0, budget=2)
    actions.recompute_stale_boards()
    featured = featured_board()
    assert featured is not None
    assert featured.board.slug == SLUG
    assert [entry.standing.rank for entry in featured.ranked] == [1, 2]


HOSTILE = [
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "\u202egnp.exe",
    "=cmd|' /C calc'!A0",
    "w" * 80,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_an_agents_name_is_inert_everywhere(name):  # C50
    (nile,) = make_tasks({"forecasting": ["nile"]})
    agent = make_agent(name)
    close_episode(agent, nile, 1.0)
    actions.recompute_stale_boards()
    for path in ("", f"{SLUG}/", f"{SLUG}/{agent.pk}/"):
        response = Client().get(f"/leaderboards/{path}")
        page = response.content.decode()
        assert "<script>alert" not in page
        assert "<svg onload" not in page
        # Its own direction ends with the element that holds it.
        assert name not in page or f"<bdi>{name}</bdi>" in page or f"{name} –" in page
        assert "unsafe-inline" not in response["Content-Security-Policy"]
    (row,) = csv.DictReader(io.StringIO(get(f"{SLUG}.csv")))
    assert not row["agent"].startswith(("=", "+", "-", "@"))


def test_no_page_shows_a_utility_of_a_sealed_task_or_the_mask_that_was_chosen():  # C47
    # Every utility and every prediction has digits of its own.
    truth = [round(0.1 + 0.05071 * index + 0.000013 * index**2, 6) for index in range(16)]
    predicted = {format(i, "04b"): round(0.9173 - 0.05137 * i, 6) for i in range(16)}
    make_task("nile", truth=truth)
    owner = api_of("owner")
    episode = owner.start(budget=2)
    owner.buy(episode["id"], ["0011", "0110"])
    owner.submit(episode["id"], predicted)
    actions.recompute_stale_boards()
    agent = Agent.objects.get(name="owner")
    score = owner.get(f"episodes/{episode['id']}/score/").json()
    slug = "d4-b2-full-2026-1"

    pages = [
        Client().get(path).content.decode()
        for path in (
            "/",
            "/leaderboards/",
            f"/leaderboards/{slug}/",
            f"/leaderboards/{slug}.csv",
            f"/leaderboards/{slug}/{agent.pk}/",
            "/api/v1/boards/",
            f"/api/v1/boards/{slug}/",
        )
    ]

    anchors = {truth[0], truth[15]}
    canaries = [str(value) for value in (*truth, *predicted.values()) if value not in anchors]
    for page in pages:
        assert not [canary for canary in canaries if canary in page]
        assert score["selected_mask"] not in page
    assert not [canary for canary in canaries if canary in json.dumps(score)]
