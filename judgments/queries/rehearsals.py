"""What a rehearsal must have left in the rows, whoever played."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q

from judgments.assignment import ItemKind
from judgments.models import Item, Judgment, Study
from judgments.protocol import Protocol
from judgments.queries.coverage import coverage, domains, served_cells
from judgments.robots.expectations import Finding


def design_findings(study: Study, protocol: Protocol, *, now: datetime) -> Iterator[Finding]:
    """Yield what holds of any study in which everybody's place is still held."""
    counts = coverage(study, protocol.scenarios, now=now)
    domain = domains(protocol.scenarios)
    by_domain: dict[str, list[int]] = defaultdict(list)
    for slug, n in counts.items():
        by_domain[domain[slug]].append(n)
    spread = max(max(served) - min(served) for served in by_domain.values())
    yield _at_most("spread of coverage inside a domain", 1, spread)
    totals = [sum(served) for served in by_domain.values()]
    most = max(protocol.quotas) - min(protocol.quotas)
    yield _at_most("spread of coverage between domains", most, max(totals) - min(totals))
    yield _at_most("an action is more often left than right, or less", 1, _side_excess(study))
    n_wrong = _n_wrong_haste(study, protocol)
    yield _exactly("answers whose mark for haste contradicts the clock", 0, n_wrong)


def slot_findings(study: Study, unfinished: Sequence[str], *, now: datetime) -> Iterator[Finding]:
    """Yield whether the scenarios that somebody left open are given back after the hold."""
    people = study.participants.filter(platform_pid__in=unfinished)
    open_cells = Q(participant__in=people, completed_at__isnull=True)
    n_open = served_cells(study, now=now).filter(open_cells).count()
    last = people.aggregate(last=Max("hold_until"))["last"] or now
    after = served_cells(study, now=last + timedelta(seconds=1)).filter(participant__in=people)
    yield Finding("scenarios held for who left", "some", str(n_open), holds=n_open > 0)
    yield _exactly("of these still held after the hold", 0, after.filter(open_cells).count())
    n_complete = served_cells(study, now=now).filter(participant__in=people, is_usable=True)
    yield _exactly("their complete ones that count on", n_complete.count(), after.count())


def item_kinds(study: Study) -> dict[tuple[str, int], str]:
    """Return the kind of every item, by platform id and position."""
    rows = Item.objects.filter(participant__study=study, participant__platform_pid__isnull=False)
    return {
        (str(pid), position): kind
        for pid, position, kind in rows.values_list("participant__platform_pid", "position", "kind")
    }


def _side_excess(study: Study) -> int:
    pairs = Item.objects.filter(participant__study=study, kind=ItemKind.JUDGMENT)
    excess: Counter[int] = Counter()
    for side, sign in (("left", 1), ("right", -1)):
        for action, n in pairs.values_list(side).annotate(n=Count("pk")).order_by():
            excess[action] += sign * n
    return max(map(abs, excess.values()), default=0)


def _n_wrong_haste(study: Study, protocol: Protocol) -> int:
    least = timedelta(milliseconds=protocol.fast_answer_ms)
    answers = Judgment.objects.filter(participant__study=study).annotate(
        seconds=F("answered_at") - F("item__shown_at")
    )
    return answers.filter(
        Q(is_fast=True, seconds__gte=least) | Q(is_fast=False, seconds__lt=least)
    ).count()


def _at_most(statement: str, most: int, found: int) -> Finding:
    return Finding(statement, f"at most {most}", str(found), holds=found <= most)


def _exactly(statement: str, expected: int, found: int) -> Finding:
    return Finding(statement, str(expected), str(found), holds=found == expected)
