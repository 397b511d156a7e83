"""Case C47: whoever crawls the site finds no utility of a sealed task that was not paid for.

Every hidden utility is a canary: no two of them agree at three decimals, and nothing else on the
site lies where they do. What an agent predicted is a secret too, looked for from six decimals on.
"""

import html
import json
import random
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog.models import Task, Track
from catalog.truth import Outcome
from episodes.actions.play import play_job
from episodes.models import Agent, AgentKind, Episode, Measurement, Prediction
from scoring.masks import all_masks
from tests.api_client import Api, api_of, refusal
from tests.builders import make_source, make_task
from tests.players import claim, make_job

pytestmark = pytest.mark.django_db(transaction=True)

SEALED = {"nile": 4, "co2__d6": 6}
NOBODY = "00000000-0000-4000-8000-000000000000"
_NUMBER = re.compile(r"\d+\.\d{3,}(?:e-?\d+)?")
_LINK = re.compile(r'(?:href|hx-get|action|formaction)="([^"#]*)')


def canaries(number_of: int, *, first: float, rng: random.Random) -> list[float]:
    """Return shuffled numbers with all their digits, 0.001 apart."""
    numbers = [
        first + index / 1000 + rng.uniform(-0.0004, 0.0004) for index in range(1, number_of + 1)
    ]
    rng.shuffle(numbers)
    return numbers


@dataclass
class Visitor:
    """Who looks: a key for the API, a browser, or both; and the numbers that are theirs."""

    name: str
    api: Api = field(default_factory=Api)
    browser: Client = field(default_factory=Client)
    start: tuple[str, ...] = ("/",)

    def get(self, path: str, **headers: str) -> Any:
        if path.startswith("/api/v1/"):
            return self.api.get(path.removeprefix("/api/v1/"), **headers)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.browser.get(path, headers=named)


@dataclass(frozen=True)
class Secret:
    """A number, who may see it, and with how many decimals it is no other number."""

    number: float
    owners: frozenset[str]
    fewest_decimals: int = 3

    def spellings(self) -> Iterator[str]:
        yield repr(self.number)
        for decimals in range(self.fewest_decimals, 18):
            yield f"{self.number:.{decimals}f}"
            yield f"{100 * self.number:.{decimals}f}"


class World:
    """The played site: its visitors and its secrets."""

    def __init__(self, visitors: dict[str, Visitor], secrets: Iterable[Secret]) -> None:
        self.visitors = visitors
        self.by_spelling = {text: secret for secret in secrets for text in secret.spellings()}

    def leaks(self, text: str, *, to: str) -> set[float]:
        """Return the secrets of others that the text spells."""
        found = {
            self.by_spelling[number]
            for number in _NUMBER.findall(text)
            if number in self.by_spelling
        }
        return {secret.number for secret in found if to not in secret.owners}


def play(api: Api, task: Task, *, view: str, n_bought: int, table: Iterable[float] | None) -> str:
    """Play an episode through the API, refusals included; without a table it stays open."""
    episode_id: str = api.start(task=task.slug, budget=n_bought, view=view)["id"]
    masks = [mask for mask in all_masks(task.n_factors) if mask not in task.anchors]
    wanted = random.Random(episode_id).sample(masks, n_bought)
    for mask in wanted:
        assert api.buy(episode_id, [mask], Idempotency_Key=mask).status_code == 200
    refused = [
        api.buy(episode_id, [*masks[:1], "2"]),
        api.buy(episode_id, masks),
        api.submit(episode_id, {masks[0]: 2}),
    ]
    assert [reply.status_code for reply in refused] == [422, 402, 422]
    if table is not None:
        predictions = dict(zip(all_masks(task.n_factors), table, strict=True))
        assert api.submit(episode_id, predictions).status_code == 201
    return episode_id


def play_in_browser(browser: Client, task: Task, table: Iterable[float] | None) -> None:
    browser.post(reverse("episodes:start"), {"task": task.slug, "budget": 2, "view": "full"})
    episode = Episode.objects.latest("created_at")
    browser.post(reverse("episodes:measure", args=[episode.id]), {"mask": all_masks(4)[1:3]})
    if table is not None:
        form = {f"prediction-{mask}": repr(p) for mask, p in zip(all_masks(4), table, strict=True)}
        browser.post(reverse("episodes:predict", args=[episode.id]), form)


