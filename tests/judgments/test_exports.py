"""The export of a study: read back by independent readers, and refused when it does not add up."""

import csv
import hashlib
import itertools
import json
import random
import shutil
import subprocess
import sys
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pyarrow import parquet

import scoring
from catalog.tabular_files import CSV_WITH_MARK, FORMATS
from judgments import exports
from judgments.actions import path
from judgments.actions.staff import exclude_participant, publish_protocol, undo_exclusion
from judgments.assignment import ItemKind
from judgments.exports import ExportMismatch, FolderNotEmpty
from judgments.exports.counts import Tally, count, require_match
from judgments.exports.tables import TABLES, names_of
from judgments.links import pseudonym
from judgments.models import (
    Audience,
    Choice,
    Item,
    Judgment,
    Participant,
    Revision,
    Study,
)
from judgments.queries.exports import snapshot
from judgments.queries.participants import protocol_of
from scoring.ranks import code_ranks, code_triads
from tests.builders import NOW
from tests.judgments.answers import answer_everything, coin
from tests.judgments.crowds import copy_person
from tests.judgments.studies import consent, get_ready, join, join_ready, make_study

pytestmark = pytest.mark.django_db(transaction=True)

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


@pytest.fixture
def ada(django_user_model):
    return django_user_model.objects.create_user("ada")


@pytest.fixture
def study():
    return make_study(n_per_domain=3)


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


def test_18_people_and_8_scenarios_are_864_judgments_and_216_checks(tmp_path):
    study = make_study()
    played(study, 18)
    manifest = export(study, tmp_path / "new", formats=[FORMATS["jsonl"]])
    kinds = Counter(row["item_kind"] for row in records(tmp_path / "new", "items"))
    assert kinds == {"judgment": 864, "instructed": 72, "dominated": 72, "repeat": 72}
    assert counts(manifest, "items") == (864 + 216, 864 + 216, {})
    assert manifest["counts"]["items"]["exported_by"] == [
        {"protocol_version": 1, "item_kind": kind, "rows": kinds[kind]} for kind in sorted(kinds)
    ]
    assert counts(manifest, "cells") == (144, 144, {})
    assert counts(manifest, "rankings") == (576, 576, {})
    assert counts(manifest, "participants") == (18, 18, {})
    assert exports.verify(tmp_path / "new") == []


def test_hostile_comments_are_the_same_in_every_format(study, tmp_path):
    played(study, comments=HOSTILE)
    export(study, tmp_path / "new")
    expected = [*HOSTILE, *[None] * (120 - len(HOSTILE))]
    assert [row["comment"] for row in records(tmp_path / "new", "items")] == expected
    read = parquet.read_table(tmp_path / "new" / "items.parquet")
    assert read.column("comment").to_pylist() == expected
    cells = [row["comment"] for row in csv_records(tmp_path / "new", "items")]
    assert [cell.removeprefix("'") or None for cell in cells] == expected
    risky = tuple("=+-@\t\r")
    assert not [cell for cell in cells if cell.startswith(risky)]
    assert exports.verify(tmp_path / "new") == []


def test_csv_text_and_numbers_are_those_of_json_lines(study, tmp_path):
    played(study, comments=HOSTILE)
    manifest = export(study, tmp_path / "new")
    for table in manifest["tables"]:
        lines, cells = (read(tmp_path / "new", table["name"]) for read in (records, csv_records))
        assert len(lines) == len(cells)
        for line, row in zip(lines, cells, strict=True):
            for column in table["columns"]:
                value, cell = line[column["name"]], row[column["name"]]
                if value is None:
                    assert cell == ""
                elif column["type"] == "str":
                    assert cell.removeprefix("'") == value
                else:
                    assert cell == json.dumps(value)


def test_a_byte_order_mark_is_an_option_and_parses_to_the_same(study, tmp_path):
    played(study, comments=HOSTILE)
    export(study, tmp_path / "plain", formats=[FORMATS["csv"]])
    export(study, tmp_path / "marked", formats=[CSV_WITH_MARK])
    plain, marked = ((tmp_path / name / "items.csv").read_bytes() for name in ("plain", "marked"))
    assert marked == b"\xef\xbb\xbf" + plain
    assert exports.verify(tmp_path / "marked") == []


