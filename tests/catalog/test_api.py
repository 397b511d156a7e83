"""Tasks over HTTP: what anybody may see of them."""

import pytest

from catalog.models import Disclosure, Track
from scoring.masks import all_masks
from tests.api_client import Api, refusal
from tests.builders import default_truth, make_family, make_source, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tasks():
    image_source = make_source("rocket", family=make_family("image_restoration"))
    make_task("nile")
    make_task("sunspots", disclosure=Disclosure.OPEN)
    make_task("rocket", source=image_source)
    make_task(
        "rocket__d6", source=image_source, truth=default_truth(6), track=Track.SIX_FACTOR_PAIRED
    )
    make_task("old", is_current=False)


def listed(query: str = "") -> list[str]:
    response = Api().get(f"tasks/{query}")
    assert response.status_code == 200
    return [task["slug"] for task in response.json()["results"]]


def test_the_current_tasks_are_listed_by_slug_without_a_key():
    assert listed() == ["nile", "rocket", "rocket__d6", "sunspots"]


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("?family=image_restoration", ["rocket", "rocket__d6"]),
        ("?factors=6", ["rocket__d6"]),
        ("?disclosure=open", ["sunspots"]),
        ("?family=image_restoration&factors=4", ["rocket"]),
        ("?family=alchemy", []),
    ],
)
def test_filters_narrow_the_list(query, slugs):
    assert listed(query) == slugs


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?factors=many", "factors"),
        ("?disclosure=hidden", "disclosure"),
        ("?family=%00", "family"),
        ("?factors=9", "factors"),
        ("?famly=forecasting", "famly"),
        ("?limit=0", "limit"),
        ("?limit=-1", "limit"),
        ("?limit=ten", "limit"),
        ("?limit=", "limit"),
        ("?limit=\u0665", "limit"),
    ],
)
def test_a_filter_that_means_nothing_is_refused_by_name(query, field):
    response = Api().get(f"tasks/{query}")
    assert refusal(response) == (400, "invalid_request")
    assert list(response.json()["error"]["details"]) == [field]


def test_pages_go_through_the_list_once():
    first = Api().get("tasks/?limit=3").json()
    second = Api().get(first["next"].partition("/api/v1/")[2]).json()
    slugs = [task["slug"] for page in (first, second) for task in page["results"]]
    assert slugs == ["nile", "rocket", "rocket__d6", "sunspots"]


def test_a_sealed_task_shows_question_factors_and_code_but_no_utility():
    task = Api().get("tasks/nile/").json()
    assert task["question"] == "Which steps help on nile?"
    assert [factor["letter"] for factor in task["factors"]] == ["A", "B", "C", "D"]
    assert (task["n_factors"], task["n_masks"], task["family"]) == (4, 16, "forecasting")
    assert task["source_code"]
    assert task["open_surface"] is None
    assert "anchors" not in task


def test_an_open_task_shows_its_whole_surface():
    surface = Api().get("tasks/sunspots/").json()["open_surface"]
    assert surface == dict(zip(all_masks(4), default_truth(4), strict=True))


@pytest.mark.parametrize("slug", ["atlantis", "old"])
def test_a_task_that_is_not_current_is_not_found(slug):
    assert refusal(Api().get(f"tasks/{slug}/")) == (404, "task_not_found")
