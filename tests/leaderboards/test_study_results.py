"""Results of a study as pages, CSV and API: who sees what, and the same digits everywhere."""

import csv
import io
import json

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from judgments.models import Audience, Study
from tests.api_client import Api, refusal
from tests.builders import NOW
from tests.judgments.studies import make_study
from tests.leaderboards.study_facts import (
    ORDER,
    REVERSE,
    add_person,
    rank,
    scenarios,
    set_metric,
)

pytestmark = pytest.mark.django_db

PAGE = "/study/main/results/"
CSV = "/study/main/results.csv"


@pytest.fixture
def study():
    return make_study(n_per_domain=3)


@pytest.fixture
def answered(study):
    """Two people agree with the metric; in one scenario they contradict each other."""
    first, *others = scenarios()
    for code in (ORDER, REVERSE):
        rank(add_person(study), [(first, code), *((slug, ORDER) for slug in others)])
    return study


def publish(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(closed_at=NOW, published_at=NOW)


def browser_of(django_user_model, *permissions: str) -> Client:
    user = django_user_model.objects.create_user("staff", password="x", is_staff=True)
    user.user_permissions.set(
        Permission.objects.filter(codename__in=permissions, content_type__app_label="judgments")
    )
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def watcher(django_user_model):
    return browser_of(django_user_model, "watch_study")


@pytest.fixture
def manager(django_user_model):
    return browser_of(django_user_model, "watch_study", "run_study")


def figures(client: Client, path: str = CSV) -> dict[str, str]:
    rows = csv.reader(io.StringIO(client.get(path).content.decode()))
    return {name: value for name, value in rows}


# --- Who sees what ----------------------------------------------------------------------------
def test_nobody_else_sees_results_before_publication(answered, client, django_user_model):
    scenario = f"{PAGE}{scenarios()[0]}/"
    other = browser_of(django_user_model)
    for path in (PAGE, CSV, scenario):
        assert client.get(path).status_code == 404
        assert other.get(path).status_code == 404
    assert refusal(Api().get("study-results/main/")) == (404, "results_not_found")
    assert Api().get("study-results/").json()["results"] == []


def test_whoever_runs_studies_sees_everything_before_publication(answered, manager):
    response = manager.get(PAGE)
    page = response.content.decode()
    assert "Not published" in page
    assert "no-store" in response["Cache-Control"]
    assert "8 of 9 defined" in page
    assert "Correlation with the metric" in page
    assert "nats per cost" in manager.get(f"{PAGE}{scenarios()[1]}/").content.decode()


def test_whoever_may_only_watch_sees_nothing_that_tells_the_metrics_order(answered, watcher):
    for slug in scenarios():
        set_metric(slug, (0.41234, 0.31234, 0.21234, 0.11234))
    page = watcher.get(PAGE).content.decode()
    assert "8 of 9 defined" in page
    assert "Correlation with the metric" not in page
    scenario = watcher.get(f"{PAGE}{scenarios()[1]}/").content.decode()
    sent = watcher.get(CSV).content.decode()
    for text in (page, scenario, sent):
        assert "0.41234" not in text
        assert "nats per cost" not in text
    names = figures(watcher)
    assert not [name for name in names if name.endswith(("_correlation", "metric.0"))]
    assert names["groups.everybody.human_metric.gated.n_defined"] == "8"


def test_everybody_sees_results_from_publication_on(answered, client):
    publish(answered)
    page = client.get(PAGE).content.decode()
    assert "Not published" not in page
    assert "8 of 9 defined" in page
    assert client.get(CSV).status_code == 200
    assert client.get(f"{PAGE}{scenarios()[0]}/").status_code == 200
    listed = Api().get("study-results/").json()["results"]
    assert [one["study"] for one in listed] == ["main"]
    assert 'href="/study/main/results/"' in client.get("/leaderboards/").content.decode()


def test_a_robots_study_says_that_robots_played(manager):
    study = make_study(n_per_domain=3, audience=Audience.ROBOTS)
    rank(add_person(study), [(scenarios()[0], ORDER)])
    for path in (PAGE, f"{PAGE}{scenarios()[0]}/"):
        assert "Robots played this study" in manager.get(path).content.decode()


# --- The same digits --------------------------------------------------------------------------
def test_page_csv_and_api_show_the_same_digits(answered, client):
    for number, slug in enumerate(scenarios()):
        set_metric(slug, (0.4, 0.3, 0.2 + 0.02 * number, 0.3))
    publish(answered)
    content = Api().get("study-results/main/").json()
    sent = figures(client)
    agreement = content["groups"][0]["human_metric"]["gated"]
    for name in ("mean_within", "pooled", "n_defined", "n_scenarios"):
        key = f"groups.everybody.human_metric.gated.{name}"
        assert float(sent[key]) == agreement[name]
    assert sent["input_digest"] == content["input_digest"]
    assert sent[f"groups.everybody.scenarios.{scenarios()[0]}.gated_correlation"] == ""
    assert content["groups"][0]["scenarios"][0]["gated_correlation"] is None
    page = client.get(PAGE).content.decode()
    assert f"{agreement['mean_within']:.3f}" in page
    assert content["input_digest"] in page
    assert f"{agreement['wider']['lower']:.3f} to {agreement['wider']['upper']:.3f}" in page


def test_fifty_nine_of_sixty_defined_flows_through_page_api_and_file(client):
    study = make_study()
    first, *others = scenarios()
    for code in (ORDER, REVERSE):
        rank(add_person(study), [(first, code), *((slug, ORDER) for slug in others)])
    publish(study)
    assert "59 of 60 defined" in client.get(PAGE).content.decode()
    content = Api().get("study-results/main/").json()
    agreement = content["groups"][0]["human_metric"]["gated"]
    assert (agreement["n_defined"], agreement["n_scenarios"]) == (59, 60)
    assert agreement["mean_within"] == 1.0
    sent = figures(client)
    assert sent["groups.everybody.human_metric.gated.n_defined"] == "59"


def test_the_papers_figure_is_named_as_its_own(answered, client):
    publish(answered)
    page = client.get(PAGE).content.decode()
    assert "0.733" in page
    assert "own figure, of 18 people" in page
    content = Api().get("study-results/main/").json()
    assert content["published_by_the_paper"]["value"] == 0.733
    assert "0.733" not in json.dumps(content["groups"])


def test_models_have_their_places(answered, client):
    publish(answered)
    page = client.get(PAGE).content.decode()
    for place in ("Panel and metric", "Panel and people", "Model 6 of 6 and metric"):
        assert place in page
    assert "not collected yet" in page


# --- Versions, empty states, bad addresses ------------------------------------------------------
def test_an_unanswered_study_says_what_would_fill_the_page(study, manager):
    assert "No complete scenario yet" in manager.get(PAGE).content.decode()
    assert manager.get(CSV).status_code == 404


def test_nothing_defined_is_said(study, manager):
    for code in (ORDER, REVERSE):
        rank(add_person(study), [(scenarios()[0], code)])
    page = manager.get(PAGE).content.decode()
    assert "0 of 9 defined" in page
    assert "undefined (nothing is defined)" in page
    assert "nan" not in page.lower().replace("finance", "")


def test_one_person_is_no_people(study, manager):
    rank(add_person(study), [(slug, ORDER) for slug in scenarios()])
    page = manager.get(PAGE).content.decode()
    assert "1 person," in page
    assert "undefined (one participant only)" in page


@pytest.mark.parametrize("version", ["2", "x", "1,1", "\u0661", "-1", "9" * 500])
def test_a_version_without_answers_is_not_found(answered, client, version):
    publish(answered)
    assert client.get(PAGE, {"version": version}).status_code == 404
    assert refusal(Client().get("/api/v1/study-results/main/", {"version": version})) == (
        404,
        "results_not_found",
    )


def test_a_scenario_of_no_study_is_not_found(answered, client):
    publish(answered)
    assert client.get(f"{PAGE}nowhere/").status_code == 404
    assert client.get("/study/nowhere/results/").status_code == 404


def test_the_page_shows_new_facts_at_once(study, manager):
    person = add_person(study)
    rank(person, [(scenarios()[0], ORDER)])
    assert "1 of 9 defined" in manager.get(PAGE).content.decode()
    rank(person, [(scenarios()[1], ORDER)])
    assert "2 of 9 defined" in manager.get(PAGE).content.decode()


def test_a_scenario_without_people_says_so(study, manager):
    rank(add_person(study), [(scenarios()[0], ORDER)])
    page = manager.get(f"{PAGE}{scenarios()[1]}/").content.decode()
    assert "Nobody has ranked these actions yet" in page
