"""Computations: the same facts give the same rows, other facts make a board stale."""

import gc
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import scoring
from episodes.models import Agent, AgentKind, Episode
from leaderboards import actions, tasks
from leaderboards.metrics import METRICS
from leaderboards.models import Board, Computation, EpisodeScore, Standing
from leaderboards.queries import (
    NothingToPublish,
    grade_episode,
    stale_boards,
    unscored_episodes,
)
from leaderboards.standings import SentinelOutOfOrder
from tests.builders import make_agent, make_release
from tests.leaderboards.facts import close_episode, expire, lose, make_tasks

pytestmark = pytest.mark.django_db

SLUG = "d4-b0-full-2026-1"


@pytest.fixture
def facts() -> list[Agent]:
    """Return four agents with closed episodes on three tasks of two families."""
    tasks_ = make_tasks({"forecasting": ["nile", "sunspots"], "images": ["coffee"]})
    walker, runner = make_agent("walker"), make_agent("runner")
    player = make_agent("design_degree1", kind=AgentKind.PLAYER)
    absent = make_agent("absent")
    for number, task in enumerate(tasks_):
        close_episode(walker, task, 0.9 - number / 10)
        close_episode(runner, task, 0.2 + number / 3)
        close_episode(player, task, 1 / 3)
    expire(absent, tasks_[0])
    return [walker, runner, player, absent]


def current(**board: object) -> Computation:
    """Return what the only such board shows."""
    computation = Board.objects.get(**board).current
    assert computation is not None
    return computation


def snapshot() -> dict[str, bytes]:
    """Return everything that can be read of a board."""
    client = Client()
    walker = Agent.objects.get(name="walker")
    paths = [
        "/leaderboards/",
        f"/leaderboards/{SLUG}/",
        f"/leaderboards/{SLUG}.csv",
        f"/leaderboards/{SLUG}/{walker.pk}/",
        "/api/v1/boards/",
        f"/api/v1/boards/{SLUG}/",
    ]
    found = {}
    for path in paths:
        response = client.get(path)
        assert response.status_code == 200, path
        found[path] = response.content
    return found


def test_recomputing_the_same_facts_finds_the_same_row(facts):
    actions.recompute_stale_boards()
    board = Board.objects.get()
    first, rows = board.current, list(Standing.objects.values())

    again = actions.publish(board=board)

    assert again == first
    assert list(Standing.objects.values()) == rows


def test_every_byte_is_the_same_after_recomputing_and_after_deleting_every_row(facts):
    call_command("recompute_leaderboards", stdout=StringIO())
    before = snapshot()

    call_command("recompute_leaderboards", stdout=StringIO())
    assert snapshot() == before
    call_command("recompute_leaderboards", "--from-scratch", stdout=StringIO())
    assert snapshot() == before


def test_another_seed_is_another_computation_of_the_same_facts(facts):
    actions.recompute_stale_boards()
    board = Board.objects.get()

    other = actions.publish(board=board, seed=4)

    board.refresh_from_db()
    assert board.current == other
    assert Computation.objects.count() == 2
    assert len(set(Computation.objects.values_list("input_digest"))) == 1
    assert stale_boards() == []


def test_a_board_is_stale_until_its_new_facts_are_published(facts):
    actions.recompute_stale_boards()
    assert stale_boards() == []

    lose(make_agent("newcomer"), facts[0].episodes.first().task)

    assert [board.slug for board in stale_boards()] == [SLUG]
    actions.recompute_stale_boards()
    assert stale_boards() == []


def test_a_delivered_episode_makes_its_board_stale_before_it_is_scored(facts):
    actions.recompute_stale_boards()
    close_episode(make_agent("newcomer"), facts[0].episodes.first().task, 0.5)
    assert len(stale_boards()) == 1


def test_a_withdrawn_agent_makes_its_boards_stale(facts):
    actions.recompute_stale_boards()
    Agent.objects.filter(name="walker").update(is_active=False)

    actions.recompute_stale_boards()

    standing = current().standings.get(agent__name="walker")
    assert (standing.rank, standing.unranked_reason) == (None, "withdrawn")


