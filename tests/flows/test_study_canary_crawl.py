"""Whoever crawls the site finds nothing private of a study (issue 4, acceptance 5).

Every private field is a canary: a word or a number that nothing else on the site holds. What
cannot be such a word, the expected answer of a check, is looked for otherwise: the pages of an
assistant must be the same, to the letter, whichever answer was expected.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from catalog.models import Scenario
from catalog.scenario_truth import ActionMetric, ScenarioTruth
from judgments.actions import path
from judgments.actions.joining import join_study
from judgments.actions.staff import exclude_participant
from judgments.actions.watching import add_note, store_submissions
from judgments.assignment import ItemKind
from judgments.models import Choice, Item, Judgment, Participant, Study
from judgments.submissions import Submission
from tests.builders import NOW
from tests.flows.test_canary_crawl import NOBODY, Visitor, crawl
from tests.judgments.desk import log_in, make_assistant, make_staff
from tests.judgments.person import Person
from tests.judgments.played import play
from tests.judgments.studies import get_ready, make_study
from wwbsite.request_logs import hide_secrets

pytestmark = pytest.mark.django_db(transaction=True)

CODES = {
    "complete": "CANARYCODEDONE",
    "screened-out": "CANARYCODEOUT",
    "no-consent": "CANARYCODENO",
}
SMALL: dict[str, Any] = {
    "quotas": (2, 1, 1),
    "checks": {ItemKind.INSTRUCTED: 2, ItemKind.DOMINATED: 2, ItemKind.REPEAT: 2},
    "breaks_after": (2,),
    "return_codes": CODES,
}
# Words of the design that no page of a participant says.
CHECK_WORDS = ("instructed", "dominated", "repeat_of", "expected", "foil", "orientation")


@dataclass(frozen=True)
class Secret:
    """A text that only its owners may read."""

    what: str
    text: str
    owners: frozenset[str]


class World:
    """The played study: its visitors and its secrets."""

    def __init__(self) -> None:
        self.study = make_study(n_per_domain=2, **SMALL)
        Study.objects.filter(pk="main").update(platform_study_id="CANARYSTUDY")
        plant_sources()
        self.ada = make_staff("ada")
        self.done, self.halfway = self._play()
        pages = (f"/study/{self.study.pk}/",)
        staff = ("/staff/studies/", "/staff/scenarios/", "/admin/")
        self.visitors = {
            "anonymous": Visitor("anonymous", start=("/", *pages)),
            "done": Visitor("done", browser=self.done_browser, start=pages),
            "halfway": Visitor("halfway", browser=self.halfway_browser, start=pages),
            "assistant": Visitor("assistant", browser=log_in(make_assistant()), start=staff),
            "manager": Visitor("manager", browser=log_in(self.ada), start=staff),
            "curator": Visitor(
                "curator",
                browser=log_in(
                    make_staff("eve", permissions=("watch_study", "read_scenario_truth"))
                ),
                start=staff,
            ),
        }
        self.secrets = tuple(self._secrets())

    def _play(self) -> tuple[Participant, Participant]:
        joined = join_study(
            study_slug="main", seed=7319804426157, now=NOW, platform_pid="canary-pid-done"
        )
        self.token = joined.token
        done = play(get_ready(joined.participant), n_items=30)
        done = path.finish(participant_id=done.pk, now=done.last_seen_at)
        self.done_browser = Client()
        self.done_browser.get(reverse("judgments:personal-link", args=["main", joined.token]))
        self.halfway_browser = Client()
        person = Person(self.study, self.halfway_browser)
        person.get_ready(
            PROLIFIC_PID="canary-pid-halfway", STUDY_ID="CANARYSTUDY", SESSION_ID="canary-session"
        )
        for choice in ("left", "right", "left"):
            person.answer(choice)
        halfway = person.participant
        add_note(
            participant_id=halfway.pk, staff=self.ada, text="canary-note", now=halfway.joined_at
        )
        exclude_participant(
            participant_id=done.pk, staff=self.ada, reason="canary-reason", now=halfway.joined_at
        )
        listed = [Submission("canary-pid-listed", "approved", "CANARYCODEDONE")]
        store_submissions(
            study=self.study, submissions=listed, staff=self.ada, now=halfway.joined_at
        )
        return done, halfway

    def _secrets(self) -> Iterator[Secret]:
        for truth in ScenarioTruth.objects.all():
            fields = [
                truth.source_identifier,
                truth.source_title,
                truth.source_authors,
                truth.source_locator,
                truth.conclusion,
                *truth.confirmed_facts,
                repr(truth.prior[0]),
            ]
            for text in fields:
                yield Secret("source", text, frozenset({"curator"}))
            yield Secret("prior", f"{truth.prior[0]:.3f}", frozenset({"curator"}))
        for rate in ActionMetric.objects.values_list("rate", flat=True):
            for text in (f"{rate:.3f}", repr(rate)):
                yield Secret("metric", text, frozenset({"curator", "manager"}))
        for name, code in CODES.items():
            owners = {"manager", "done"} if name == "complete" else {"manager"}
            yield Secret("code", code, frozenset(owners))
        yield Secret("code", str(self.done.completion_code), frozenset({"done", "manager"}))
        yield Secret("token", str(self.token), frozenset({"done"}))
        for name, participant in (("done", self.done), ("halfway", self.halfway)):
            staff = {"assistant", "manager", "curator"}
            yield Secret("id", str(participant.pk), frozenset(staff))
            yield Secret("id", participant.pk.hex[:8], frozenset(staff))
            yield Secret("seed", str(participant.seed), frozenset({"manager"}))
            yield Secret("hash", participant.token_sha256, frozenset({"manager"}))
            yield Secret("pid", str(participant.platform_pid), frozenset({name, "manager"}))
        yield Secret("pid", "canary-pid-listed", frozenset({"manager"}))
        yield Secret("session", "canary-session", frozenset({"halfway", "manager"}))
        for text in ("canary-note", "canary-reason"):
            yield Secret("staff's words", text, frozenset({"assistant", "manager", "curator"}))

    def leaks(self, text: str, *, to: str) -> set[tuple[str, str]]:
        """Return the secrets of others that the text holds."""
        return {
            (secret.what, secret.text)
            for secret in self.secrets
            if to not in secret.owners and secret.text in text
        }


def plant_sources() -> None:
    """Put canaries behind every scenario."""
    ScenarioTruth.objects.bulk_create(
        ScenarioTruth(
            scenario=scenario,
            source_identifier=f"arXiv:canary.{k}",
            source_title=f"Canarytitle{k}",
            source_authors=f"C. Canaryauthor{k}",
            source_year=2020,
            source_locator=f"canary-locator-{k}",
            conclusion=f"canary-conclusion-{k}",
            confirmed_facts=[f"canary-fact-{k}"],
            prior=[0.10371 + k / 1000, 0.2, 0.2, 0.2, 0.2, 0.09629 - k / 1000],
            budget=4,
            removes=[[j] for j in range(6)],
        )
        for k, scenario in enumerate(Scenario.objects.all())
    )
    # Every number another one, and the order of a scenario's proposals as it was.
    metrics = list(ActionMetric.objects.order_by("pk"))
    for k, metric in enumerate(metrics):
        metric.rate += 0.03713 + k / 1000
    ActionMetric.objects.bulk_update(metrics, ["rate"])


def seeds(world: World) -> list[str]:
    """Return addresses that no link leads to, and lookups that would guess a private field."""
    ids = [NOBODY, str(world.done.pk), str(world.halfway.pk)]
    slugs = Scenario.objects.values_list("pk", flat=True)[:2]
    item = Item.objects.filter(participant=world.done).earliest("pk").pk
    desk = "/staff/studies/main"
    admin = "/admin/judgments"
    return [
        *(
            f"{desk}/{page}/"
            for page in ("monitor", "audit", "recruitment", "protocol", "settings")
        ),
        *(f"{desk}/{page}/" for page in ("protocol/edit", "certificate", "export", "checks")),
        *(f"{desk}/people/{one}/{door}" for one in ids for door in ("", "exclude/", "undo/")),
        *(f"/staff/scenarios/{slug}/" for slug in slugs),
        *(f"/study/main/{door}/" for door in ("last", "leave", "begin", "me/x", "leave/delete")),
        *(f"/study/main/?{query}" for query in ("step=item", "code=1", "position=1")),
        f"{admin}/item/{item}/change/?expected=1",
        *(f"{admin}/item/?{lookup}" for lookup in ("expected=1", "kind=instructed", "o=3")),
        f"{admin}/item/?left__number=4",
        f"{admin}/participant/?completion_code__startswith=A",
        f"{admin}/participant/?platform_pid__startswith=c",
        f"{admin}/participant/?seed__gt=1",
        f"{admin}/protocolversion/?definition__contains=CANARY",
        f"{admin}/study/?platform_study_id__startswith=C",
        *(f"{admin}/{model}/" for model in ("blockedpid", "platformsubmission", "auditentry")),
    ]


@pytest.fixture
def world() -> World:
    cache.clear()
    return World()


@pytest.mark.parametrize("name", ["anonymous", "done", "halfway", "assistant"])
def test_a_crawl_finds_nothing_private(world, name, caplog):
    visitor = world.visitors[name]
    n_replies, statuses, found = 0, set(), {}
    for address, status, text in crawl(visitor, [*visitor.start, *seeds(world)]):
        n_replies += 1
        statuses.add(status)
        # What the visitor wrote into the address comes back in links and messages of faults.
        leaks = {leak for leak in world.leaks(text, to=name) if leak[1] not in address}
        if leaks:
            found[address] = leaks
        if name != "assistant" and address.startswith("/study/main/"):
            said = [word for word in CHECK_WORDS if word in text.partition("?")[2]]
            assert said == [], address
    assert found == {}
    assert statuses <= {200, 301, 302, 303, 400, 403, 404, 405, 409, 422}
    assert n_replies > 50
    records = [*caplog.get_records("setup"), *caplog.records]
    lines = "\n".join(hide_secrets(str(record.msg)) for record in records)  # as they are written
    assert "judgment_recorded" in lines
    private = {"source", "code", "pid", "token", "session", "seed", "staff's words"}
    assert {leak for leak in world.leaks(lines, to="nobody") if leak[0] in private} == set()


def test_the_needles_are_there_to_be_found(world):
    seen = set()
    for name in ("done", "manager", "curator"):
        visitor = world.visitors[name]
        addresses = [
            *visitor.start,
            "/staff/studies/main/recruitment/",
            f"/staff/studies/main/people/{world.halfway.pk}/",
            f"/staff/scenarios/{Scenario.objects.all()[0].pk}/",
        ]
        for address in addresses:
            seen |= world.leaks(visitor.get(address).getvalue().decode(), to="nobody")
    assert {what for what, _ in seen} >= {"source", "metric", "code", "pid", "id", "staff's words"}
    assert ("code", "CANARYCODEDONE") in seen


def test_the_code_is_on_no_page_before_the_end_and_on_the_own_page_after(world):
    # Case C11.
    codes = {secret.text for secret in world.secrets if secret.what == "code"}
    halfway = world.halfway_browser.get("/study/main/").content.decode()
    assert not [code for code in codes if code in halfway]
    done = world.done_browser.get("/study/main/").content.decode()
    assert {code for code in codes if code in done} == {
        "CANARYCODEDONE",
        str(world.done.completion_code),
    }


def set_expected(item: Item, expected_id: int) -> None:
    """Change what the database protects: another world, with another answer expected."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE judgments_item DISABLE TRIGGER guard_item")
        cursor.execute(
            "UPDATE judgments_item SET expected_id = %s WHERE id = %s", [expected_id, item.pk]
        )
        cursor.execute("ALTER TABLE judgments_item ENABLE TRIGGER guard_item")