def test_an_item_says_who_saw_what_where_chose_what_and_when(study, tmp_path):
    (person,) = played(study, 1)
    export(study, tmp_path / "new")
    rows = records(tmp_path / "new", "items")
    stored = list(person.items.select_related("left", "right", "judgment").order_by("position"))
    assert len(rows) == len(stored) == 60
    for row, item in zip(rows, stored, strict=True):
        assert row["participant"] == pseudonym("main", person.pk)
        assert row["left_id"] == f"{item.left.scenario_id}/{item.left.number}"
        assert row["right_id"] == f"{item.right.scenario_id}/{item.right.number}"
        chosen = item.left if item.judgment.choice == "left" else item.right
        assert row["side"] == row["choice"] == item.judgment.choice
        assert row["chosen_id"] == str(chosen)
        assert row["is_check"] == (item.kind != ItemKind.JUDGMENT)
        assert row["expected_id"] == (item.expected and str(item.expected))
        assert datetime.fromisoformat(row["answered_at"]) == item.judgment.answered_at
        assert row["answered_at"].endswith("+00:00")
        assert row["active_ms"] == 9_000 + item.position
        assert row["participant_kind"] == "person"
        assert row["protocol_version"] == 1


def test_ties_and_what_cannot_be_judged_have_codes_and_no_side(tmp_path):
    study = make_study(n_per_domain=3, allows_equal=True, allows_cannot_judge=True)
    person = join_ready(study)
    unusable = person.cells.get(place=1).pk

    def choose(item: Item) -> Choice:
        if item.cell_id == unusable:
            return Choice.CANNOT_JUDGE
        return Choice.EQUAL if {item.left.number, item.right.number} == {0, 1} else Choice.LEFT

    answer_everything([person], choose)
    manifest = export(study, tmp_path / "new")
    rows = records(tmp_path / "new", "items")
    odd = [row for row in rows if row["choice"] in ("equal", "cannot-judge")]
    assert {row["choice"] for row in odd} == {"equal", "cannot-judge"}
    assert {(row["side"], row["chosen_id"]) for row in odd} == {(None, None)}
    # One cell of eight has no ranks; a tie has ranks and no code.
    assert counts(manifest, "rankings") == (32, 28, {"unusable": 4})
    cells = records(tmp_path / "new", "cells")
    assert [cell["is_usable"] for cell in cells] == [False, *[True] * 7]
    assert {cell["code"] for cell in cells} == {None}
    assert exports.verify(tmp_path / "new") == []


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


def test_changes_of_answers_have_a_row_each_and_a_count(study, tmp_path):
    (person,) = played(study, 1)
    judgment = person.judgments.get(item__position=3)
    for before, after in (("left", "right"), ("right", "left")):
        Revision.objects.create(
            judgment=judgment, choice_before=before, choice_after=after, revised_at=NOW
        )
    manifest = export(study, tmp_path / "new")
    assert counts(manifest, "revisions") == (2, 2, {})
    rows = records(tmp_path / "new", "revisions")
    assert [(row["position"], row["choice_before"]) for row in rows] == [(3, "left"), (3, "right")]
    assert [row["n_revisions"] for row in records(tmp_path / "new", "items")][:4] == [0, 0, 2, 0]


def test_everything_left_out_is_counted_with_its_first_reason(study, ada, tmp_path):
    kept, excluded, gone = played(study, 3)
    exclude_participant(participant_id=excluded.pk, staff=ada, reason="asleep", now=NOW)
    path.leave_and_delete(participant_id=gone.pk, now=NOW)
    get_ready(join(study).participant)  # answers nothing
    join(study)  # has not consented
    consent(join(study).participant, is_given=False)
    preview = join_ready(study, is_preview=True)
    answer_everything([preview], coin(seed=2))
    manifest = export(study, tmp_path / "new")
    reasons = {"excluded": 60, "incomplete": 60, "no-consent": 120, "preview": 60, "withdrawn": 60}
    assert counts(manifest, "items") == (420, 60, reasons)
    people = {"excluded": 1, "no-consent": 2, "preview": 1, "withdrawn": 1}
    assert counts(manifest, "participants") == (7, 2, people)
    names = {row["participant"] for row in records(tmp_path / "new", "items")}
    assert names == {pseudonym("main", kept.pk)}
    assert exports.verify(tmp_path / "new") == []


def test_an_exclusion_empties_the_next_export_and_undoing_it_fills_it_again(study, ada, tmp_path):
    (person,) = played(study, 1)
    exclude_participant(participant_id=person.pk, staff=ada, reason="asleep", now=NOW)
    assert counts(export(study, tmp_path / "a"), "items") == (60, 0, {"excluded": 60})
    assert records(tmp_path / "a", "rankings") == []
    undo_exclusion(participant_id=person.pk, staff=ada, reason="awake", now=NOW)
    assert counts(export(study, tmp_path / "b"), "items") == (60, 60, {})


