"""The files of cells and rankings: ranks follow from the choices."""

import hashlib
import json
import random
import subprocess
import sys

import pytest
from django.conf import settings

from catalog.tabular_files import FORMATS
from judgments import exports
from judgments.models import Choice
from scoring.ranks import code_ranks, code_triads
from tests.judgments.answers import answer_everything
from tests.judgments.exports.reading import export, played, records
from tests.judgments.studies import join_ready, make_study

pytestmark = pytest.mark.django_db(transaction=True)


def test_ranks_are_those_of_the_code_that_the_cell_keeps(study, tmp_path):
    played(study)
    export(study, tmp_path / "new")
    cells = records(tmp_path / "new", "cells")
    ranks = [row["mid_rank"] for row in records(tmp_path / "new", "rankings")]
    by_code = [float(rank) / 2 for cell in cells for rank in code_ranks()[cell["code"]]]
    assert ranks == by_code
    assert [cell["circular_triads"] for cell in cells] == [
        int(code_triads()[cell["code"]]) for cell in cells
    ]


def test_the_example_of_the_guide_prints_the_ranks(tmp_path):
    study = make_study(n_per_domain=3, allows_equal=True, allows_cannot_judge=True)
    choices = random.Random(4)
    answer_everything(
        [join_ready(study) for _ in range(2)],
        lambda _: choices.choices(list(Choice), weights=[8, 8, 3, 1])[0],
    )
    export(study, tmp_path / "new")
    guide = (settings.BASE_DIR / "docs/study-export.md").read_text(encoding="utf-8")
    example = guide.split("```python\n")[1].split("```")[0]
    command = [sys.executable, "-c", example, str(tmp_path / "new")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rankings = records(tmp_path / "new", "rankings")
    assert 0 < len(rankings) < 64
    assert printed.splitlines() == [
        f"{row['participant']} {row['action_id']} {row['mid_rank']}" for row in rankings
    ]


def test_a_rank_that_does_not_follow_from_the_choices_is_told_though_its_checksum_is_right(
    study, tmp_path
):
    played(study)
    export(study, tmp_path / "new", formats=[FORMATS["jsonl"]])
    ranks, manifest = tmp_path / "new" / "rankings.jsonl", tmp_path / "new" / "manifest.json"
    lines = ranks.read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    first["mid_rank"] = 5 - first["mid_rank"] + 0.25
    ranks.write_text("\n".join([json.dumps(first), *lines[1:], ""]), encoding="utf-8")
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    file = next(one for one in facts["files"] if one["table"] == "rankings")
    content = ranks.read_bytes()
    file |= {"n_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest.write_text(json.dumps(facts), encoding="utf-8")
    (fault,) = exports.verify(tmp_path / "new")
    assert fault.startswith("rankings: ")