def pages_of(world: World, name: str) -> dict[str, str]:
    """Return every page of the study that a visitor can read, without what changes by itself."""
    visitor = world.visitors[name]
    return {
        address: re.sub(
            r'name="(?:csrfmiddlewaretoken|key)" value="[^"]*"|As of .*? UTC|<time .*?</time>',
            "",
            text.partition("<!DOCTYPE html>")[2],
        )
        for address, status, text in crawl(visitor, ["/staff/studies/main/monitor/"])
        if status == 200 and not address.startswith("/catalog")
    }


def test_an_assistants_pages_do_not_depend_on_what_a_check_expects(world):
    """One check passed and one failed, or the other way round: every page stays as it is."""
    instructed = list(
        Item.objects.filter(participant=world.done, kind=ItemKind.INSTRUCTED).order_by("position")
    )
    dominated = Item.objects.filter(participant=world.done, kind=ItemKind.DOMINATED)[0]
    for item, choice in zip(instructed, (Choice.LEFT, Choice.LEFT), strict=True):
        Judgment.objects.filter(item=item).update(choice=choice, chosen=item.left)
    first, second = instructed
    set_expected(first, first.left_id)
    set_expected(second, second.right_id)
    set_expected(dominated, dominated.left_id)
    worlds = {name: [pages_of(world, name)] for name in ("assistant", "manager")}
    set_expected(first, first.right_id)
    set_expected(second, second.left_id)
    set_expected(dominated, dominated.right_id)
    for name, pages in worlds.items():
        pages.append(pages_of(world, name))
    before, after = worlds["assistant"]
    assert len(before) > 5
    assert before == after
    # The comparison can see: whoever runs the study reads which check failed.
    before, after = worlds["manager"]
    assert before != after
