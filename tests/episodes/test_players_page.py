"""The progress page of the numerical players, and the command that fills it (case C56)."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from episodes import tasks
from episodes.models import PlayerJob
from episodes.queries.players import Tally
from tests.builders import NOW, make_task
from tests.players import make_job

URL = reverse("episodes:players")

pytestmark = pytest.mark.django_db


def page(client, query="", **headers):
    return client.get(URL + query, headers=headers).content.decode()


@pytest.mark.parametrize(
    ("states", "label"),
    [
        (["queued"], "queued"),
        (["running"], "running"),
        (["done"], "done"),
        (["lost"], "lost"),
        (["queued"] * 6, "queued"),
        (["running"] + ["queued"] * 5, "running"),
        (["done"] * 2 + ["queued"] * 4, "running (2/6)"),
        (["done"] * 2 + ["lost"] * 3 + ["running"], "running (2/6)"),
        (["done"] * 6, "done"),
        (["done"] * 4 + ["lost"] * 2, "partial (4/6)"),  # C56: never "finished"
        (["lost"] * 6, "lost"),
    ],
)
def test_a_group_of_jobs_is_called_done_only_if_all_are(states, label):
    assert Tally.of(states).label == label


def test_before_the_first_player_the_page_says_which_command_fills_it(client):
    assert "manage.py run_players --budget 8" in page(client)


def test_the_page_says_what_is_partial_and_why(client):
    task = make_task()
    for number, method in enumerate(["design_degree1", "design_degree2", "gp_grid_variance"]):
        job = make_job(task, method=method)
        PlayerJob.objects.filter(id=job.id).update(
            state="lost" if number else "done", finished_at=NOW, cause="limit:attempts"
        )
    shown = page(client)
    assert "Budget 8, full view: partial (1/3)" in shown
    assert "design_degree2 (seed 0) on nile: limit:attempts" in shown


def test_a_lost_job_that_runs_again_is_counted_by_its_last_run(client):
    task = make_task()
    lost = make_job(task)
    PlayerJob.objects.filter(id=lost.id).update(state="lost", finished_at=NOW)
    make_job(task, run=2)
    assert "0 of 1 jobs done, 0 running, 1 queued,\n      0 lost" in page(client)


def test_the_table_is_fetched_again_only_while_jobs_are_under_way(client):
    job = make_job(make_task())
    assert 'hx-get="/players/?panel=8-full"' in page(client)
    PlayerJob.objects.filter(id=job.id).update(state="done", finished_at=NOW)
    assert "hx-get" not in page(client)


def test_htmx_is_given_the_table_alone(client):
    make_job(make_task())
    shown = page(client, **{"HX-Request": "true"})
    assert shown.lstrip().startswith('<section id="progress"')
    assert "<html" not in shown


def test_the_newest_panel_is_shown_and_the_others_are_linked(client):
    task = make_task()
    make_job(task, budget=4)
    assert "Budget 4, full view" in page(client, "?panel=4-full")
    make_job(task, budget=8)
    assert 'href="?panel=4-full"' in page(client)


@pytest.mark.parametrize("panel", ["9-full", "8-opaque", "nonsense", ""])
def test_a_panel_that_nobody_asked_for_is_not_found(client, panel):
    make_job(make_task(), budget=8)
    assert client.get(URL, {"panel": panel}).status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_jobs(client, django_assert_num_queries):
    for slug in ("nile", "co2", "elnino"):
        task = make_task(slug)
        for method in ("design_degree1", "design_degree2"):
            make_job(task, method=method)
    client.get(URL)  # fills the caches of the shell
    with django_assert_num_queries(3):
        client.get(URL)


def test_the_page_only_reads(client):
    assert client.post(URL).status_code == 405


def run(capsys, *arguments):
    call_command("run_players", "--budget", "8", *arguments)
    return capsys.readouterr().out.splitlines()


def test_the_command_says_what_it_queued_and_where_to_look(capsys):
    make_task("nile")
    make_task("co2")
    assert run(capsys) == [
        "48 jobs queued, 0 queued again after a loss, 0 there already.",
        "Progress: /players/?panel=8-full",
    ]
    assert run(capsys, "--task", "nile", "--method", "design_degree1")[0] == (
        "0 jobs queued, 0 queued again after a loss, 1 there already."
    )


def test_the_command_names_the_host_where_it_is_known(capsys, settings):
    settings.SITE_URL = "http://127.0.0.1:8001"
    make_task("nile")
    assert run(capsys)[1] == "Progress: http://127.0.0.1:8001/players/?panel=8-full"


def test_the_command_takes_only_current_tasks(capsys):
    make_task("nile", version="1" * 64, is_current=False)
    make_task("nile", version="2" * 64)
    run(capsys)
    assert set(PlayerJob.objects.values_list("task__version", flat=True)) == {"2" * 64}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--task", "mars"], "There is no current task mars."),
        (["--budget", "15"], "A budget of 15 is more than can be bought: at most nile 14."),
        (["--budget", "-1"], "--budget must be at least 0 and --seeds from 1 to 1000."),
        (["--seeds", "0"], "--budget must be at least 0 and --seeds from 1 to 1000."),
        (["--seeds", "1001"], "--budget must be at least 0 and --seeds from 1 to 1000."),
    ],
)
def test_the_command_refuses_with_one_line(arguments, line):
    make_task("nile")
    with pytest.raises(CommandError) as refused:
        call_command("run_players", "--budget", "8", *arguments)
    assert str(refused.value) == line
    assert not PlayerJob.objects.exists()


def test_waiting_ends_with_the_last_job(capsys):
    make_task("nile")
    arguments = ("--method", "design_degree1")
    run(capsys, *arguments)
    tasks.play_job(job_id=str(PlayerJob.objects.get().id))
    assert run(capsys, *arguments, "--wait")[-1] == "1 done, 0 running, 0 queued, 0 lost"


def test_waiting_fails_if_a_job_was_lost(capsys):
    make_task("nile")
    arguments = ("--budget", "8", "--method", "design_degree1")
    job = make_job(make_task("co2"))
    PlayerJob.objects.filter(id=job.id).update(state="lost", finished_at=NOW)
    call_command("run_players", *arguments, "--task", "nile")
    tasks.play_job(job_id=str(PlayerJob.objects.get(state="queued").id))
    with pytest.raises(CommandError, match="1 jobs were lost"):
        call_command("run_players", *arguments, "--task", "nile", "--wait")


def test_waiting_for_nobody_is_refused_and_the_jobs_stay_queued(capsys):
    make_task("nile")
    with pytest.raises(CommandError, match="No worker answers"):
        run(capsys, "--method", "design_degree1", "--wait")
    assert PlayerJob.objects.get().state == "queued"
