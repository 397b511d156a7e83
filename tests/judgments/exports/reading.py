"""A study that was played, its export, and readers of the files that share no code with it."""

import csv
import json
from pathlib import Path
from typing import Any

from catalog.tabular_files import FORMATS
from judgments import exports
from judgments.models import Participant, Study
from tests.builders import NOW
from tests.judgments.answers import answer_everything, coin
from tests.judgments.studies import join_ready

EVERY_FORMAT = tuple(FORMATS.values())
HOSTILE = (
    'a,"b"\nc;\t\N{GRINNING FACE} 比較 "unpaired',
    "=1+1",
    "+a",
    "-a",
    "@a",
    "\ttab",
    "\rreturn",
    "'already",
    "'=twice",
    "two\r\nlines",
    "a line separator \N{LINE SEPARATOR} of Unicode",
    "-0.3",
    "null",
)


def played(study: Study, n_people: int = 2, **arguments) -> list[Participant]:
    people = [join_ready(study) for _ in range(n_people)]
    answer_everything(people, coin(seed=1), **arguments)
    return people


def export(study: Study, folder: Path, formats=EVERY_FORMAT) -> dict[str, Any]:
    exports.write_export(study=study, folder=folder, formats=formats, now=NOW)
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def records(folder: Path, table: str) -> list[dict[str, Any]]:
    lines = (folder / f"{table}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def csv_records(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def counts(manifest: dict[str, Any], table: str) -> tuple[int, int, dict[str, int]]:
    found = manifest["counts"][table]
    return found["expected"], found["exported"], found["excluded"]
