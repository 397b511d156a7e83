"""Staff export a study by a click, if they may, and see before it what they will get."""

import io
import zipfile

import pytest
from django.urls import reverse

from judgments import exports
from judgments.actions import path
from judgments.exports import TABLES
from judgments.models import AuditEntry
from tests.builders import NOW
from tests.judgments.answers import answer_everything, coin
from tests.judgments.desk import log_in, make_assistant, make_staff
from tests.judgments.studies import join, join_ready, make_study

pytestmark = pytest.mark.django_db(transaction=True)

EXPORT = "/staff/studies/main/export/"


@pytest.fixture
def study():
    study = make_study(n_per_domain=3)
    people = [join_ready(study) for _ in range(2)]
    answer_everything(people, coin(seed=1), comments=["=1+1"])
    return study


def content_of(response) -> bytes:
    return b"".join(response.streaming_content)


def test_a_click_sends_a_folder_that_verifies_and_the_log_says_who_asked(study, tmp_path):
    ada = make_staff()
    response = log_in(ada).post(EXPORT, {"formats": ["csv", "parquet"], "bom": "on"})
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith('attachment; filename="main-export-20')
    with zipfile.ZipFile(io.BytesIO(content_of(response))) as packed:
        packed.extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    names = {f"{table.name}.{suffix}" for table in TABLES for suffix in ("csv", "parquet")}
    assert {file.name for file in folder.iterdir()} == names | {"manifest.json"}
    assert (folder / "items.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert exports.verify(folder) == []
    entry = AuditEntry.objects.latest("pk")
    assert (entry.event, entry.staff, entry.details) == (
        "export_requested",
        ada,
        {"formats": ["csv", "parquet"]},
    )


def test_the_page_says_before_the_click_what_will_be_in_the_files(study):
    gone = join_ready(study)
    answer_everything([gone], coin(seed=2))
    path.leave_and_delete(participant_id=gone.pk, now=NOW)
    join(study)
    page = " ".join(log_in(make_staff()).get(EXPORT).content.decode().split())
    assert '<td class="number">120</td> <td class="number">120</td>' in page
    assert "60 withdrawn: left and erased" in page
    assert "60 without consent" in page
    assert AuditEntry.objects.filter(event="export_requested").count() == 0


def test_a_form_without_a_format_or_with_an_unknown_one_is_told_so(study):
    client = log_in(make_staff())
    for formats, words in (([], "Choose at least one format."), (["xlsx"], "xlsx is none of")):
        response = client.post(EXPORT, {"formats": formats})
        assert response.status_code == 422
        assert words in response.content.decode()


def test_the_dictionary_has_every_column_of_every_file(study):
    page = log_in(make_staff()).get(f"{EXPORT}dictionary/").content.decode()
    for table in TABLES:
        assert f'id="{table.name}"' in page
        for column in table.flat.columns:
            assert f'<th class="mask" scope="row">{column.name}</th>' in page


@pytest.mark.parametrize("address", ["", "dictionary/"])
def test_only_staff_with_the_permission_may_export(study, client, address):
    assert client.get(EXPORT + address).status_code == 302
    assistant = log_in(make_assistant())
    assert assistant.get(EXPORT + address).status_code == 403
    assert assistant.post(EXPORT, {"formats": ["csv"]}).status_code == 403
    assert AuditEntry.objects.filter(event="export_requested").count() == 0


def test_a_study_that_there_is_not_is_not_found(study):
    assert log_in(make_staff()).get("/staff/studies/other/export/").status_code == 404
    assert reverse("study-desk:export", args=["main"]) == EXPORT
