"""The files of items and of their revisions: who saw what where, and chose what and when."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from catalog.tabular_files import FORMATS
from judgments import exports
from judgments.actions.staff import publish_protocol
from judgments.assignment import ItemKind
from judgments.links import pseudonym
from judgments.models import Audience, Choice, Item, Revision
from judgments.queries.participants import protocol_of
from tests.builders import NOW
from tests.judgments.answers import answer_everything, coin
from tests.judgments.exports.reading import counts, export, played, records
from tests.judgments.studies import join_ready, make_study

pytestmark = pytest.mark.django_db(transaction=True)


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