def test_a_new_scoring_version_scores_again_and_keeps_the_old_scores(facts, monkeypatch):  # C45
    actions.recompute_stale_boards()
    old = current()
    n_scores = EpisodeScore.objects.count()
    monkeypatch.setattr(scoring, "VERSION", "9.9.9")
    assert len(stale_boards()) == 1

    actions.recompute_stale_boards()

    assert current().scoring_version == "9.9.9"
    assert EpisodeScore.objects.count() == 2 * n_scores
    assert Computation.objects.filter(pk=old.pk).exists()
    assert current().standings.count() == old.standings.count()


def test_each_budget_is_a_board_of_its_own(facts):
    episode = close_episode(facts[0], facts[0].episodes.first().task, 0.5, budget=2)
    actions.recompute_stale_boards()
    assert {board.budget_credits for board in Board.objects.all()} == {0, 2}
    assert current(budget_credits=2).n_episodes == 1
    assert episode.view == "full"


def test_entries_without_a_score_come_last_and_take_no_rank(facts):  # C39
    actions.recompute_stale_boards()
    places = current().standings.values_list("agent__name", "rank")
    assert list(places) == [("walker", 1), ("runner", 2), ("design_degree1", 3), ("absent", None)]


def test_who_was_not_ranked_is_ranked_with_the_next_valid_entry(facts):  # C39
    walker, *_, absent = facts
    Agent.objects.filter(pk=walker.pk).update(is_active=False)
    actions.recompute_stale_boards()
    unranked = current().standings.filter(rank=None).values_list("agent__name", flat=True)
    assert set(unranked) == {"walker", "absent"}

    Agent.objects.filter(pk=walker.pk).update(is_active=True)
    close_episode(absent, walker.episodes.first().task, 1.0, minute=9)
    actions.recompute_stale_boards()

    assert not current().standings.filter(rank=None).exists()


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_undefined_is_last_in_either_order(facts, client, metric):  # C39
    actions.recompute_stale_boards()
    for order in (metric.name, f"-{metric.name}"):
        page = client.get(f"/leaderboards/{SLUG}/", {"order": order}).content.decode()
        assert page.index(">absent<") > page.index(">design_degree1<")


def test_a_board_upside_down_is_not_published(facts, monkeypatch):  # C44
    actions.recompute_stale_boards()
    before = current()

    def refuse(entries: object) -> None:
        raise SentinelOutOfOrder("Regret (higher is better): the oracle is not first")

    monkeypatch.setattr("leaderboards.standings.check_sentinels", refuse)
    close_episode(facts[0], facts[0].episodes.first().task, 0.1, minute=9)
    with pytest.raises(CommandError, match="oracle is not first"):
        call_command("recompute_leaderboards", stdout=StringIO())
    assert current() == before


def test_a_board_without_a_closed_episode_is_not_published():
    board = Board.objects.create(
        slug="empty", release=make_release(), track="d4", budget_credits=8, view="full"
    )
    with pytest.raises(NothingToPublish, match="empty"):
        actions.publish(board=board)
    assert stale_boards() == []


def test_the_number_of_queries_does_not_grow_with_the_entries():
    (nile,) = make_tasks({"forecasting": ["nile"]})
    counts = []
    for n_entries in (3, 30):
        for number in range(Agent.objects.count(), n_entries):
            close_episode(make_agent(f"agent {number}"), nile, 0.5)
        actions.score_episodes()
        actions.open_boards()
        with CaptureQueriesContext(connection) as publishing:
            actions.recompute_stale_boards()
        with CaptureQueriesContext(connection) as reading:
            snapshot_of_pages()
        counts.append((len(publishing), len(reading)))
    assert counts[0] == counts[1]


