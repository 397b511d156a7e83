"""The folder of an export: whole and of one moment, or not there."""

import itertools
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments import exports
from judgments.actions import path
from judgments.exports import ExportMismatch, FolderNotEmpty
from judgments.exports.counts import Tally, count, require_match
from judgments.exports.tables import TABLES, names_of
from judgments.models import Judgment, Participant
from judgments.queries.exports import snapshot
from tests.builders import NOW
from tests.judgments.crowds import copy_person
from tests.judgments.exports.reading import csv_records, export, played

pytestmark = pytest.mark.django_db(transaction=True)


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
