"""Who plays what: every method on every task that it can play, once."""

import pytest

from episodes.actions.players import (
    DESCRIPTIONS,
    BudgetTooLarge,
    Enqueued,
    PlayerNameTaken,
    enqueue_players,
)
from episodes.models import Agent, AgentKind, PlayerJob, View
from scoring.controls import CODE_METHODS, METHODS
from tests.builders import NOW, default_truth, make_agent, make_family, make_source, make_task
from tests.races import at_once

PLAIN_METHODS = tuple(method for method in METHODS if method not in CODE_METHODS)


def enqueue(*tasks, budget=8, methods=METHODS, n_seeds=20, view=View.FULL):
    return enqueue_players(
        budget=budget, tasks=tasks, methods=methods, seeds=range(n_seeds), view=view, now=NOW
    )


def make_photo_task():
    source = make_source("astronaut", family=make_family("image_restoration"))
    return make_task("astronaut__d6", truth=default_truth(6), source=source)


def test_every_method_has_a_description():
    assert tuple(DESCRIPTIONS) == METHODS


@pytest.mark.django_db
def test_a_four_factor_task_gets_four_designs_and_twenty_random_orders():
    assert enqueue(make_task()) == Enqueued(n_new=24, n_again=0, n_present=0)
    assert set(PlayerJob.objects.values_list("method", flat=True)) == set(PLAIN_METHODS)
    seeds = PlayerJob.objects.filter(method="random_degree2").values_list("seed", flat=True)
    assert sorted(seeds) == list(range(20))


@pytest.mark.django_db
def test_methods_that_read_code_play_only_where_the_code_has_guards():
    # specs/numerical-controls.md: image restoration d6 has guards, forecasting has none.
    forecast = make_task("co2__d6", truth=default_truth(6))
    enqueue(make_photo_task(), forecast, methods=sorted(CODE_METHODS))
    assert set(PlayerJob.objects.values_list("task__slug", "method")) == {
        ("astronaut__d6", method) for method in CODE_METHODS
    }


@pytest.mark.django_db
def test_methods_that_read_code_do_not_play_the_view_without_code():
    enqueue(make_photo_task(), methods=sorted(CODE_METHODS), view=View.OPAQUE)
    assert not PlayerJob.objects.exists()


@pytest.mark.django_db
def test_asking_twice_adds_nothing():
    task = make_task()
    enqueue(task)
    assert enqueue(task) == Enqueued(n_new=0, n_again=0, n_present=24)


@pytest.mark.django_db
def test_budgets_views_and_more_seeds_are_jobs_of_their_own():
    task = make_task()
    enqueue(task, methods=["random_degree2"], n_seeds=2)
    assert enqueue(task, methods=["random_degree2"], n_seeds=5).n_new == 3
    assert enqueue(task, methods=["random_degree2"], n_seeds=2, budget=4).n_new == 2
    assert enqueue(task, methods=["random_degree2"], n_seeds=2, view=View.OPAQUE).n_new == 2


@pytest.mark.django_db
def test_a_lost_job_runs_again_and_nothing_else_does():
    task = make_task()
    enqueue(task)
    PlayerJob.objects.filter(method="design_degree1").update(state="lost", finished_at=NOW)
    assert enqueue(task) == Enqueued(n_new=0, n_again=1, n_present=23)
    runs = PlayerJob.objects.filter(method="design_degree1").order_by("run")
    assert list(runs.values_list("run", "state")) == [(1, "lost"), (2, "queued")]
    assert enqueue(task) == Enqueued(n_new=0, n_again=0, n_present=24)


@pytest.mark.django_db
def test_a_budget_beyond_the_masks_of_a_task_is_refused_whole():
    with pytest.raises(BudgetTooLarge, match="at most nile 14"):
        enqueue(make_task("nile"), make_task("co2__d6", truth=default_truth(6)), budget=15)
    assert not PlayerJob.objects.exists()


@pytest.mark.django_db
def test_every_method_is_an_agent_of_kind_player_that_says_what_it_does():
    enqueue(make_task(), methods=PLAIN_METHODS)
    enqueue(make_task("co2"), methods=PLAIN_METHODS)
    agents = dict(Agent.objects.values_list("name", "description"))
    assert agents == {method: DESCRIPTIONS[method] for method in PLAIN_METHODS}
    assert set(Agent.objects.values_list("kind", flat=True)) == {AgentKind.PLAYER}


@pytest.mark.django_db
def test_a_player_does_not_act_for_an_agent_that_has_its_name():
    make_agent("design_degree1", kind=AgentKind.API)
    with pytest.raises(PlayerNameTaken):
        enqueue(make_task())


@pytest.mark.django_db(transaction=True)
def test_two_that_ask_at_once_add_each_job_once():
    task = make_task()
    counts = at_once([lambda: enqueue(task)] * 2)
    assert sum(count.n_new for count in counts) == PlayerJob.objects.count() == 24


@pytest.mark.django_db
def test_messages_go_out_when_the_rows_are_committed(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks:
        enqueue(make_task(), methods=["design_degree1"])
    assert PlayerJob.objects.get().sent_at is None
    for send in callbacks:
        send()
    assert PlayerJob.objects.get().sent_at == NOW