def test_nothing_of_somebody_who_left_is_in_a_later_export(study, tmp_path):
    stays, leaves = played(study)
    path.hand_over(participant_id=leaves.pk, now=NOW)
    path.hand_over(participant_id=stays.pk, now=NOW)
    name = pseudonym("main", leaves.pk)
    export(study, tmp_path / "before")
    path.leave_and_delete(participant_id=leaves.pk, now=NOW)
    manifest = export(study, tmp_path / "after", formats=[FORMATS["csv"], FORMATS["jsonl"]])
    contents = {
        folder: b"".join(file.read_bytes() for file in sorted((tmp_path / folder).iterdir()))
        for folder in ("before", "after")
    }
    assert name.encode() in contents["before"]
    assert name.encode() not in contents["after"]
    n_entries = study.audit_entries.filter(participant_id=leaves.pk).count()
    assert counts(manifest, "audit")[2] == {"withdrawn": n_entries}


def test_no_file_has_an_identity(study, ada, tmp_path):
    joined = join(study, pid="5F3a9c0012ab34cd56ef7890")
    person = get_ready(joined.participant)
    answer_everything([person], coin(seed=1))
    path.hand_over(participant_id=person.pk, now=NOW)
    blocked = study.blocked_pids.create(platform_pid="somebody77")
    reason = "somebody77 is 5f3a9c0012ab34cd56ef7890, wrote from ann@example.org twice"
    exclude_participant(participant_id=person.pk, staff=ada, reason=reason, now=NOW)
    undo_exclusion(participant_id=person.pk, staff=ada, reason="", now=NOW)
    export(study, tmp_path / "new", formats=[FORMATS["csv"], FORMATS["jsonl"]])
    person.refresh_from_db()
    secrets = {
        str(person.pk),
        person.pk.hex,
        person.token_sha256,
        joined.token,
        person.platform_pid,
        blocked.platform_pid,
        "ann@example.org",
        "ada",
    }
    content = "".join(
        file.read_text(encoding="utf-8")
        for file in (tmp_path / "new").iterdir()
        if file.name != "manifest.json"
    )
    assert [secret for secret in secrets if secret in content] == []
    deeds = {row["event"]: row for row in records(tmp_path / "new", "audit")}
    excluded = deeds["participant_excluded"]
    assert excluded["reason"] == ("[platform id] is [platform id], wrote from [address] twice")
    assert excluded["staff"] == "staff-1"
    assert excluded["participant"] == pseudonym("main", person.pk)


def test_what_staff_did_about_somebody_excluded_stays_without_a_name(study, ada, tmp_path):
    (person,) = played(study, 1)
    path.hand_over(participant_id=person.pk, now=NOW)
    exclude_participant(participant_id=person.pk, staff=ada, reason="asleep", now=NOW)
    manifest = export(study, tmp_path / "new")
    n_own = study.audit_entries.filter(participant_id=person.pk, staff__isnull=True).count()
    assert counts(manifest, "audit")[2] == {"excluded": n_own}
    deed = records(tmp_path / "new", "audit")[-1]
    assert (deed["event"], deed["reason"]) == ("participant_excluded", "asleep")
    assert deed["participant"] is None


def test_an_export_is_in_the_log_of_the_study_and_in_itself(study, tmp_path):
    played(study)
    call_command("export_study", "main", str(tmp_path / "new"), verbosity=0)
    assert records(tmp_path / "new", "audit")[-1]["event"] == "export_requested"


def test_two_protocol_versions_and_robots_are_told_apart_in_rows_and_counts(tmp_path):
    study = make_study(n_per_domain=3, audience=Audience.ROBOTS)
    first = join_ready(study)
    changed = replace(protocol_of(first), fast_answer_ms=900)
    publish_protocol(study=study, protocol=changed, staff=None, now=NOW)
    second = join_ready(study)
    answer_everything([first, second], coin(seed=1))
    manifest = export(study, tmp_path / "new")
    assert [version["number"] for version in manifest["protocol_versions"]] == [1, 2]
    assert manifest["counts"]["cells"]["exported_by"] == [
        {"protocol_version": 1, "rows": 8},
        {"protocol_version": 2, "rows": 8},
    ]
    rows = records(tmp_path / "new", "items")
    assert {(row["participant"], row["protocol_version"]) for row in rows} == {
        (pseudonym("main", first.pk), 1),
        (pseudonym("main", second.pk), 2),
    }
    assert (manifest["audience"], manifest["participant_kinds"]) == ("robots", {"robot": 2})
    assert {row["participant_kind"] for row in rows} == {"robot"}


