"""manage.py import_release: a whole release beside ours, playable and ranked; or nothing."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from catalog.models import Disclosure, Family, Provenance, Release, Source, Task, Track
from catalog.releases import structure
from catalog.releases.folder import MAX_FILE_BYTES
from catalog.releases.reading import read_release
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
    reference_file,
    task_file,
    write_release,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    return write_release(tmp_path / "release")


def load(folder: Path, *options: str) -> str:
    out = StringIO()
    call_command("import_release", str(folder), *options, stdout=out)
    return out.getvalue()


def change(place: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change one JSON file in place."""
    content = json.loads(place.read_text())
    edit(content)
    place.write_text(json.dumps(content))


def rows() -> list[list[Any]]:
    """Return every row of the catalogue."""
    models: tuple[Any, ...] = (Family, Source, Release, Task, Outcome)
    return [list(model.objects.order_by("pk").values()) for model in models]


# --- A whole release ------------------------------------------------------------------------
def test_every_instance_becomes_a_sealed_task_with_all_its_outcomes(folder):
    said = load(folder)
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
    load(folder)
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
    load(folder)
    assert list(Task.objects.filter(release="wwbsite-1").order_by("pk").values()) == ours
    assert list(Source.objects.exclude(slug__startswith="wwb-").order_by("pk").values()) == sources
    assert Task.objects.get(slug="wine", is_current=True).release.slug == "wwbsite-1"


def test_a_second_import_changes_no_row(folder):
    load(folder)
    before = rows()
    load(folder)
    assert rows() == before


def test_the_same_folder_under_another_name_is_another_release(folder):
    load(folder)
    load(folder, "--release", "copy", "--title", "A copy")
    assert Task.objects.filter(slug="copy-wine", release__title="A copy").exists()
    assert Task.objects.count() == 2 * len(INSTANCES)


def test_other_content_under_a_published_name_is_refused_and_changes_nothing(folder, tmp_path):
    load(folder)
    before = rows()
    fewer = write_release(tmp_path / "fewer", INSTANCES[:2])
    with pytest.raises(CommandError, match=r"wwb is published with other content \(wwb-karate"):
        load(fewer)
    change(folder / task_file("co2"), lambda task: task.update(source_code="pass"))
    with pytest.raises(CommandError, match=r"wwb is published with other content \(wwb-co2\)"):
        load(folder)
    assert rows() == before


def test_another_outcome_under_a_published_version_is_refused_without_saying_a_value(folder):
    load(folder)
    before = rows()
    change(folder / reference_file("co2"), lambda ref: ref["truth"].update({"0101": 0.123456}))
    with pytest.raises(CommandError, match="wwb-co2: the outcome of mask 0101 changed") as refused:
        load(folder)
    assert "0.123456" not in str(refused.value)
    assert rows() == before


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
        load(folder, option, value)
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
    load(folder)
    assert Task.objects.count() == len(INSTANCES)


def test_an_episode_on_an_imported_task_is_played_and_ranked(folder):
    load(folder)
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
    load(folder)
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
    load(folder)
    task = Task.objects.get(slug="wwb-co2")
    assert [factor["name"] for factor in task.factors] == ["log", "label: scale", "lags", "alpha"]
    assert task.source_code == "# a.py\nx = 1\n\n# b.py\ny = 2"
    assert task.input_summary.startswith("weekly values. Utility: ")


# --- A broken one ---------------------------------------------------------------------------
def _in_task(edit: Callable[[dict[str, Any]], object], name: str = "co2") -> Any:
    return lambda folder: change(folder / task_file(name), edit)


def _in_reference(edit: Callable[[dict[str, Any]], object], name: str = "co2") -> Any:
    return lambda folder: change(folder / reference_file(name), edit)


def _in_manifest(edit: Callable[[dict[str, Any]], object]) -> Any:
    return lambda folder: change(folder / MANIFEST, edit)


def _replace(place: Path, old: str, new: str) -> Any:
    def corrupt(folder: Path) -> None:
        text = (folder / place).read_text()
        assert old in text
        (folder / place).write_text(text.replace(old, new, 1))

    return corrupt


def _write_bytes(place: Path, raw: bytes) -> Any:
    return lambda folder: (folder / place).write_bytes(raw)


