"""/catalog/effects/ and its files: open tasks whole, of sealed ones the scale, staff everything."""

import csv
import io
import json
import re

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from pyarrow import parquet

from catalog.actions.releases import publish_structure
from catalog.models import Disclosure, Release, Task
from catalog.truth import surface
from catalog.workflows.tables import read_table
from tests.builders import make_release, make_task
from tests.catalog.first_release import load_first_release

pytestmark = pytest.mark.django_db

PAGE = "/catalog/effects/"
STAFF_PAGE = "/admin/catalog/task/effects/"
# Each utility has digits of its own, so that one of them, or one effect, would be noticed.
CANARIES = [0.1003 + 0.0419 * ((7 * i) % 16) for i in range(16)]
OTHERS = [0.2 + 0.03 * i for i in range(16)]
TABLES = ("records", "conditional_effects", "pair_interactions", "structure")


@pytest.fixture
def get(client):
    def fetch(path: str, status: int = 200) -> bytes:
        response = client.get(path, secure=True)
        assert response.status_code == status
        content: bytes = response.getvalue()
        return content

    return fetch


@pytest.fixture
def tasks():
    """Make an open and a sealed task, counted together."""
    made = [
        make_task("nile", truth=OTHERS, disclosure=Disclosure.OPEN),
        make_task("co2", truth=CANARIES),
    ]
    publish_structure(release=make_release(), surfaces={task: surface(task) for task in made})
    return made


def secrets_of(utilities: list[float]) -> set[str]:
    """Return the effects of a surface as pages and files would print them."""
    effects = {
        utilities[mask | bit] - utilities[mask]
        for mask in range(16)
        for bit in (1, 2, 4, 8)
        if not mask & bit
    }
    return {repr(value) for value in [*utilities[1:15], *effects]}


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_the_page_counts_the_first_release_and_reversals_at_four_floors(get):
    load_first_release()
    text = get(PAGE).decode()
    # 36 conditions, 1,248 records, 3,392 effects, 342 interactions: specs/surface-episodes.md.
    figures = re.findall(r"<dd>\s*(.*?)\s*</dd>", text)
    assert figures == ["36", "1\N{THIN SPACE}248", "3\N{THIN SPACE}392", "342"]
    # Counted by hand in test_structure.py.
    assert re.findall(r"(\d+) of 36<", text) == ["36", "33", "28", "21"]
    assert text.count('role="img"') == 3
    # Eight open tasks: six of 32 effects and two of 192; six of 6 pairs and two of 15.
    assert text.count('class="dot ') == 6 * 32 + 2 * 192 + 6 * 6 + 2 * 15


def test_a_release_of_few_tasks_is_counted_but_not_its_reversals(get, tasks):
    text = get(PAGE).decode()
    assert re.findall(r"<dd>\s*(.*?)\s*</dd>", text) == ["2", "32", "64", "12"]
    assert "would tell of single tasks" in text
    assert "Sign reversals at four floors" not in text
    rows = rows_of(get(f"{PAGE}release_structure.csv"))
    assert [row["n_effects"] for row in rows] == ["64"] * 4
    assert {row[name] for row in rows for name in ("n_reversing", "n_factors_reversing")} == {""}


def test_of_a_sealed_task_the_page_shows_the_scale_and_nothing_else(get, tasks):
    text = get(PAGE).decode()
    row = text.partition("/catalog/co2/")[2].partition("</tr>")[0]
    width = max(CANARIES) - min(CANARIES)
    assert f"{width:.3f}" in row
    assert "sealed" in row
    assert text.count('class="dot ') == 32 + 6
    for value in CANARIES[1:15]:
        assert f"{value:.3f}" not in text


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("table", TABLES)
def test_a_public_file_holds_the_open_task_only(get, tasks, table, suffix):
    content = get(f"{PAGE}{table}.{suffix}")
    if suffix == "parquet":
        read = parquet.read_table(io.BytesIO(content)).to_pylist()
        assert {row["task"] for row in read} == {"nile"}
    else:
        assert b"nile" in content
        assert b"co2" not in content
        assert not [secret for secret in secrets_of(CANARIES) if secret.encode() in content]