def test_no_more_episodes_are_held_at_a_time_than_asked_for_however_many_trials_a_task_has():
    nile, coffee = make_tasks({"forecasting": ["nile"], "images": ["coffee"]})
    walker = make_agent("walker")
    n_queries = {}
    for n_trials in (5, 8, 11):
        for _ in range(n_trials):
            close_episode(walker, nile, 0.5)
        close_episode(walker, coffee, 0.25)
        with CaptureQueriesContext(connection) as grading:
            lengths = [len(graded) for graded in unscored_episodes(n_at_once=3)]
        assert lengths == [3] * (n_trials // 3) + [n_trials % 3, 1]
        n_queries[n_trials] = len(grading)
        assert actions.score_episodes(n_at_once=3) == n_trials + 1
    assert n_queries[8] - n_queries[5] == n_queries[11] - n_queries[8] == 2  # of one list more
    assert EpisodeScore.objects.count() == Episode.objects.count() == 27
    scores = EpisodeScore.objects.select_related("episode__task", "episode__prediction")
    assert all(one.effect_recovery == grade_episode(one.episode).effect_recovery for one in scores)

    EpisodeScore.objects.all().delete()
    del scores
    for graded in unscored_episodes(n_at_once=3):
        graded.clear()
        gc.collect()  # an episode and its table name each other
        assert sum(type(one) is Episode for one in gc.get_objects()) <= 3


def snapshot_of_pages() -> None:
    client = Client()
    for path in ("", f"{SLUG}/", f"{SLUG}.csv"):
        assert client.get(f"/leaderboards/{path}").status_code == 200
    assert len(json.loads(client.get(f"/api/v1/boards/{SLUG}/").content)["entries"]) >= 3


def test_the_command_prints_one_line_a_board_with_its_digest(facts):
    out = StringIO()
    call_command("recompute_leaderboards", "--seed", "5", "--draws", "50", stdout=out)
    digest = current().input_digest
    assert (
        out.getvalue() == f"{SLUG} {digest} scoring={scoring.VERSION} seed=5 draws=50 episodes=10\n"
    )


def test_the_command_names_an_unknown_board():
    with pytest.raises(CommandError, match="no board nowhere"):
        call_command("recompute_leaderboards", "--board", "nowhere")


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (["--board", ""], "no board"),
        (["--from-scratch", "--board", SLUG], "leave out --board"),
        (["--seed", "-1"], "--seed must be from 0 to"),
        (["--seed", "2147483648"], "--seed must be from 0 to"),
        (["--draws", "0"], "--draws from 1 to"),
        (["--draws", "100001"], "--draws from 1 to"),
    ],
)
def test_a_refused_recomputation_leaves_the_boards_alone(facts, options, refusal):
    actions.recompute_stale_boards()
    before = current()
    with pytest.raises(CommandError, match=refusal):
        call_command("recompute_leaderboards", *options)
    assert current() == before


@pytest.mark.django_db(transaction=True)
def test_while_somebody_rebuilds_the_clock_leaves_and_the_command_waits(facts):
    def work(action: Callable[[], None]) -> None:
        try:
            action()
        finally:
            connection.close()

    def rebuild() -> None:
        call_command("recompute_leaderboards", "--from-scratch", stdout=StringIO())

    with ThreadPoolExecutor(1) as pool:
        with actions.recomputation(waits=True):
            pool.submit(work, tasks.recompute_stale_boards).result()
            assert not Board.objects.exists()
            waiting = pool.submit(work, rebuild)
            while not n_waiting_for_a_lock():
                assert not waiting.done()
        waiting.result()
        assert current().n_episodes == 10
        Board.objects.update(current=None)
        pool.submit(work, tasks.recompute_stale_boards).result()
    assert current().n_episodes == 10


def n_waiting_for_a_lock() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        found: int = cursor.fetchone()[0]
    return found


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_publish_one_computation(facts):
    def work() -> None:
        try:
            tasks.recompute_stale_boards()
        finally:
            connection.close()

    workers = [Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert Computation.objects.count() == 1
    assert Standing.objects.count() == 4
    assert EpisodeScore.objects.count() == 9
