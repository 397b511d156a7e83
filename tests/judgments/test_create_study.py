"""`manage.py create_study`, and where people find a study that is open."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from judgments.models import Audience, Study
from judgments.queries.launch import current_protocol
from tests.judgments.studies import make_scenarios, make_study
from wwbsite import prepare

pytestmark = pytest.mark.django_db


def create(slug: str = "pilot", **options) -> str:
    said = StringIO()
    call_command("create_study", slug, stdout=said, **{"title": "What teaches more?"} | options)
    return said.getvalue()


def test_a_study_is_created_with_the_source_studys_protocol_and_not_opened():
    make_scenarios(n_per_domain=3)
    assert "Created pilot, not open: /staff/studies/pilot/" in create()
    study = Study.objects.get()
    assert (study.is_open, study.audience) == (False, Audience.PEOPLE)
    assert current_protocol(study).definition["quotas"] == [3, 3, 2]
    create("robots", audience="robots")
    assert Study.objects.get(pk="robots").audience == Audience.ROBOTS


def test_a_second_run_is_refused_and_changes_nothing():
    make_scenarios(n_per_domain=3)
    create()
    with pytest.raises(CommandError, match="There is a study “pilot” already"):
        create(title="Other")
    assert Study.objects.get().title == "What teaches more?"


@pytest.mark.parametrize(
    ("slug", "title", "words"),
    [
        ("a b", "A", "valid “slug”"),
        ("new", "A", "not “new”"),
        ("pilot", " ", "1 to 120"),
        ("pilot", "x" * 121, "1 to 120"),
    ],
    ids=["not a name", "reserved", "no title", "long title"],
)
def test_what_cannot_be_is_refused_by_name(slug, title, words):
    make_scenarios(n_per_domain=3)
    with pytest.raises(CommandError, match=words):
        create(slug, title=title)
    assert not Study.objects.exists()


def test_without_scenarios_the_command_says_what_comes_first():
    with pytest.raises(CommandError, match="load_scenarios"):
        create()


def test_the_first_start_leaves_a_draft_to_look_at_and_later_ones_add_nothing():
    make_scenarios(n_per_domain=3)
    prepare.ensure_study()
    study = Study.objects.get()
    assert (study.pk, study.is_open) == ("first", False)
    Study.objects.filter(pk="first").update(title="Mine")
    prepare.ensure_study()
    assert Study.objects.get().title == "Mine"


def test_the_public_page_leads_to_open_studies_of_people_with_their_time(client):
    assert b"No study is open now" in client.get("/study/").content
    make_study("main", n_per_domain=3, minutes=25, texts={"introduction": {"en": "Read & judge."}})
    make_study("draft", opened_at=None)
    make_study("robots", audience=Audience.ROBOTS)
    make_study("over")
    Study.objects.filter(pk="over").update(closed_at=timezone.now())
    page = client.get("/study/").content.decode()
    assert [slug in page for slug in ("/study/main/", "draft", "robots", "over/")] == [
        True,
        False,
        False,
        False,
    ]
    assert "about 25 minutes" in page
    assert "Read &amp; judge." in page
    assert "No study is open" not in page
