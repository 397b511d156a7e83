"""manage.py import_source: a raw file, checked, prepared, computed here and published."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from catalog.models import Disclosure, Provenance, Release, Task, Track
from catalog.truth import Outcome, surface
from catalog.workflows import imported
from catalog.workflows.imported import raw_files
from catalog.workflows.raw_readers import uci_table
from catalog.workflows.sources import SOURCES
from catalog.workflows.sources.importable import IMPORTABLE
from tests.api_client import api_of
from tests.shared import SHARED, needs_shared

MITDB = SHARED / "data" / "fetched" / "mitdb"
RECORD_100 = [MITDB / f"100.{suffix}" for suffix in ("hea", "dat", "atr")]
REFERENCE = SHARED / "data" / "wwb" / "references" / "mitdb_100__d6.json"


def load(*arguments: object) -> str:
    out = StringIO()
    call_command("import_source", *map(str, arguments), stdout=out)
    return out.getvalue()


def refused(*arguments: object) -> str:
    """Return the one line of a refusal that leaves nothing behind."""
    with pytest.raises(CommandError) as error:
        load(*arguments)
    assert "\n" not in str(error.value)
    assert not Release.objects.exists()
    assert not Task.objects.exists()
    return str(error.value)


def state(*files: Path) -> list[str]:
    """Return options that state the hashes which the files have."""
    hashes = [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]
    return [part for name, sha256 in hashes for part in ("--sha256", f"{name}={sha256}")]


@pytest.fixture
def expect(monkeypatch):
    """Let a test say which bytes a file of the manifest should have."""

    def expected(file: str, raw: bytes) -> None:
        line = raw_files()[file]
        known = imported.RawFile(**{**vars(line), "sha256": hashlib.sha256(raw).hexdigest()})
        monkeypatch.setitem(raw_files(), file, known)

    return expected


def rows(n_features: int, *, n: int = 60) -> list[list[float]]:
    """Return numbers whose last column is a class that follows from the first."""
    features = np.random.default_rng(7).normal(size=(n, n_features)).round(3)
    return [[*map(float, row), float(row[0] > 0)] for row in features]


def text(table: list[list[float]], separator: str = ",") -> bytes:
    return "".join(f"{separator.join(map(str, row))}\n" for row in table).encode()


# --- What is known of the files -------------------------------------------------------------
def test_the_known_hashes_are_those_of_the_specification():
    # workflows.md, "Raw-file SHA-256 of the published manifests", first eight characters
    known = {
        "banknote": "0787e502",
        "airfoil": "0beffa51",
        "energy_efficiency": "db44dbe4",
        "seeds": "5033bd71",
        "yacht": "aa52b68f",
        "dry_bean": "c91a086b",
    }
    for name, start in known.items():
        (file,) = IMPORTABLE[name].files
        assert str(raw_files()[file].sha256).startswith(start)


def test_what_can_be_imported_is_what_the_catalogue_lacks():
    # workflows.md, "Sources of our catalogue": "The remaining published sources"
    remaining = {
        *("banknote", "airfoil", "energy_efficiency", "yacht", "seeds", "dry_bean"),
        *("scifact", "arguana", "mitdb_100", "mitdb_101", "mitdb_102", "mitdb_103"),
        *("graph_adjnoun", "graph_dolphins", "graph_football"),
    }
    assert set(IMPORTABLE) == remaining
    assert not set(IMPORTABLE) & set(SOURCES)
    used = {file for source in IMPORTABLE.values() for file in source.files}
    assert used == set(raw_files())


@needs_shared
def test_the_hashes_of_record_100_are_those_of_the_files_that_were_tried():
    for suffix in ("dat", "atr"):
        raw = (MITDB / f"100.{suffix}").read_bytes()
        assert raw_files()[f"100.{suffix}"].sha256 == hashlib.sha256(raw).hexdigest()


# --- Import ---------------------------------------------------------------------------------
@pytest.mark.django_db
@needs_shared
def test_record_100_gives_the_published_utilities_and_becomes_a_task():
    said = load("mitdb_100", *RECORD_100, "--against", REFERENCE)
    published = json.loads(REFERENCE.read_text())["truth"]
    task = Task.objects.get(slug="mitdb_100__d6", is_current=True)
    found = dict(Outcome.objects.filter(task=task).values_list("mask", "utility"))
    # Equal peaks of a quantised signal: NumPy sorts them differently with AVX-512 and without.
    different = {mask for mask in published if abs(found[mask] - published[mask]) > 1e-9}
    assert different <= {"001010"}
    assert f"{64 - len(different)} of 64 utilities equal those of " in said
    assert "mitdb_100__d6 111111 64 of 64" in said
    assert (task.track, task.disclosure) == (Track.SIX_FACTOR_ADDED, Disclosure.SEALED)
    assert (task.provenance, task.release.slug) == (Provenance.OURS, "imported")
    # workflows.md, "WFDB record": 369 beats in [360, 107,640)
    assert "108,000 samples, 369 beats" in task.input_summary
    assert task.source.sha256 == raw_files()["100.dat"].sha256

    before = list(Task.objects.values())
    load("mitdb_100", *RECORD_100)
    assert list(Task.objects.values()) == before
    assert Outcome.objects.count() == 64


@pytest.mark.django_db
def test_an_imported_table_is_played_like_any_other(tmp_path, expect):
    raw = text(rows(4))
    (tmp_path / "downloaded.txt").write_bytes(raw)
    expect("data_banknote_authentication.txt", raw)
    said = load("banknote", tmp_path / "downloaded.txt")
    assert "imported: banknote, 16 outcomes" in said
    task = Task.objects.get(slug="banknote")
    assert task.source.sha256 == hashlib.sha256(raw).hexdigest()
    assert "60 raw, 60 used, 42 train, 18 evaluation, 4 features" in task.input_summary
    assert "def split_by_group(" in task.source_code
    episode = api_of().start(task="banknote", budget=4)
    assert episode["observations"] == {"0000": surface(task)[0], "1111": surface(task)[15]}
    assert "computed here" in Client().get("/catalog/banknote/").content.decode()


@pytest.mark.django_db
def test_other_bytes_make_another_version_and_the_old_one_stays_readable(tmp_path, expect):
    file = tmp_path / "data_banknote_authentication.txt"
    for n in (60, 80):
        raw = text(rows(4, n=n))
        file.write_bytes(raw)
        expect(file.name, raw)
        load("banknote", file)
    old, new = Task.objects.filter(slug="banknote").order_by("published_at")
    assert (old.is_current, new.is_current) == (False, True)
    page = Client().get(f"/catalog/banknote/{old.version}/")
    assert "an older version" in page.content.decode()
    assert len(surface(old)) == 16


@pytest.mark.django_db
def test_a_graph_whose_hash_nobody_published_is_taken_with_a_stated_one(tmp_path):
    file = tmp_path / "dolphins.gml"
    nodes = "".join(f"node [ id {n} ]\n" for n in range(20))
    pairs = [(n, (n + step) % 20) for n in range(20) for step in (1, 2)]
    edges = "".join(f"edge [ source {one} target {two} ]\n" for one, two in pairs)
    file.write_text(f"graph [\n{nodes}{edges}]")
    assert "dolphins.gml: no SHA-256 of this file was published" in refused("graph_dolphins", file)
    wrong = ("--sha256", f"dolphins.gml={'0' * 64}")
    assert f"expected SHA-256 {'0' * 64}, found " in refused("graph_dolphins", file, *wrong)
    load("graph_dolphins", file, *state(file))
    task = Task.objects.get(slug="graph_dolphins__d6")
    assert "20 nodes, 40 edges, 24 observed" in task.input_summary


@pytest.mark.django_db
def test_a_collection_is_read_from_json_lines_for_both_tracks(tmp_path):
    words = ("tea", "milk", "sugar", "salt", "lemon", "mint")
    corpus = [
        {"_id": f"d{n}", "title": "", "text": f"{word} cup {n}"} for n, word in enumerate(words)
    ]
    queries = [{"_id": f"q{n}", "text": word} for n, word in enumerate(words)]
    lines = {"corpus.jsonl": corpus, "queries.jsonl": queries}
    for name, entries in lines.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, entries)))
    relevance = "".join(f"q{n}\td{n}\t1\n" for n in range(len(words)))
    (tmp_path / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{relevance}")
    files = sorted(tmp_path.iterdir())
    load("scifact", *files, *state(*files))
    tracks = dict(Task.objects.values_list("slug", "track"))
    assert tracks == {"scifact": Track.FOUR_FACTOR, "scifact__d6": Track.SIX_FACTOR_PAIRED}
    # Every word is in one document only, so every query finds its own first.
    assert set(surface(Task.objects.get(slug="scifact"))) == {1.0}


# --- Refusals -------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_wrong_hash_names_what_was_expected_and_what_was_found(tmp_path):
    file = tmp_path / "data_banknote_authentication.txt"
    raw = b"1,2,3,4,0\n"
    file.write_bytes(raw)
    line = refused("banknote", file)
    assert line == (
        "data_banknote_authentication.txt: expected SHA-256 "
        "0787e50299c198e919276660edf98dd5dcb94951ad81435b3ab61afb666936c9, "
        f"found {hashlib.sha256(raw).hexdigest()}"
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("banknote", b"1,2,0\n", "row 1 has 3 fields, expected 4 and the target"),
        ("banknote", b"1,2,x,4,0\n", "could not convert string to float: 'x'"),
        ("banknote", b"\xff\xfe", "codec can't decode"),
        ("banknote", b"", "found: "),
        ("yacht", b"PK broken", "zip file"),
        ("energy_efficiency", b"PK broken", "expected ENB2012_data.xlsx: a workbook or text"),
    ],
)
def test_a_wrong_format_is_one_line(tmp_path, expect, name, raw, words):
    (file,) = IMPORTABLE[name].files
    (tmp_path / file).write_bytes(raw)
    expect(file, raw)
    line = refused(name, tmp_path / file)
    assert f"{name}: expected {file}: " in line
    assert words in line


@pytest.mark.django_db
def test_missing_and_foreign_files_are_named(tmp_path):
    (tmp_path / "100.hea").write_text("100 2 360 650000")
    line = refused("mitdb_100", tmp_path / "100.hea")
    assert line == "mitdb_100: expected 100.dat, 100.hea, 100.atr; found 100.hea"
    assert "No such file" in refused("banknote", tmp_path / "absent.txt")


@pytest.mark.django_db
def test_a_source_of_the_catalogue_or_an_unknown_one_is_no_choice(tmp_path):
    for name in ("nile", "mitdb_999"):
        with pytest.raises(CommandError, match="invalid choice"):
            load(name, tmp_path)


@pytest.mark.django_db
def test_a_hash_that_is_none_is_refused(tmp_path):
    with pytest.raises(CommandError, match="is not NAME=SHA256"):
        load("banknote", tmp_path / "x", "--sha256", "abc")


@pytest.mark.django_db
@needs_shared
def test_another_table_than_the_published_one_is_not_imported(tmp_path):
    content = json.loads(REFERENCE.read_text())
    content["truth"]["000000"] = 0.5
    changed = tmp_path / "reference.json"
    changed.write_text(json.dumps(content))
    with pytest.raises(CommandError, match="1 utilities differ; nothing is imported"):
        load("mitdb_100", *RECORD_100, "--against", changed)
    assert not Task.objects.exists()
    other = SHARED / "data" / "wwb" / "references" / "wine.json"
    assert "is no reference of mitdb_100__d6" in refused(
        "mitdb_100", *RECORD_100, "--against", other
    )


@pytest.mark.django_db
@needs_shared
def test_a_header_of_another_recording_is_refused(tmp_path):
    header = RECORD_100[0].read_text().replace("100 2 360 650000", "100 2 250 650000")
    (tmp_path / "100.hea").write_text(header)
    line = refused("mitdb_100", tmp_path / "100.hea", *RECORD_100[1:])
    assert "the record has (250, 200.0, 1024, 108000), expected (360, 200.0, 1024, 108000)" in line


# --- Tables as UCI publishes them -----------------------------------------------------------
def as_text(separator: str) -> Callable[[list[list[float]]], bytes]:
    return lambda table: text(table, separator)


def as_workbook(table: list[list[float]]) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(["X1", "X2", "X3", "Y1", "Y2"])
    for row in table:
        sheet.append([*row, 99])
    sheet.append([None] * 5)
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def as_archive(table: list[list[float]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes.md", "no table")
        archive.writestr("folder/table.txt", text(table, "\t\t"))
    return buffer.getvalue()


def as_arff(table: list[list[float]]) -> bytes:
    return b"% comment\n@relation t\n@attribute a real\n@data\n" + text(table)


WRITERS = {
    "commas": as_text(","),
    "semicolons": as_text("; "),
    "tabs": as_text("\t"),
    "blanks": as_text("  "),
    "a header": lambda table: b"a,b,c,class\n" + text(table),
    "a workbook": as_workbook,
    "an archive": as_archive,
    "ARFF": as_arff,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_table_is_the_same_in_every_format(writer):
    table = rows(3)
    read = uci_table(WRITERS[writer](table), n_features=3, member=".txt")
    assert read.features.tolist() == [row[:3] for row in table]
    assert read.target.tolist() == [row[3] for row in table]
    assert read.n_raw == len(table)


def test_an_archive_without_the_file_names_what_it_has():
    with pytest.raises(ValueError, match=r"the archive has notes\.md, folder/table\.txt, expected"):
        uci_table(as_archive(rows(3)), n_features=3, member=".data")


def test_labels_are_numbered_in_alphabetical_order():
    read = uci_table(b"a,b,kind\n1,2,SIRA\n1,3,BOMBAY\n2,2,SIRA\n", n_features=2)
    assert read.target.tolist() == [1.0, 0.0, 1.0]
