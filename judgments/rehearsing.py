"""A rehearsal: robots play a study's protocol through its real pages before people may join.

It fills three launch checks: what the robots left, what the pages told, and whether the export of
it all adds up.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice
from threading import Lock

from django.db import connection
from django.urls import reverse

from judgments.actions import rehearsals
from judgments.actions.launch import CheckFinished, finish_check
from judgments.actions.rehearsals import Rehearsal
from judgments.exports import checking
from judgments.models import CheckKind, Study
from judgments.protocol import Protocol
from judgments.queries.behind import private_texts
from judgments.queries.rehearsals import design_findings, item_kinds, slot_findings
from judgments.queries.robots import knowledge_of, orders_for, outcomes_of
from judgments.robots.browser import Refused
from judgments.robots.decisions import Robot, RobotName
from judgments.robots.expectations import Finding, judge
from judgments.robots.leaks import Seen, find_early_codes, find_marks, find_private_texts
from judgments.robots.loopback import serve_site
from judgments.robots.pages import Page
from judgments.robots.plans import Entry, Plan
from judgments.robots.player import Played
from judgments.robots.playing import Stage, play_all
from scoring.ranks import PAIRS

PARALLEL = 4
SEED_BITS = 31
NEWS_SECONDS = 5.0
MOST_FAULTS = 20  # of one check, kept to be shown
STRANGER = ""

Clock = Callable[[], datetime]


def rehearse(rehearsal: Rehearsal, *, clock: Clock) -> dict[CheckKind, bool]:
    """Play the version of a claimed rehearsal, and return which of its checks passed.

    Raises
    ------
    RehearsalLost
        If the checks were given up meanwhile; nothing more is written then.
    """
    protocol = Protocol.from_definition(rehearsal.version.definition)
    stage = rehearsals.prepare_stage(rehearsal=rehearsal, now=clock())
    seed = secrets.randbits(SEED_BITS)
    pages: list[Seen] = []
    try:
        findings, played = _play(stage, protocol, seed, pages, hear=_hearing(rehearsal, clock))
        passed = {CheckKind.ROBOTS: _finish_robots(rehearsal, findings, played, seed, clock)}
        leaks = list(islice(_leaks(stage, protocol, played, pages), MOST_FAULTS))
        summary = f"{len(pages)} pages of {len(played)} robots and a stranger"
        passed[CheckKind.LEAK_CRAWL] = _finish(
            rehearsal, CheckKind.LEAK_CRAWL, leaks, clock, summary=summary, n_pages=len(pages)
        )
        faults = checking.check(stage, now=clock())
        summary = "the export of the rehearsal in every format, read again"
        passed[CheckKind.EXPORT] = _finish(
            rehearsal, CheckKind.EXPORT, faults, clock, summary=summary
        )
    finally:
        rehearsals.free_stage(stage=stage, rehearsal=rehearsal, now=clock())
    return passed


def give_up(rehearsal: Rehearsal, *, cause: str, now: datetime) -> None:
    """Fail the checks that have not ended, with the reason."""
    for check_id in rehearsal.checks.values():
        with suppress(CheckFinished):
            finish_check(check_id=check_id, is_passed=False, details={"faults": [cause]}, now=now)


def plan_of(protocol: Protocol) -> Plan:
    """Return who rehearses: each robot once, the quitter leaving half-way."""
    names = set(RobotName)
    if not protocol.allows_equal:
        names.remove(RobotName.EQUAL_ALWAYS)
    n_items = sum(protocol.quotas) * len(PAIRS) + sum(protocol.checks.values())
    return Plan(
        tuple(
            Entry(name, stops_after=n_items // 2 if name is RobotName.QUITTER else None)
            for name in sorted(names)
        )
    )


def _play(
    study: Study, protocol: Protocol, seed: int, pages: list[Seen], *, hear: Callable[[], None]
) -> tuple[list[Finding], list[Played]]:
    """Let the robots play, look around as each kind of visitor, and compare what they left."""
    plan = plan_of(protocol)
    orders = orders_for(plan, protocol)
    robots = plan.robots(seed=seed)
    home = reverse("judgments:study", args=[study.pk])
    with serve_site() as site:
        stage = Stage(site, home, knowledge_of(protocol, orders))
        played = play_all(
            robots,
            stage,
            parallel=PARALLEL,
            on_answer=hear,
            on_page=lambda robot, page: pages.append(Seen(robot.platform_pid, page)),
        )
        for visitor in (STRANGER, *_middle_and_end(robots)):
            _look_around(stage, visitor, pages)
    now = max(person.last_seen_at for person in study.participants.all())
    outcomes = outcomes_of(study, robots, orders)
    findings = [
        *(_of(outcome.robot, finding) for outcome in outcomes for finding in judge(outcome)),
        *(_of(one.robot, finding) for one in played for finding in _path_findings(one)),
        *design_findings(study, protocol, now=now),
        *slot_findings(study, [quitter.platform_pid for quitter in _quitters(robots)], now=now),
    ]
    return findings, played


def _quitters(robots: list[Robot]) -> list[Robot]:
    return [robot for robot in robots if robot.name is RobotName.QUITTER]


def _middle_and_end(robots: list[Robot]) -> list[str]:
    """Return the platform ids of somebody in the middle of the path and of somebody at its end."""
    ended = [robot for robot in robots if robot.name is RobotName.ORACLE]
    return [robot.platform_pid for robot in (*_quitters(robots), *ended)]


def _look_around(stage: Stage, visitor: str, pages: list[Seen]) -> None:
    """Open every address of the study as a visitor, and every one that these link to."""
    browser = stage.browser(on_page=lambda page: pages.append(Seen(visitor, page)))
    query = {"PROLIFIC_PID": visitor} if visitor else {}
    addresses = [
        stage.home,
        *(stage.home + door for door in ("last/", "leave/", "me/x/", "begin/")),
    ]
    try:
        landing = browser.get(stage.home, query)
        if visitor and (begin := landing.form_to("/begin/")):
            browser.submit(begin, {})
        for address in addresses:  # it grows while it is walked through
            with suppress(Refused):
                found = _links(browser.get(address), stage.home)
                addresses += [link for link in found if link not in addresses]
    finally:
        browser.close()


def _links(page: Page, home: str) -> list[str]:
    links = {value for tag, name, value in page.attributes if (tag, name) == ("a", "href")}
    return sorted(link for link in links if link.startswith(home))


def _path_findings(played: Played) -> Iterator[Finding]:
    yield Finding("problems on the path", "none", played.problem or "none", not played.problem)
    faults = ", ".join(f"{n} x {name}" for name, n in played.faults.items()) or "none"
    yield Finding("requests without an answer", "none", faults, not played.faults)
    n = played.n_unequal_replies
    yield Finding("unequal replies to the same answer", "0", str(n), not n)


def _of(robot: Robot, finding: Finding) -> Finding:
    return replace(finding, statement=f"{robot.name}: {finding.statement}")


def _leaks(
    study: Study, protocol: Protocol, played: list[Played], pages: list[Seen]
) -> Iterator[str]:
    private = {text for texts in private_texts(protocol.scenarios).values() for text in texts}
    codes = {one.robot.platform_pid: one.completion_code for one in played if one.completion_code}
    shared = [code for code in [protocol.return_codes["complete"]] if code]
    yield from find_private_texts(pages, private)
    yield from find_early_codes(pages, codes, shared)
    yield from find_marks(pages, item_kinds(study))


def _finish_robots(
    rehearsal: Rehearsal, findings: list[Finding], played: list[Played], seed: int, clock: Clock
) -> bool:
    faults = [
        f"{finding.statement}: {finding.found}, expected {finding.expected}"
        for finding in findings
        if not finding.holds
    ]
    n_answers = sum(len(one.answers) for one in played)
    return _finish(
        rehearsal,
        CheckKind.ROBOTS,
        faults,
        clock,
        summary=f"{len(played)} robots, {n_answers} answers, {len(findings)} statements",
        seed=seed,
        findings=[asdict(finding) for finding in findings],
    )


def _finish(
    rehearsal: Rehearsal, kind: CheckKind, faults: list[str], clock: Clock, **details: object
) -> bool:
    details |= {"faults": faults[:MOST_FAULTS], "n_faults": len(faults)}
    try:
        finish_check(
            check_id=rehearsal.checks[kind], is_passed=not faults, details=details, now=clock()
        )
    except CheckFinished as error:
        raise rehearsals.RehearsalLost from error
    return not faults


def _hearing(rehearsal: Rehearsal, clock: Clock) -> Callable[[], None]:
    """Return what says now and then that the worker is alive, whichever thread calls it."""
    lock, heard_at = Lock(), time.monotonic()

    def hear() -> None:
        nonlocal heard_at
        with lock:
            if time.monotonic() - heard_at < NEWS_SECONDS:
                return
            heard_at = time.monotonic()
        try:
            rehearsals.hear_from(checks=rehearsal.checks.values(), now=clock())
        finally:
            connection.close()  # that of a robot's thread, which nobody else closes

    return hear
