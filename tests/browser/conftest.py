"""A real browser, a site with something on every page, and what counts as a fault of a page."""

from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import BrowserContext, sync_playwright

from catalog.models import Task
from episodes.actions.ledger import buy_measurements, start_episode, submit_prediction
from scoring.masks import all_masks
from tests.builders import make_agent
from tools.screenshots import ARGUMENTS, chromium_path

AXE = Path(__file__).parent.parent / "vendor" / "axe-core" / "axe.min.js"
# Two elements of one id axe leaves to a reviewer, although whatever points to the second one finds
# the first.
_RUN_AXE = """async () => {
    const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
    const twice = ids.filter((id, place) => ids.indexOf(id) !== place);
    const violations = (await axe.run()).violations.flatMap(
        violation => violation.nodes.map(node => `${violation.id}: ${node.target.join(" ")}`)
    );
    return [...twice.map(id => `duplicate-id: #${id}`), ...violations];
}"""


@pytest.fixture(scope="session")
def browser():
    path = chromium_path()
    if path is None:
        pytest.fail("browser tests need chromium: apt-get install chromium, or set CHROMIUM")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright's loop counts as running in this thread for as long as it lives, and Django
        # then refuses every query of the tests, although nothing here awaits.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, live_server):
    """Return a function that opens pages; every script error and refused load fails the test.

    Only pages themselves may have a status that is expected, and nothing that they load.
    """
    contexts: list[BrowserContext] = []
    faults: dict[str, str] = {}

    def open_page(*, loses_network=False, expected_statuses=(), **options):
        refusals = tuple(f"the server responded with a status of {n}" for n in expected_statuses)
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        # A violation of the content security policy is an error on the console too.
        page.on(
            "console",
            lambda message: (
                (loses_network and "net::ERR_" in message.text)
                or any(refusal in message.text for refusal in refusals)
                or _note(faults, page, message.type, message.text)
            ),
        )
        page.on("pageerror", lambda error: _note(faults, page, "error", str(error)))
        page.on(
            "response", lambda response: _note_status(faults, page, response, expected_statuses)
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == {}


def _note(faults, page, kind, text):
    if kind in {"error", "warning"}:
        faults.setdefault(text, page.url)


def _note_status(faults, page, response, expected_statuses):
    is_expected = response.status in expected_statuses and response.request.is_navigation_request()
    if response.status >= 400 and not is_expected:
        faults.setdefault(f"{response.status} {response.url}", page.url)


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture
def axe():
    """Return a function that lists what axe-core finds on the open page, as "rule: place"."""
    source = AXE.read_text("utf-8")

    def run(page):
        # Evaluated by the debugger, so the page's content security policy stays as it is.
        page.evaluate(source)
        return page.evaluate(_RUN_AXE)

    return run


@pytest.fixture
def site(transactional_db):
    """Load the catalogue and let one agent close an episode on an open task, so boards exist."""
    cache.clear()
    call_command("load_catalog")
    # One task of each kind stands for all: four and six factors, open and sealed.
    Task.objects.exclude(slug__in=["nile", "co2__d6", "rocket"]).update(is_current=False)
    agent, now = make_agent("walker"), timezone.now()
    task = Task.objects.get(slug="nile")
    episode = start_episode(agent=agent, task=task, budget=8, view="full", now=now)
    buy_measurements(agent=agent, episode_id=episode.id, masks=["1000", "0100"], now=now)
    table = dict.fromkeys(all_masks(4), 0.7)
    submit_prediction(agent=agent, episode_id=episode.id, predictions=table, now=now)
    call_command("recompute_leaderboards", "--draws", "50")