@pytest.fixture
def world() -> World:
    cache.clear()
    rng = random.Random(47)
    utilities = canaries(16 + 64, first=0.7, rng=rng)
    guesses = iter(canaries(16 * 2 + 64, first=0.6, rng=rng))
    tasks = {
        slug: make_task(
            slug,
            truth=[utilities.pop() for _ in range(2**d)],
            source=make_source(slug.partition("__")[0]),
            track=Track.SIX_FACTOR_PAIRED if d == 6 else Track.FOUR_FACTOR,
        )
        for slug, d in SEALED.items()
    }

    def table(d: int) -> list[float]:
        return [next(guesses) for _ in range(2**d)]

    walker, rival, person = api_of("walker"), api_of("rival"), Client()
    play(walker, tasks["nile"], view="full", n_bought=3, table=table(4))
    play(walker, tasks["nile"], view="full", n_bought=2, table=None)
    play(rival, tasks["co2__d6"], view="opaque", n_bought=5, table=table(6))
    play(rival, tasks["nile"], view="opaque", n_bought=1, table=None)
    play_in_browser(person, tasks["nile"], table(4))
    play_in_browser(person, tasks["nile"], None)
    for method in ("design_degree2", "gp_effect_variance"):
        for task in tasks.values():
            play_job(claim=claim(make_job(task, method=method, budget=4)), clock=timezone.now)
    call_command("recompute_leaderboards", "--draws", "50")

    visitors = {
        "anonymous": Visitor("anonymous"),
        "walker": Visitor("walker", api=walker),
        "rival": Visitor("rival", api=rival),
        "person": Visitor(Agent.objects.get(kind=AgentKind.PERSON).name, browser=person),
        "clerk": Visitor("clerk", browser=clerk_browser(), start=("/", "/admin/")),
    }
    return World(visitors, secrets(tasks.values()))


def clerk_browser() -> Client:
    """Return a browser of staff who may view everything but utilities."""
    clerk = User.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.set(
        Permission.objects.filter(codename__startswith="view_").exclude(codename="view_utilities")
    )
    browser = Client()
    browser.force_login(clerk)
    return browser


def secrets(tasks: Iterable[Task]) -> Iterator[Secret]:
    """Yield every number that is not an anchor's: outcomes, and what agents predicted."""
    buyers = defaultdict(set)
    for bought in Measurement.objects.select_related("episode__agent"):
        buyers[bought.utility].add(bought.episode.agent.name)
    public = {utility for task in tasks for utility in task.anchors.values()}
    for utility in Outcome.objects.values_list("utility", flat=True):
        if utility not in public:
            yield Secret(utility, frozenset(buyers[utility]))
    for prediction in Prediction.objects.select_related("episode__agent", "episode__task"):
        agent, task = prediction.episode.agent, prediction.episode.task
        measured = {bought.mask for bought in prediction.episode.measurements.all()}
        for mask in prediction.table.keys() - measured - task.anchors.keys():
            # Players compute theirs: only many decimals tell them from scores.
            yield Secret(prediction.table[mask], frozenset({agent.name}), fewest_decimals=6)


def seeds() -> list[str]:
    """Return addresses that no link leads to, with the parameters that doors understand."""
    ids = [NOBODY, *Episode.objects.values_list("id", flat=True)]
    return [
        *("/players/?panel=4-full", "/healthz", "/no-such-page/", "/api/nowhere/"),
        *(f"/catalog/{slug}/{query}" for slug in SEALED for query in ("", "?reveal=1", "?q=1")),
        *(f"/episodes/?{query}" for query in ("page=1", "page=-1", "task=nile", "q=0001")),
        *(f"/catalog/?{query}" for query in ("order=open_surface", "anchors=1", "q=0.7")),
        *(f"/episodes/{one}/?step={step}" for one in ids for step in (0, 1, 2, 99)),
        *(f"/episodes/{one}/{door}/" for one in ids for door in ("measure", "fill", "predict")),
        *(f"/api/v1/{door}/" for door in ("tasks", "episodes", "boards", "schema", "controls")),
        *("/api/v1/controls/records/?limit=200", "/leaderboards/controls/records.csv"),
        *(
            f"{explorer}effects/{table}.csv{query}"
            for explorer in ("/catalog/", "/admin/catalog/task/")
            for table in ("outcomes", "effects")
            for query in ("", "?task=nile")
        ),
        *(f"/api/v1/tasks/{slug}/?fields=all" for slug in SEALED),
        *("/api/v1/tasks/?family=x&factors=z", "/api/v1/episodes/?cursor=bm8%3D&limit=1"),
        *(
            f"/api/v1/episodes/{one}/{door}"
            for one in ids
            for door in ("", "score/", "measurements/", "prediction/")
        ),
    ]


