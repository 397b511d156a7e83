"""Case C50 in a real browser: text that is a program stays text, staff pages included."""

import pytest
from django.core.management import call_command
from django.utils import timezone

from catalog.models import Family, Source, Task
from episodes.actions import ledger
from episodes.models import Agent, AgentKind
from scoring.masks import all_masks
from tests.builders import NOW, make_family, make_key, make_release, make_source, make_task
from tools.screenshots import crawl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SVG = "<svg onload=window.hacked=1>"
IMAGE = '"><img src=x onerror=window.hacked=1>'
SCRIPT = "</title><script>window.hacked=1</script>"
LINK = "[x](javascript:window.hacked=1)"
OVERRIDE = "\N{RIGHT-TO-LEFT OVERRIDE}daolno gvs"
HOSTILE = (SVG, IMAGE, SCRIPT, LINK, OVERRIDE, "M" * 80)


@pytest.fixture
def hostile_site():
    """A site whose every text that people or agents give is one of the hostile ones.

    The rows are made past the actions, which refuse most of these names.
    """
    text = f"{SVG} {IMAGE} {SCRIPT} {LINK} {OVERRIDE} {'M' * 80}"
    family, source, release = make_family(), make_source(), make_release()
    Family.objects.update(title=SVG, native_metric=SCRIPT, utility_definition=text)
    Source.objects.update(title=IMAGE, origin=text, licence=SCRIPT)
    template = make_task("template", source=source, release=release)
    fields = {
        field.attname: getattr(template, field.attname)
        for field in Task._meta.concrete_fields
        if field.attname not in {"id", "slug", "version"}
    }
    Task.objects.update(is_current=False)
    words = {
        "question": text,
        "input_summary": text,
        "source_code": text,
        "factors": [{"letter": a, "name": IMAGE, "off": SVG, "on": SCRIPT} for a in "ABCD"],
    }
    task = Task.objects.create(**fields | words | {"slug": "nile", "version": "2" * 64})
    assert task.source.family == family
    for number, name in enumerate(HOSTILE):
        agent = Agent.objects.create(name=name, kind=AgentKind.API, description=SVG, created_at=NOW)
        make_key(agent, name=f"{number} {SVG}")
        _close_episode(agent, template)
    call_command("recompute_leaderboards", "--draws", "50")


def _close_episode(agent, task):
    now = timezone.now()
    episode = ledger.start_episode(agent=agent, task=task, budget=2, view="full", now=now)
    table = dict.fromkeys(all_masks(4), 0.5)
    ledger.submit_prediction(agent=agent, episode_id=episode.id, predictions=table, now=now)


def staff_addresses(page, site):
    """Return the staff's lists, and the first row of each."""
    page.goto("/admin/")
    lists = page.eval_on_selector_all(
        "#content th a[href]", "links => links.map(link => link.href)"
    )
    rows = []
    for address in lists:
        page.goto(address)
        first = page.locator("#result_list th a").first
        if first.count():
            rows.append(f"{site}{first.get_attribute('href')}")
    return [*lists, *rows]


def log_in(page):
    page.goto("/admin/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("password")
    with page.expect_navigation():
        page.get_by_role("button", name="Log in").click()


@pytest.mark.usefixtures("hostile_site")
def test_hostile_text_runs_nowhere_and_is_shown_as_it_is(page, live_server, admin_user):
    site = live_server.url
    public = crawl(page, site)
    log_in(page)
    staff = staff_addresses(page, site)
    assert len(public) > 10
    assert len(staff) > 10
    shown = ""
    for address in [*public, *staff]:
        page.goto(address)
        assert page.evaluate("window.hacked") is None, address
        assert page.locator("script:not([src]):not([type='application/json'])").count() == 0
        assert page.locator("[onload], [onerror], a[href^='javascript:']").count() == 0, address
        shown += page.locator("body").inner_text()
    for text in (SVG, IMAGE, SCRIPT, LINK, OVERRIDE):
        assert text in shown


# Texts that nothing keeps from turning round their neighbours.
BARE = """text => {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.data.includes(text) && !node.parentElement.closest("bdi")) found.push(node.data);
    }
    return found;
}"""


@pytest.mark.usefixtures("hostile_site")
@pytest.mark.parametrize("path", ["/episodes/", "/leaderboards/d4-b2-full-2026-1/"])
def test_a_name_cannot_turn_round_what_stands_beside_it(page, path):
    page.goto(path)
    assert page.locator("bdi", has_text=OVERRIDE).count() > 0
    assert page.evaluate(BARE, OVERRIDE) == []


@pytest.mark.usefixtures("hostile_site")
def test_a_long_name_does_not_widen_the_page(page):
    page.set_viewport_size({"width": 375, "height": 800})
    for path in ("/episodes/", "/leaderboards/", "/leaderboards/d4-b2-full-2026-1/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