def test_the_files_hold_the_numbers_of_the_page(get):
    call_command("load_catalog", verbosity=0)
    nile = read_table("nile").utility
    records = rows_of(get(f"{PAGE}records.csv?task=nile"))
    assert {row["mask"]: float(row["utility"]) for row in records} == nile
    assert [row["mask"] for row in records if row["is_anchor"] == "true"] == ["0000", "1111"]
    effects = rows_of(get(f"{PAGE}conditional_effects.csv?task=nile"))
    assert len(effects) == 32
    by_key = {(row["factor"], row["background"]): float(row["effect"]) for row in effects}
    assert by_key["C", "01-0"] == nile["0110"] - nile["0100"]
    assert len(rows_of(get(f"{PAGE}pair_interactions.csv?task=nile"))) == 6
    assert len(rows_of(get(f"{PAGE}conditional_effects.csv"))) == 6 * 32 + 2 * 192
    assert len(rows_of(get(f"{PAGE}pair_interactions.csv"))) == 6 * 6 + 2 * 15


def test_the_counts_over_the_release_are_a_file_for_everybody(get):
    load_first_release()
    rows = rows_of(get(f"{PAGE}release_structure.csv"))
    assert [row["floor_share"] for row in rows] == ["0.0", "0.01", "0.05", "0.1"]
    assert [row["n_reversing"] for row in rows] == ["36", "33", "28", "21"]
    assert {(row["n_effects"], row["n_interactions"]) for row in rows} == {("3392", "342")}


def test_text_of_a_file_runs_in_no_spreadsheet(get, tasks):
    hostile = Task.objects.get(slug="nile")
    hostile.pk, hostile.slug, hostile.is_current = None, "hostile", True
    hostile.factors = [{"letter": "=1", "name": "x", "off": "", "on": ""}, *hostile.factors[1:]]
    hostile.save()
    rows = rows_of(get(f"{PAGE}conditional_effects.csv?task=hostile"))
    assert rows[0]["factor"] == "'=1"


@pytest.mark.parametrize(
    "path", ["secrets.csv", "records.xlsx", "records.csv?task=co2", "records.csv?task=none"]
)
def test_what_is_not_public_is_404(get, tasks, path):
    get(f"{PAGE}{path}", status=404)


def test_a_right_choice_with_wrong_effects_is_shown_with_its_four_cells(get):
    call_command("load_catalog", verbosity=0)
    text = get(PAGE).decode()
    # The rocket's design of degree 2 with 8 measurements: tests/scoring holds the digits.
    shown = text.partition('id="choice-rocket"')[2].partition("</section>")[0]
    assert "recovery 0.46" in shown
    assert shown.count('<th class="mask" scope="row">') == 4


def test_an_empty_catalogue_says_what_would_fill_it(get):
    text = get(PAGE).decode()
    assert text.count("manage.py load_catalog") == 2


@pytest.fixture
def login(client):
    def enter(*permissions: str, is_staff: bool = True) -> None:
        user = get_user_model().objects.create_user("someone", is_staff=is_staff)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        client.force_login(user)

    return enter


def test_staff_with_the_permission_see_and_export_sealed_tasks(get, tasks, login):
    login("export_outcomes", "view_task")
    text = get(STAFF_PAGE).decode()
    assert "hidden outcomes" in text
    assert text.count('class="dot ') == 2 * (32 + 6)
    rows = rows_of(get(f"{STAFF_PAGE}records.csv"))
    assert [float(row["utility"]) for row in rows if row["task"] == "co2"] == CANARIES
    assert all(row["native_value"] and row["prediction_sha256"] for row in rows)
    assert STAFF_PAGE in get("/admin/catalog/task/").decode()


