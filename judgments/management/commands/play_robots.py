"""`manage.py play_robots STUDY --plan FILE`: let named robots take part through the real pages."""

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from judgments.models import Audience, ProtocolVersion, Study
from judgments.protocol import Protocol
from judgments.queries.launch import current_protocol
from judgments.queries.robots import PlanMisfit, knowledge_of, orders_for, outcomes_of
from judgments.robots.decisions import Robot
from judgments.robots.expectations import Outcome, judge
from judgments.robots.loopback import Loopback, serve_site
from judgments.robots.plans import EXAMPLE, PlanInvalid, read_plan
from judgments.robots.player import Played
from judgments.robots.playing import Stage, play_all

NEWS_SECONDS = 5.0
PLAN_HELP = f"""\
The plan is JSON:

{EXAMPLE}

Robots: oracle follows the order, reverse follows it backwards, always-left, coin (a seeded draw),
equal-always (where the study offers it), speeder (a coin without any pause), quitter (an oracle
that leaves after 30 items, or after stops_after), double-clicker (an oracle that sends every answer
twice at once) and two-tabber (an oracle that answers every tenth item again from a second tab).
The order is "metric", or an object with the four numbers of each scenario's actions, the best
first: {{"sci-01": [2, 0, 3, 1], ...}}. Robots that follow an order read what a check asks for; the
others do not. Robots of the same seed that have played go on where they were.
"""


class Command(BaseCommand):
    """Play, tell how it goes, and compare what is stored with what the robots must have left."""

    help = "Let robots take part in a robots' study, through its real pages over HTTP."

    def create_parser(self, prog_name: str, subcommand: str, **options: object) -> CommandParser:
        options |= {"formatter_class": RawDescriptionHelpFormatter, "epilog": PLAN_HELP}
        return super().create_parser(prog_name, subcommand, **options)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the name in its address")
        parser.add_argument("--plan", type=Path, required=True, help="a JSON file, see below")
        parser.add_argument(
            "--url", help="the running site, as http://127.0.0.1:8000; by default an own server"
        )
        parser.add_argument("--parallel", type=int, default=6, help="robots at a time")
        parser.add_argument("--seed", type=int, default=1, help="of all that robots draw")

    def handle(
        self,
        *args: object,
        study: str,
        plan: Path,
        url: str | None,
        parallel: int,
        seed: int,
        **options: object,
    ) -> None:
        if not 1 <= parallel <= 64:
            raise CommandError("--parallel: give a number of robots from 1 to 64.")
        found, version = _robots_study(study)
        protocol = Protocol.from_definition(version.definition)
        try:
            read = read_plan(_text_of(plan))
            orders = orders_for(read, protocol)
        except (PlanInvalid, PlanMisfit) as error:
            raise CommandError(f"{plan}: {error}") from None
        robots = read.robots(seed=seed)
        with _site(url) as site:
            stage = Stage(
                site,
                reverse("judgments:study", args=[found.pk]),
                knowledge_of(protocol, orders),
                pause_seconds=read.pause_ms / 1000,
            )
            played = play_all(robots, stage, parallel=parallel, on_answer=self._news())
        outcomes = outcomes_of(found, robots, orders)
        self._tell(played, outcomes)
        self._judge(played, outcomes)

    def _news(self) -> Callable[[], None]:
        """Return what counts the answers and tells the count now and then."""
        lock, n, told_at = Lock(), 0, time.monotonic()

        def note() -> None:
            nonlocal n, told_at
            with lock:
                n += 1
                if time.monotonic() - told_at >= NEWS_SECONDS:
                    told_at = time.monotonic()
                    self.stdout.write(f"{n} answers")

        return note

    def _tell(self, played: Sequence[Played], outcomes: Sequence[Outcome]) -> None:
        faults: Counter[str] = sum((Counter(one.faults) for one in played), Counter())
        flags = Counter(flag for one in outcomes for flag in one.flags)
        n_checks = sum(one.n_answered - one.n_pairs for one in outcomes)
        attention = [kind for one in outcomes for kind in (one.instructed, one.repeats)]
        n_failed = sum(n - passed for passed, n in attention)
        lines = {
            "people": f"{sum(one.n_items > 0 for one in outcomes)}, "
            f"{sum(one.has_code for one in outcomes)} with a code",
            "judgments": sum(one.n_pairs for one in outcomes),
            "checks": f"{n_checks}, {n_failed} failed of the {sum(n for _, n in attention)} "
            "that can fail",
            "flags": _counted(flags),
            "sent again": _counted(faults),
            "sent twice": f"{sum(one.n_sent_twice for one in played)}, "
            f"{sum(one.n_unequal_replies for one in played)} with unequal replies",
            "refused": sum(bool(one.problem) for one in played),
        }
        for name, value in lines.items():
            self.stdout.write(f"{name:<12}{value}")

    def _judge(self, played: Sequence[Played], outcomes: Sequence[Outcome]) -> None:
        """Fail with one line for each robot that went astray or left what it must not."""
        faults = [f"{_named(one.robot)}: {one.problem}" for one in played if one.problem]
        gone_astray = {one.robot for one in played if one.problem}
        faults += [
            f"{_named(one.robot)}: {finding.statement}: {finding.found}, not {finding.expected}"
            for one in outcomes
            if one.robot not in gone_astray
            for finding in judge(one)
            if not finding.holds
        ]
        if faults:
            raise CommandError("\n".join(faults))


def _robots_study(slug: str) -> tuple[Study, ProtocolVersion]:
    study = Study.objects.filter(pk=slug).first()
    if study is None:
        raise CommandError(f"There is no study {slug}.")
    if study.audience != Audience.ROBOTS:
        raise CommandError(
            f"{slug} is a study of people, and robots never take part in one: make a robots' study."
        )
    version = current_protocol(study)
    if version is None or not study.is_open:
        raise CommandError(f"{slug} is not open: /staff/studies/{slug}/ leads to its launch.")
    return study, version


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None


def _site(url: str | None) -> AbstractContextManager[Loopback]:
    if url is None:
        return serve_site()
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise CommandError(f"--url: {url} is no address like http://127.0.0.1:8000")
    return nullcontext(Loopback(f"{parts.scheme}://{parts.netloc}", host="", secure=False))


def _named(robot: Robot) -> str:
    return f"robot {robot.number}, {robot.name}"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"
