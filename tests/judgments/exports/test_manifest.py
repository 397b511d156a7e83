"""The manifest: columns, counts and checksums, and whether the files are still theirs."""

import hashlib
import json
import shutil
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command

import scoring
from judgments import exports
from judgments.models import Choice, Judgment
from tests.builders import NOW
from tests.judgments.exports.reading import HOSTILE, export, played

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_manifest_has_checksums_and_describes_every_column(study, tmp_path):
    played(study)
    manifest = export(study, tmp_path / "new")
    for file in manifest["files"]:
        content = (tmp_path / "new" / file["name"]).read_bytes()
        assert (file["n_bytes"], file["sha256"]) == (
            len(content),
            hashlib.sha256(content).hexdigest(),
        )
    described = {
        (table["name"], column["name"]): column
        for table in manifest["tables"]
        for column in table["columns"]
    }
    assert [name for name, column in described.items() if not column["meaning"]] == []
    # From the models: words of the field, and every code.
    active = described["items", "active_ms"]
    field = Judgment._meta.get_field("active_ms")
    assert (active["meaning"], active["source"]) == (field.help_text, "Judgment.active_ms")
    assert described["items", "choice"]["codes"] == Choice.values
    assert datetime.fromisoformat(manifest["made_at"]) == NOW
    assert (manifest["audience"], manifest["participant_kinds"]) == ("people", {"person": 2})
    assert manifest["scoring_version"] == scoring.VERSION


def test_a_folder_that_was_changed_is_told(study, tmp_path):
    played(study)
    export(study, tmp_path / "new")
    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text(encoding="utf-8"))
    manifest["counts"]["items"]["expected"] += 1
    content = (tmp_path / "new" / "cells.csv").read_bytes()
    harms = {
        "cells.csv: another SHA-256": ("cells.csv", content.replace(b"true", b"TRUE", 1)),
        "cells.csv: .* bytes, not": ("cells.csv", content[:-9]),
        "cells.csv: missing": ("cells.csv", None),
        "more.csv: not in manifest.json": ("more.csv", b"a"),
        "items: 121 rows expected, 120 accounted for": (
            "manifest.json",
            json.dumps(manifest).encode(),
        ),
        "manifest.json cannot be read": ("manifest.json", None),
        "manifest.json is not that of a study's export": (
            "manifest.json",
            json.dumps({"tables": [], "files": []}).encode(),
        ),
    }
    for number, (fault, (name, changed)) in enumerate(harms.items()):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "new", folder)
        (folder / name).unlink(missing_ok=True)
        if changed is not None:
            (folder / name).write_bytes(changed)
        with pytest.raises(CommandError, match=fault):
            call_command("verify_export", str(folder))


def test_the_check_of_the_launch_gate_finds_nothing_in_a_study_that_was_played(study):
    played(study, comments=HOSTILE)
    assert exports.check(study, now=NOW) == []