def crawl(visitor: Visitor, addresses: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Yield address, status and text of every reply that links lead to, as htmx asks for it too.

    Links that change only the query are followed once, else the filters of the staff pages
    would never end.
    """
    queue, seen = deque(addresses), set(addresses)
    while queue:
        path = queue.popleft()
        if not path.startswith(("/admin/", "/api/")):
            response = visitor.get(path, HX_Request="true")
            yield path, response.status_code, _text(response)
        response = visitor.get(path)
        text = _text(response)
        yield path, response.status_code, text
        if response.has_header("Location"):
            links = [response["Location"]]
        elif response["Content-Type"].startswith("text/html"):
            links = [html.unescape(link) for link in _LINK.findall(text)]
        else:
            links = re.findall(r'"http://testserver(/[^"]*)"', text)
        for link in links:
            address = f"{path.partition('?')[0]}{link}" if link.startswith("?") else link
            if _leads_on(address, seen, from_query="?" in path):
                seen.add(address)
                queue.append(address)


def _text(response: Any) -> str:
    """Return head and body, of a file that is sent in pieces too."""
    return f"{response.headers}\n{response.getvalue().decode(errors='replace')}"


def _leads_on(address: str, seen: set[str], *, from_query: bool) -> bool:
    return (
        address.startswith("/")
        and not address.startswith(("/static/", "/admin/logout/", "/admin/jsi18n/"))
        and address not in seen
        and not (from_query and "?" in address)
    )


@pytest.mark.parametrize("name", ["anonymous", "walker", "rival", "person", "clerk"])
def test_a_crawl_finds_no_number_that_belongs_to_somebody_else(world, name):
    visitor = world.visitors[name]
    n_replies, statuses, found, own = 0, set(), {}, set()
    for path, status, text in crawl(visitor, [*visitor.start, *seeds()]):
        n_replies += 1
        statuses.add(status)
        if leaks := world.leaks(text, to=visitor.name):
            found[path] = leaks
        own |= world.leaks(text, to="nobody") - world.leaks(text, to=visitor.name)
    assert found == {}
    assert statuses <= {200, 301, 302, 400, 401, 403, 404, 405, 409}
    assert n_replies > 200
    # The crawl can see: it met what this visitor paid for.
    assert bool(own) == (name in {"walker", "rival", "person"})


def test_the_needle_is_found_in_every_rendering(world):
    [secret] = Outcome.objects.filter(mask="0110").values_list("utility", flat=True)
    for text in (f"{secret:.3f}", f"<td>{secret:.6f}</td>", f'{{"0001":{secret!r}}}'):
        assert world.leaks(text, to="anonymous") == {secret}
    assert world.leaks(f"{secret + 0.001:.3f}1", to="anonymous") == set()


def test_an_episode_tells_nothing_of_what_another_one_of_the_same_agent_paid_for(world):
    api = world.visitors["walker"].api
    episode = api.start(task="nile", budget=8)
    texts = [
        json.dumps(episode),
        api.get(f"episodes/{episode['id']}/").content.decode(),
        api.get(f"episodes/{episode['id']}/score/").content.decode(),
        api.get("tasks/nile/").content.decode(),
    ]
    assert [world.leaks(text, to="nobody") for text in texts] == [set()] * 4


def test_what_belongs_to_another_agent_is_404_in_the_words_of_what_does_not_exist(world):
    doors: list[tuple[str, object]] = [
        ("", None),
        ("score/", None),
        ("measurements/", {"masks": ["0001"]}),
        ("prediction/", {"predictions": {}}),
    ]
    api = world.visitors["rival"].api
    foreign = Episode.objects.exclude(agent__name="rival").values_list("id", flat=True)
    replies = [
        api.get(f"episodes/{one}/{door}")
        if body is None
        else api.post(f"episodes/{one}/{door}", body)
        for one in [*foreign, NOBODY]
        for door, body in doors
    ]
    assert {refusal(reply) for reply in replies} == {(404, "not_found")}
    assert len({reply.content for reply in replies}) == 1


def test_an_open_episode_has_a_page_for_the_browser_that_plays_it_and_no_other(world):
    still_open = Episode.objects.filter(state="open")
    open_ids = set(still_open.values_list("id", flat=True))
    for visitor in world.visitors.values():
        seen = {one for one in open_ids if visitor.get(f"/episodes/{one}/").status_code == 200}
        own = set(
            still_open.filter(agent__name=visitor.name, agent__kind=AgentKind.PERSON).values_list(
                "id", flat=True
            )
        )
        assert seen == own
        for one in open_ids - own:
            form = {"mask": "0001", "estimator": "mean"}
            for door in ("measure", "fill", "predict"):
                reply = visitor.browser.post(f"/episodes/{one}/{door}/", form)
                assert reply.status_code == 404


def test_a_stranger_sees_which_masks_were_bought_and_scores_of_three_decimals(world):
    episode = Episode.objects.get(agent__name="rival", state="submitted")
    page = world.visitors["anonymous"].get(f"/episodes/{episode.id}/").content.decode()
    bought = [m.mask for m in episode.measurements.order_by("position")]
    listed = re.findall(r'<th scope="row" class="mask">(\d+)</th>', page)
    assert listed[2:] == bought  # after the two free anchors
    [score] = re.findall(r'aria-label="Score".*?</table>', page, re.DOTALL)
    decimals = {len(number.partition(".")[2]) for number in re.findall(r"\d+\.\d+", score)}
    assert max(decimals) == 3
    assert "chose" not in page


def test_no_log_line_holds_a_utility(caplog, world):
    lines = "\n".join(str(record.msg) for record in caplog.get_records("setup"))
    assert "measurements_bought" in lines
    assert world.leaks(lines, to="nobody") == set()
