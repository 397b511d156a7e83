"""/catalog/<slug>/: what is asked; of an open task also the answer, of a sealed one none of it."""

import re

import pytest

from catalog.models import Disclosure, Source, Task
from episodes.models import Episode
from scoring.masks import all_masks
from tests.builders import make_task

pytestmark = pytest.mark.django_db

# Each hidden utility has its own four digits, so that one of them anywhere would be noticed.
CANARIES = [0.7001 + 0.0137 * index for index in range(16)]


@pytest.fixture
def page(client):
    def get(path: str) -> str:
        response = client.get(path, secure=True)
        assert response.status_code == 200
        return str(response.content, "utf-8")

    return get


def printed(utility: float) -> str:
    return f"{utility:.3f}"


def test_a_sealed_page_contains_no_utility_but_the_anchors(page):
    make_task("co2", truth=CANARIES)
    text = page("/catalog/co2/")
    assert printed(CANARIES[0]) in text
    assert printed(CANARIES[15]) in text
    for utility in CANARIES[1:15]:
        assert printed(utility) not in text
        assert str(utility)[:5] not in text
    assert "Effects and sign reversals" not in text


def test_a_sealed_page_says_what_is_asked_and_shows_the_masks_as_not_measured(page):
    make_task("co2", truth=CANARIES)
    text = page("/catalog/co2/")
    assert "Which steps help on co2?" in text
    assert "some of the other 14" in text
    assert "This task is sealed" in text
    assert len(re.findall(r'class="node unmeasured"', text)) == 14


def test_an_open_page_shows_every_utility_effects_reversals_and_interactions(page):
    task = make_task("nile", truth=CANARIES, disclosure=Disclosure.OPEN)
    text = page("/catalog/nile/")
    for mask in all_masks(task.n_factors):
        assert mask in text
    for utility in CANARIES:
        assert printed(utility) in text
    assert text.count('role="img"') == 3
    assert "Effects and sign reversals" in text
    assert "Mean interaction of each pair" in text


@pytest.mark.parametrize("d", [2, 3, 5, 6, 8])
def test_open_tasks_of_every_size_have_a_page(page, d):
    make_task("nile", truth=[i / 2**d for i in range(2**d)], disclosure=Disclosure.OPEN)
    assert "Response surface of nile" in page("/catalog/nile/")


def test_the_page_tells_factors_code_data_and_version(page):
    task = make_task("nile")
    text = page("/catalog/nile/")
    for words in (
        "factor A",
        "without",
        "with",
        task.source_code,
        task.input_summary,
        task.source.origin,
        task.source.licence,
        task.source.sha256,
        task.source.family.utility_definition,
        task.version,
        "computed here",
    ):
        assert words in text


def test_the_task_can_be_played_with_a_budget_that_it_allows(page):
    make_task("nile")
    text = page("/catalog/nile/")
    assert re.findall(r'<option value="(\d+)"', text) == ["4", "8"]
    assert 'name="task" value="nile"' in text
    assert "csrfmiddlewaretoken" in text


def test_the_form_of_the_page_opens_an_episode(client, page):
    make_task("nile")
    form = page("/catalog/nile/").partition('<form class="filters" method="post"')[2]
    action = re.findall(r'action="([^"]+)"', form)[0]
    sent = dict(re.findall(r'name="(task|view)" value="(\w+)"', form)) | {"budget": "4"}
    response = client.post(action, sent, secure=True)
    assert response.status_code == 302
    assert Episode.objects.get().budget_credits == 4


def test_an_old_version_stays_readable_and_leads_to_the_current_one(page):
    make_task("nile", version="0" * 64, is_current=False, truth=CANARIES)
    make_task("nile", version="2" * 64)
    old = page(f"/catalog/nile/{'0' * 64}/")
    assert printed(CANARIES[0]) in old
    assert "older version" in old
    assert 'href="/catalog/nile/"' in old
    assert "Play this task" not in old
    current = page("/catalog/nile/")
    assert printed(CANARIES[0]) not in current
    assert f"/catalog/nile/{'0' * 64}/" in current


@pytest.mark.parametrize(
    "path",
    [
        "/catalog/no-such-task/",
        f"/catalog/nile/{'9' * 64}/",
        "/catalog/nile/short/",
        "/catalog/NILE/",
    ],
)
def test_what_does_not_exist_is_404(client, path):
    make_task("nile")
    assert client.get(path, secure=True).status_code == 404


def test_pages_are_for_reading_only(client):
    make_task("nile")
    assert client.post("/catalog/nile/", secure=True).status_code == 405
    assert client.post("/catalog/", secure=True).status_code == 405


def test_a_page_takes_one_query(page, django_assert_max_num_queries):
    make_task("nile", disclosure=Disclosure.OPEN)
    page("/catalog/nile/")  # fills the cache of the shell
    with django_assert_max_num_queries(1):
        page("/catalog/nile/")


HOSTILE = (
    "[x](javascript:alert(1))",
    "<svg onload=alert(1)>",
    "</code></pre><script>alert(1)</script>",
    "\u202egnissap",
    "n" * 300,
)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("disclosure", Disclosure)
def test_script_in_task_text_is_inert(page, text, disclosure):
    """Case C50."""
    original = make_task("plain", disclosure=disclosure)
    hostile = Task(
        **{
            field.attname: getattr(original, field.attname)
            for field in Task._meta.concrete_fields
            if field.attname != "id"
        }
    )
    Source.objects.update(title=text[:120], origin=text, licence=text[:200])
    hostile.slug = "hostile"
    hostile.question = hostile.input_summary = hostile.source_code = text
    hostile.factors = [
        {"letter": letter, "name": text, "off": text, "on": text} for letter in "ABCD"
    ]
    hostile.save()
    for path in ("/catalog/hostile/", "/catalog/"):
        html = page(path)
        assert "<script" not in html
        assert "<svg onload" not in html
        assert 'href="javascript:' not in html


def test_the_page_runs_under_the_strict_policy(client):
    make_task("nile", disclosure=Disclosure.OPEN)
    response = client.get("/catalog/nile/", secure=True)
    html = response.content.decode()
    assert "unsafe-inline" not in response.headers["Content-Security-Policy"]
    assert " style=" not in html
    assert "<style" not in html