@pytest.mark.parametrize("path", ["", "records.csv", "structure.parquet"])
def test_staff_without_the_permission_are_refused(get, tasks, login, path):
    login(
        *Permission.objects.filter(codename__startswith="view_").values_list("codename", flat=True)
    )
    get(f"{STAFF_PAGE}{path}", status=403)
    assert STAFF_PAGE not in get("/admin/catalog/task/").decode()


@pytest.mark.parametrize("path", ["", "records.csv"])
def test_the_permission_alone_makes_nobody_staff(get, tasks, login, path):
    login("export_outcomes", is_staff=False)
    get(f"{STAFF_PAGE}{path}", status=302)


def test_an_open_task_page_tells_its_structure_and_links_to_its_files(get, tasks):
    text = get("/catalog/nile/").decode()
    for link in re.findall(r'href="([^"]+\?task=nile)"', text):
        assert get(link)
    assert text.count("?task=nile") == 3 * len(TABLES)
    # An additive surface: all of its variance is in main effects.
    assert "a share of 1.000 lies in main effects" in text
    assert "?task=" not in get("/catalog/co2/").decode()


def test_an_export_holds_the_hidden_outcomes_too_and_says_so(tmp_path, capsys):
    load_first_release()
    call_command("export_catalog", str(tmp_path / "all"))
    assert "conditional_effects.csv: 3392 rows" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "all" / "manifest.json").read_text())
    assert manifest["disclosure"] == "open and sealed tasks"
    assert len(manifest["tasks"]) == 36
    n_rows = {file["name"]: file["n_rows"] for file in manifest["files"]}
    for suffix in ("csv", "jsonl", "parquet"):
        assert n_rows[f"records.{suffix}"] == 1248
        assert n_rows[f"conditional_effects.{suffix}"] == 3392
        assert n_rows[f"pair_interactions.{suffix}"] == 342
        assert n_rows[f"structure.{suffix}"] == 36
        assert n_rows[f"release_structure.{suffix}"] == 4
    table = read_table("co2")
    read = parquet.read_table(tmp_path / "all" / "records.parquet").to_pylist()
    co2 = [row for row in read if row["task"] == "co2"]
    assert {row["mask"]: row["native_value"] for row in co2} == table.native_value
    assert {row["mask"]: row["prediction_sha256"] for row in co2} == table.prediction_sha256


def test_an_open_export_is_what_the_page_offers(tmp_path, get):
    call_command("load_catalog", verbosity=0)
    call_command("export_catalog", str(tmp_path), "--open-only")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["disclosure"] == "open tasks only"
    assert len(manifest["tasks"]) == 8
    for file in manifest["files"]:
        assert (tmp_path / file["name"]).read_bytes() == get(f"{PAGE}{file['name']}")


def test_an_export_goes_into_no_folder_of_somebody_elses(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(CommandError, match="holds other files, such as notes"):
        call_command("export_catalog", str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(CommandError, match="is empty"):
        call_command("export_catalog", "")


def test_the_reversal_letters_of_the_export_add_up_to_the_counts(tmp_path):
    call_command("load_catalog", verbosity=0)
    call_command("export_catalog", str(tmp_path))
    rows = rows_of((tmp_path / "structure.csv").read_bytes())
    columns = [name for name in rows[0] if name.startswith("reversing_")]
    found = Release.objects.get().structure
    assert [sum(row[name] != "" for row in rows) for name in columns] == found.n_reversing
    assert [sum(len(row[name]) for row in rows) for name in columns] == found.n_factors_reversing


def test_an_export_without_an_outcome_is_refused_and_leaves_no_manifest(tmp_path, tasks):
    hollow = Task.objects.get(slug="co2")
    hollow.pk, hollow.slug = None, "hollow"
    hollow.save()
    with pytest.raises(CommandError, match="hollow: 0 of 16 outcomes"):
        call_command("export_catalog", str(tmp_path))
    assert not (tmp_path / "manifest.json").exists()