def _link_out(place: Path) -> Any:
    def corrupt(folder: Path) -> None:
        outside = folder.parent / "outside.json"
        (folder / place).rename(outside)
        (folder / place).symlink_to(outside)

    return corrupt


def _link_out_the_folder_of_tasks(folder: Path) -> None:
    tasks = folder / "benchmark/public/tasks"
    tasks.rename(folder.parent / "tasks")
    tasks.symlink_to(folder.parent / "tasks")


def _link_to_itself(folder: Path) -> None:
    place = folder / task_file("co2")
    place.unlink()
    place.symlink_to(place)


def _make_huge(folder: Path) -> None:
    with (folder / reference_file("co2")).open("r+b") as file:
        file.truncate(MAX_FILE_BYTES + 1)


def _as_folder(folder: Path) -> None:
    (folder / task_file("co2")).unlink()
    (folder / task_file("co2")).mkdir()


CELL = '"0101": 0.'
CORRUPTIONS = {
    "a mask is missing": (
        _in_reference(lambda ref: ref["truth"].pop("0101")),
        "references/co2.json: truth lacks 1 of 16 masks: 0101",
    ),
    "a mask too many": (
        _in_reference(lambda ref: ref["truth"].update({"01011": 0.5})),
        "references/co2.json: truth has what is no mask of the task: 01011",
    ),
    "a measurement is missing": (
        _in_reference(lambda ref: ref["native_measurements"].pop("0101")),
        "references/co2.json: native_measurements lacks 1 of 16 masks: 0101",
    ),
    "NaN": (
        _replace(reference_file("co2"), CELL, '"0101": NaN, "x": 0.'),
        "references/co2.json: has the number NaN, which is not finite",
    ),
    "a number too large": (
        _replace(reference_file("co2"), CELL, '"0101": 1e999, "x": 0.'),
        "references/co2.json: has the number 1e999, which is not finite",
    ),
    "a utility above 1": (
        _in_reference(lambda ref: ref["truth"].update({"0101": 1.0000001})),
        "references/co2.json: truth of 0101 is outside [0, 1]",
    ),
    "a utility that is true": (
        _in_reference(lambda ref: ref["truth"].update({"0101": True})),
        "references/co2.json: truth of 0101 is no finite number",
    ),
    "a utility that is text": (
        _in_reference(lambda ref: ref["truth"].update({"0101": "0.5"})),
        "references/co2.json: truth of 0101 is no finite number",
    ),
    "a native value that is null": (
        _in_reference(lambda ref: ref["native_measurements"]["0101"].update(native_value=None)),
        "co2.json: native_measurements of 0101 has a native_value that is no finite number",
    ),
    "a native value without a float": (
        _in_reference(lambda r: r["native_measurements"]["0101"].update(native_value=10**400)),
        "co2.json: native_measurements of 0101 has a native_value that is no finite number",
    ),
    "a hash that is none": (
        _in_reference(lambda r: r["native_measurements"]["0101"].update(prediction_sha256="ab")),
        "co2.json: native_measurements of 0101 has no SHA-256 as prediction_sha256",
    ),
    "two native metrics": (
        _in_reference(lambda r: r["native_measurements"]["0101"].update(native_metric="RMSE")),
        "co2.json: native_measurements have several metrics: RMSE, ",
    ),
    "a repeated key": (
        _replace(reference_file("co2"), CELL, '"0101": 0.5, "0101": 0.'),
        "references/co2.json: has the key '0101' twice in one object",
    ),
    "an anchor that disagrees": (
        _in_task(lambda task: task["free_observations"].update({"1111": 0.25})),
        "co2.json: truth of anchor 1111 is not the free observation of the task file",
    ),
    "a free observation that is no anchor": (
        _in_task(lambda task: task["free_observations"].update({"0101": 0.25})),
        "tasks/co2.json: free_observations has what is no mask of the task: 0101",
    ),
    "a wrong count": (
        _in_manifest(lambda manifest: manifest["counts"].update(n_records=175)),
        f"manifest.json: n_records is 175, the files have {N_RECORDS}",
    ),
    "a wrong count of conditions": (
        _in_manifest(lambda manifest: manifest.update(conditions=36)),
        "manifest.json: conditions is 36, the files have 5",
    ),
    "a listed instance without files": (
        _in_manifest(lambda manifest: manifest["instances"].append("airfoil")),
        "manifest.json: instances has airfoil, which the folder lacks",
    ),
    "files of an instance that is not listed": (
        _in_manifest(lambda manifest: manifest["instances"].remove("wine")),
        "manifest.json: instances lacks wine, which the folder has",
    ),
    "an instance listed twice": (
        _in_manifest(lambda manifest: manifest["instances"].append("wine")),
        "manifest.json: instances has wine more than once",
    ),
    "an object of instances that lacks one": (
        _in_manifest(lambda manifest: manifest.update(tasks={"co2": {}, "airfoil": {}})),
        "manifest.json: tasks has airfoil, which the folder lacks",
    ),
    "a file that is not the listed one": (
        _in_manifest(lambda m: m.update(files={"public/tasks/co2.json": "0" * 64})),
        "manifest.json: SHA-256 of benchmark/public/tasks/co2.json is not the listed one",
    ),
    "a listed file that is not there": (
        _in_manifest(
            lambda m: m.update(files=[{"path": "public/tasks/airfoil.json", "sha256": "0" * 64}])
        ),
        "manifest.json: files has benchmark/public/tasks/airfoil.json, which the folder lacks",
    ),
    "no manifest": (
        lambda folder: (folder / MANIFEST).unlink(),
        "benchmark/manifest.json: is missing",
    ),
    "a task without reference": (
        lambda folder: (folder / reference_file("co2")).unlink(),
        "references/co2.json: is missing",
    ),
    "a reference without task": (
        lambda folder: (folder / task_file("co2")).unlink(),
        "tasks/co2.json: is missing",
    ),
    "no tasks at all": (
        lambda folder: (folder / "benchmark/public").rename(folder / "private"),
        "benchmark/public/tasks: is missing",
    ),
    "JSON cut short": (
        lambda folder: (folder / task_file("co2")).write_bytes(
            (folder / task_file("co2")).read_bytes()[:-20]
        ),
        "tasks/co2.json: is not JSON: ",
    ),
    "JSON that is a list": (_write_bytes(MANIFEST, b"[]"), "manifest.json: is no JSON object"),
    "bytes that are no UTF-8": (
        _write_bytes(task_file("co2"), b'{"instance": "\xff"}'),
        "tasks/co2.json: is not UTF-8 at byte 14",
    ),
    "a NUL in a text": (
        _in_task(lambda task: task.update(source_name="co\x002")),
        "tasks/co2.json: has a character that no text can have: 'co\\x002'",
    ),
    "half a surrogate pair": (
        _in_task(lambda task: task["factors"]["A"].update({"\ud800": 1})),
        "tasks/co2.json: has a character that no text can have: '\\ud800'",
    ),
    "JSON nested without end": (
        _write_bytes(task_file("co2"), b'{"a":' * 200_000),
        "tasks/co2.json: is nested too deeply",
    ),
    "a link out of the folder": (
        _link_out(reference_file("co2")),
        "references/co2.json: leads out of the folder",
    ),
    "a linked folder of tasks": (
        _link_out_the_folder_of_tasks,
        "benchmark/public/tasks: leads out of the folder",
    ),
    "a link to itself": (_link_to_itself, "tasks/co2.json: is "),
    "a huge file": (_make_huge, f"references/co2.json: has {MAX_FILE_BYTES + 1} bytes, more than"),
    "a folder in place of a file": (_as_folder, "tasks/co2.json: is no regular file"),
    "an unknown family": (
        _in_task(lambda task: task.update(family="astrology")),
        "tasks/co2.json: family 'astrology' is unknown",
    ),
    "families that disagree": (
        _in_reference(lambda ref: ref.update(family="regression")),
        "co2.json: family is 'regression', the task file says 'forecasting'",
    ),
    "another instance in the file": (
        _in_task(lambda task: task.update(instance="nile")),
        "tasks/co2.json: instance is 'nile', not the name of the file",
    ),
    "another order of factors": (
        _in_task(lambda task: task.update(factor_order=["B", "A", "C", "D"])),
        "tasks/co2.json: factor_order is neither A to D nor A to F",
    ),
    "orders that disagree": (
        _in_reference(lambda ref: ref.update(factor_order=["A", "B", "C"])),
        "co2.json: factor_order is ['A', 'B', 'C'], the task file says ['A', 'B', 'C', 'D']",
    ),
    "a factor that is not described": (
        _in_task(lambda task: task["factors"].pop("D")),
        "tasks/co2.json: factors are A, B, C, factor_order is A, B, C, D",
    ),
    "a task without code": (
        _in_task(lambda task: task.pop("source_code")),
        "tasks/co2.json: lacks source_code",
    ),
    "a reference without truth": (
        _in_reference(lambda ref: ref.pop("truth")),
        "references/co2.json: lacks truth",
    ),
    "a table hash that is none": (
        _in_reference(lambda ref: ref.update(source_table_file_sha256="unknown")),
        "references/co2.json: source_table_file_sha256 is no SHA-256",
    ),
    "a variant that leaves its four-factor table": (
        _in_reference(lambda ref: ref["truth"].update({"010100": 0.25}), "wine__d6"),
        "references/wine__d6.json: truth of 010100 is not that of wine 0101",
    ),
    "a name of other characters": (
        lambda folder: (folder / task_file("co2")).rename(folder / task_file("CO-2")),
        "references/CO-2.json: is missing",
    ),
}


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_broken_release_is_refused_with_its_fault_and_leaves_nothing_behind(folder, corruption):
    corrupt, fault = CORRUPTIONS[corruption]
    corrupt(folder)
    with pytest.raises(CommandError) as refused:
        load(folder)
    assert fault in str(refused.value)
    assert rows() == [[], [], [], [], []]


