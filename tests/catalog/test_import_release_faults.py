"""manage.py import_release refuses a broken release whole, with the list of its faults."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from catalog.releases.folder import MAX_FILE_BYTES
from tests.catalog.public_release import (
    INSTANCES,
    MANIFEST,
    N_RECORDS,
    catalogue_rows,
    change,
    load_release,
    reference_file,
    task_file,
)

pytestmark = pytest.mark.django_db


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
        load_release(folder)
    assert fault in str(refused.value)
    assert catalogue_rows() == [[], [], [], [], []]


def test_all_faults_are_listed_at_once(folder):
    for corruption in ("a utility above 1", "a wrong count", "a linked folder of tasks"):
        CORRUPTIONS[corruption][0](folder)
    (folder / reference_file("wine")).write_text("")
    with pytest.raises(CommandError) as refused:
        load_release(folder)
    first, *faults = str(refused.value).splitlines()
    assert first.endswith(f"is refused, {len(faults)} faults:")
    assert len(faults) >= 2


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(CommandError, match=r"benchmark/manifest\.json: is missing"):
        load_release(tmp_path)


def test_a_release_with_a_fault_in_every_reference_names_each(folder):
    for name in INSTANCES:
        change(folder / reference_file(name), lambda ref: ref["truth"].clear())
    with pytest.raises(CommandError) as refused:
        load_release(folder)
    for name in INSTANCES:
        assert f"references/{name}.json: truth lacks " in str(refused.value)