def test_an_item_of_an_unknown_kind_is_a_loud_failure_and_leaves_nothing(study, tmp_path):
    (person,) = played(study, 1)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE judgments_item DISABLE TRIGGER guard_item")
        cursor.execute(
            "UPDATE judgments_item SET kind = 'mystery' WHERE participant_id = %s AND position = 1",
            [person.pk],
        )
        cursor.execute("ALTER TABLE judgments_item ENABLE TRIGGER guard_item")
    with pytest.raises(CommandError, match="items of the unknown kind 'mystery'"):
        call_command("export_study", "main", str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


def test_a_row_that_is_lost_on_the_way_is_a_loud_failure(study):
    played(study)
    names, tally = names_of(study), Tally()
    for table in TABLES:
        n_kept = 119 if table.name == "items" else None
        rows = itertools.islice(table.rows(study, names), n_kept)
        assert len(list(tally.counted(table, rows))) > 0 or table.name == "revisions"
    with pytest.raises(ExportMismatch, match=r"^items .* rows written, \d+ expected$"):
        require_match([count(table, study) for table in TABLES], tally)


def test_a_folder_with_files_is_refused_and_stays_as_it_is(study, tmp_path):
    played(study)
    (tmp_path / "old.csv").write_text("kept")
    with pytest.raises(FolderNotEmpty):
        export(study, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]


def test_a_study_that_nobody_joined_has_files_without_rows(study, tmp_path):
    manifest = export(study, tmp_path / "new")
    assert {file["table"]: file["n_rows"] for file in manifest["files"]} == {
        **dict.fromkeys(("items", "revisions", "cells", "rankings", "participants"), 0),
        "audit": 1,
    }
    assert csv_records(tmp_path / "new", "items") == []
    assert exports.verify(tmp_path / "new") == []


def test_the_number_of_queries_does_not_grow_with_the_people(study, tmp_path):
    def n_queries(folder: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            export(study, tmp_path / folder)
        return len(queries)

    played(study, 1)
    before = n_queries("few")
    played(study, 5)
    assert n_queries("many") == before


def test_all_files_are_of_one_moment(study, tmp_path):
    """Somebody leaves between two files: the second still has them."""
    played(study)
    leaver = Participant.objects.first()
    items, cells = TABLES[0], TABLES[2]
    with snapshot():
        names = names_of(study)
        n_items = len(list(items.rows(study, names)))
        with ThreadPoolExecutor(1) as pool:
            pool.submit(_leave, leaver.pk).result()
        assert Participant.objects.count() == 2
        assert n_items == 120
        assert len(list(cells.rows(study, names))) == 16
    assert Participant.objects.count() == 1


def _leave(participant_id: UUID) -> None:
    try:
        path.leave_and_delete(participant_id=participant_id, now=NOW)
    finally:
        connection.close()


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


def test_the_check_of_the_launch_gate_finds_nothing_in_a_study_that_was_played(study):
    played(study, comments=HOSTILE)
    assert exports.check(study, now=NOW) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "DIR"], "There is no study 'nowhere'"),
        (["main", "DIR", "--format", "csv,xlsx"], "unknown format 'xlsx'; the formats are csv,"),
    ],
    ids=["study", "format"],
)
def test_the_command_names_what_it_cannot_do(study, tmp_path, arguments, words):
    folder = [str(tmp_path / "new") if part == "DIR" else part for part in arguments]
    with pytest.raises(CommandError, match=words):
        call_command("export_study", *folder)
    assert not (tmp_path / "new").exists()


def test_three_times_the_answers_take_no_more_memory(study):
    """Of reading; the writers have such a test of their own (test_tabular_files)."""

    def peak(n_more: int) -> int:
        copy_person(person, n_more)
        tracemalloc.start()
        with snapshot():
            names = names_of(study)
            for table in TABLES:
                for _ in table.rows(study, names):
                    pass
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    (person,) = played(study, 1)
    peak(0)  # imports
    few = peak(99)  # 6,000 answers, three times what is read at once
    many = peak(200)
    assert Judgment.objects.count() == 18_000
    assert many < 1.3 * few