def test_all_faults_are_listed_at_once(folder):
    for corruption in ("a utility above 1", "a wrong count", "a linked folder of tasks"):
        CORRUPTIONS[corruption][0](folder)
    (folder / reference_file("wine")).write_text("")
    with pytest.raises(CommandError) as refused:
        load(folder)
    first, *faults = str(refused.value).splitlines()
    assert first.endswith(f"is refused, {len(faults)} faults:")
    assert len(faults) >= 2


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(CommandError, match=r"benchmark/manifest\.json: is missing"):
        load(tmp_path)


def test_a_release_with_a_fault_in_every_reference_names_each(folder):
    for name in INSTANCES:
        change(folder / reference_file(name), lambda ref: ref["truth"].clear())
    with pytest.raises(CommandError) as refused:
        load(folder)
    for name in INSTANCES:
        assert f"references/{name}.json: truth lacks " in str(refused.value)


# --- The structure of the published tables --------------------------------------------------
def test_the_published_conditions_are_counted_as_specified():
    # surface-episodes.md, "Structure of the catalogue"
    six = {name for name in structure.PUBLISHED_INSTANCES if name.endswith("__d6")}
    assert (len(structure.PUBLISHED_INSTANCES), len(six)) == (36, 6 + 8)
    sources = {name.removesuffix("__d6") for name in structure.PUBLISHED_INSTANCES}
    assert len(sources) == 30


def test_a_copy_of_all_published_conditions_must_have_their_reversals(folder, monkeypatch):
    monkeypatch.setattr(structure, "PUBLISHED_INSTANCES", frozenset(INSTANCES))
    with pytest.raises(CommandError, match="sign reversals at floors 0, 1, 5, 10 % are in"):
        load(folder)
    monkeypatch.setattr(
        structure, "PUBLISHED_REVERSALS", structure.structure_of(_read(folder)).n_reversing
    )
    load(folder)
    assert Task.objects.count() == len(INSTANCES)


def _read(folder: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structure, "PUBLISHED_INSTANCES", frozenset())
        return read_release(folder).instances


def test_masks_are_read_in_any_order(folder):
    def reverse(reference):
        reference["truth"] = dict(reversed(reference["truth"].items()))

    change(folder / reference_file("co2"), reverse)
    load(folder)
    task = Task.objects.get(slug="wwb-co2")
    expected = [read_table("co2").utility[mask] for mask in all_masks(4)]
    assert surface(task).tolist() == expected
