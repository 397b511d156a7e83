"""manage.py import_release: a whole release beside ours, playable and ranked."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from catalog.models import Disclosure, Provenance, Release, Source, Task, Track
from catalog.truth import Outcome, surface
from catalog.workflows.conditions import find_condition
from catalog.workflows.tables import read_table
from leaderboards.models import Board
from scoring.masks import all_masks
from tests.api_client import api_of
from tests.catalog.public_release import (
    INSTANCES,
    MANIFEST,
    N_EFFECTS,
    N_INTERACTIONS,
    N_RECORDS,
    catalogue_rows,
    change,
    load_release,
    reference_file,
    task_file,
    write_release,
)

pytestmark = pytest.mark.django_db


def test_every_instance_becomes_a_sealed_task_with_all_its_outcomes(folder):
    said = load_release(folder)
    assert f"wwb: 5 tasks, {N_RECORDS} outcomes, {N_EFFECTS} conditional effects" in said
    assert f"{N_INTERACTIONS} pair interactions" in said
    tasks = Task.objects.in_bulk(field_name="pk").values()
    assert sorted(task.slug for task in tasks) == [f"wwb-{name}" for name in INSTANCES]
    for task in tasks:
        table = read_table(task.slug.removeprefix("wwb-"))
        assert surface(task).tolist() == list(table.utility.values())
        assert (task.disclosure, task.provenance) == (Disclosure.SEALED, Provenance.PUBLISHED)
        assert task.release.slug == "wwb"
        assert "import numpy as np" in task.source_code
        assert "def run(" in task.source_code
    hidden = Outcome.objects.get(task__slug="wwb-wine", mask="0110")
    wine = read_table("wine")
    assert hidden.native_value == wine.native_value["0110"]
    assert hidden.prediction_sha256 == wine.prediction_sha256["0110"]


def test_the_track_follows_from_what_else_the_release_has(folder):
    load_release(folder)
    tracks = dict(Task.objects.values_list("slug", "track"))
    assert tracks == {
        "wwb-co2": Track.FOUR_FACTOR,
        "wwb-digits": Track.FOUR_FACTOR,
        "wwb-wine": Track.FOUR_FACTOR,
        "wwb-wine__d6": Track.SIX_FACTOR_PAIRED,
        "wwb-karate__d6": Track.SIX_FACTOR_ADDED,
    }
    assert Task.objects.get(slug="wwb-wine").source == Task.objects.get(slug="wwb-wine__d6").source


def test_a_release_stands_beside_ours_and_changes_nothing_of_it(folder):
    call_command("load_catalog", stdout=StringIO())
    ours = list(Task.objects.order_by("pk").values())
    sources = list(Source.objects.order_by("pk").values())
    load_release(folder)
    assert list(Task.objects.filter(release="wwbsite-1").order_by("pk").values()) == ours
    assert list(Source.objects.exclude(slug__startswith="wwb-").order_by("pk").values()) == sources
    assert Task.objects.get(slug="wine", is_current=True).release.slug == "wwbsite-1"


def test_a_second_import_changes_no_row(folder):
    load_release(folder)
    before = catalogue_rows()
    load_release(folder)
    assert catalogue_rows() == before


def test_the_same_folder_under_another_name_is_another_release(folder):
    load_release(folder)
    load_release(folder, "--release", "copy", "--title", "A copy")
    assert Task.objects.filter(slug="copy-wine", release__title="A copy").exists()
    assert Task.objects.count() == 2 * len(INSTANCES)


def test_other_content_under_a_published_name_is_refused_and_changes_nothing(folder, tmp_path):
    load_release(folder)
    before = catalogue_rows()
    fewer = write_release(tmp_path / "fewer", INSTANCES[:2])
    with pytest.raises(CommandError, match=r"wwb is published with other content \(wwb-karate"):
        load_release(fewer)
    change(folder / task_file("co2"), lambda task: task.update(source_code="pass"))
    with pytest.raises(CommandError, match=r"wwb is published with other content \(wwb-co2\)"):
        load_release(folder)
    assert catalogue_rows() == before


def test_another_outcome_under_a_published_version_is_refused_without_saying_a_value(folder):
    load_release(folder)
    before = catalogue_rows()
    change(folder / reference_file("co2"), lambda ref: ref["truth"].update({"0101": 0.123456}))
    with pytest.raises(CommandError, match="wwb-co2: the outcome of mask 0101 changed") as refused:
        load_release(folder)
    assert "0.123456" not in str(refused.value)
    assert catalogue_rows() == before


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--release", "two words", "valid"),
        ("--release", "w" * 45, "longer than the 50 characters of a slug"),
        ("--title", "t" * 121, "at most 120 characters"),
    ],
)
def test_a_name_that_cannot_be_stored_is_refused(folder, option, value, words):
    with pytest.raises(CommandError, match=words):
        load_release(folder, option, value)
    assert not Release.objects.exists()


@pytest.mark.parametrize(
    "listed",
    [
        {"instances": [f"benchmark/public/tasks/{name}.json" for name in INSTANCES]},
        {"tasks": list(INSTANCES), "references": list(INSTANCES)},
        {"tasks": [{"instance": name, "factors": 4} for name in INSTANCES]},
        {"conditions": {name: {"family": "any"} for name in INSTANCES}},
        {"n_tasks": 5, "tasks": {"four factors": 3, "six factors": 2}},
        {"files": {"README.md": "0" * 64, "evaluator/other/x.json": {"sha256": "0" * 64}}},
        {"counts": {"sources": 4, "families": 4, "effects": N_EFFECTS}},
        {"anything": "else"},
    ],
)
def test_a_manifest_may_list_and_count_in_several_ways(folder, listed):
    (folder / MANIFEST).write_text(json.dumps(listed))
    load_release(folder)
    assert Task.objects.count() == len(INSTANCES)


def test_an_episode_on_an_imported_task_is_played_and_ranked(folder):
    load_release(folder)
    api = api_of()
    listed = api.get("tasks/?family=clustering").json()["results"]
    assert [task["slug"] for task in listed] == ["wwb-wine", "wwb-wine__d6"]
    truth = read_table("wine").utility
    episode = api.start(task="wwb-wine", budget=4)
    assert episode["observations"] == {mask: truth[mask] for mask in ("0000", "1111")}
    bought = api.buy(episode["id"], ["0110", "1001"]).json()
    assert bought["observations"] == {mask: truth[mask] for mask in ("0110", "1001")}
    assert api.submit(episode["id"], truth).status_code == 201
    assert api.get(f"episodes/{episode['id']}/score/").json()["effect_recovery"] == 1.0

    call_command("recompute_leaderboards", stdout=StringIO())
    board = Board.objects.get(release="wwb")
    assert (board.track, board.budget_credits) == (Track.FOUR_FACTOR, 4)
    assert Client().get(f"/leaderboards/{board.slug}/").status_code == 200
    standing = board.current.standings.get()
    # one of three sources, each alone in its family: 1 / 3
    assert standing.recovery_score == pytest.approx(1 / 3)


def test_the_page_of_an_imported_task_shows_its_words_and_no_hidden_outcome(folder):
    load_release(folder)
    page = Client().get("/catalog/wwb-co2/").content.decode()
    assert find_condition("co2").source.title in page
    assert "equals a published table" in page
    assert "SHA-256 of the data" not in page
    hidden = all_masks(4)[1:-1]
    assert not any(f"{read_table('co2').utility[mask]:.4f}" in page for mask in hidden)


def test_words_of_any_shape_are_shown(folder):
    def reshape(task):
        task["factors"] = ["log", {"label": "scale"}, "lags", "alpha"]
        task["source_code"] = {"a.py": "x = 1", "b.py": "y = 2"}
        task["shared_code"] = None
        task["data"] = "weekly values"

    change(folder / task_file("co2"), reshape)
    load_release(folder)
    task = Task.objects.get(slug="wwb-co2")
    assert [factor["name"] for factor in task.factors] == ["log", "label: scale", "lags", "alpha"]
    assert task.source_code == "# a.py\nx = 1\n\n# b.py\ny = 2"
    assert task.input_summary.startswith("weekly values. Utility: ")


def test_masks_are_read_in_any_order(folder):
    def reverse(reference):
        reference["truth"] = dict(reversed(reference["truth"].items()))

    change(folder / reference_file("co2"), reverse)
    load_release(folder)
    task = Task.objects.get(slug="wwb-co2")
    expected = [read_table("co2").utility[mask] for mask in all_masks(4)]
    assert surface(task).tolist() == expected
