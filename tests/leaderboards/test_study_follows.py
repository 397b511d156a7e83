"""Who is excluded or erased: followed by the results page, its file and the export, end to end."""

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from judgments.links import digest, pseudonym
from judgments.models import Exclusion, Participant, Study
from tests.builders import NOW
from tests.judgments.desk import log_in, make_staff
from tests.judgments.studies import make_study
from tests.leaderboards.study_facts import oracle, play
from tests.leaderboards.study_facts import reverse as against

pytestmark = pytest.mark.django_db(transaction=True)

RESULTS = "/study/main/results/"


@pytest.fixture
def study():
    return make_study(n_per_domain=3)


@pytest.fixture
def desk():
    return log_in(make_staff())


def content_of(response) -> bytes:
    return b"".join(response.streaming_content)


def exported(desk: Client) -> tuple[set[str], dict[str, int]]:
    """Return who is in the items of an export made now, and why the other rows are missing."""
    response = desk.post("/staff/studies/main/export/", {"formats": ["jsonl"]})
    with zipfile.ZipFile(io.BytesIO(content_of(response))) as packed:
        files = {name.rpartition("/")[2]: packed.read(name) for name in packed.namelist()}
    rows = [json.loads(line) for line in files["items.jsonl"].decode().splitlines()]
    counts = json.loads(files["manifest.json"])["counts"]["items"]
    assert len(rows) == counts["exported"]
    return {row["participant"] for row in rows}, counts["excluded"]


def figures(client: Client) -> bytes:
    return client.get("/study/main/results.csv").content


def n_people(client: Client) -> int:
    page = " ".join(re.sub("<[^>]+>", " ", client.get(RESULTS).content.decode()).split())
    return int(re.search(r"(\d+) (?:person|people), ", page)[1])


def browser_of(person: Participant) -> Client:
    token = "x" * 43
    Participant.objects.filter(pk=person.pk).update(token_sha256=digest(token))
    client = Client()
    client.get(reverse("judgments:personal-link", args=[person.study_id, token]))
    return client


def of(person: Participant) -> str:
    return pseudonym("main", person.pk)


def test_an_exclusion_is_followed_by_results_file_and_export_and_can_be_undone(study, desk):
    # Case C13: the oracle is the study as it was before P7 came.
    others = [play(study, oracle) for _ in range(2)]
    without = figures(desk)
    seventh = play(study, against)
    everything = figures(desk)
    assert everything != without
    where = [study.pk, seventh.pk]
    desk.post(reverse("study-desk:exclude", args=where), {"reason": "Works here."})
    exclusion = Exclusion.objects.get()
    assert (exclusion.reason, exclusion.excluded_by.get_username()) == ("Works here.", "ada")
    assert differences(figures(desk), without) <= {"n_excluded", "input_digest"}
    assert (n_people(desk), exported(desk)) == (2, ({*map(of, others)}, {"excluded": 60}))
    desk.post(reverse("study-desk:undo", args=where), {"reason": "Somebody else."})
    assert figures(desk) == everything
    assert (n_people(desk), exported(desk)) == (3, ({*map(of, [*others, seventh])}, {}))


def differences(first: bytes, second: bytes) -> set[str]:
    """Return the names of the figures that two files do not share."""
    lines = {*first.decode().splitlines()} ^ {*second.decode().splitlines()}
    return {line.split(",")[0] for line in lines}


def test_who_leaves_after_publication_is_in_no_later_result_and_no_later_export(study, desk):
    # Case C14.
    stays, leaves = play(study, oracle), play(study, against)
    Study.objects.update(closed_at=NOW, published_at=NOW + timedelta(days=1))
    reader, before = Client(), figures(desk)
    assert (n_people(reader), exported(desk)[0]) == (2, {of(stays), of(leaves)})
    leaver = browser_of(leaves)
    leaver.post(reverse("judgments:delete", args=[study.pk]))
    assert (n_people(reader), exported(desk)) == (1, ({of(stays)}, {"withdrawn": 60}))
    assert figures(reader) != before
