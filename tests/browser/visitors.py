"""People who are at a certain page of a study's path, and how to get there in a browser."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from catalog.models import Scenario
from judgments.actions import path
from judgments.assignment import ItemKind
from judgments.models import Participant, Study
from tests.judgments.studies import answer_all, consent, get_ready, join

NEXT = "button:has-text('Next')"


@dataclass
class Visitor:
    """Somebody at a certain page of the path: how to get there with a fresh browser."""

    study: Study
    token: str | None = None
    pid: str = ""

    @property
    def address(self) -> str:
        link = f"me/{self.token}/" if self.token else ""
        query = f"?PROLIFIC_PID={self.pid}" if self.pid else ""
        return f"/study/{self.study.pk}/{link}{query}"


def turn(page, control):
    """Click what leads on, and wait until the page it leads to is there."""
    with page.expect_navigation():
        page.click(control)


def visitor(study: Study, *steps: Callable[[Participant], object]) -> Visitor:
    joined = join(study, now=timezone.now())
    for step in steps:
        step(joined.participant)
    return Visitor(study, joined.token)


def agree(participant):
    consent(participant, now=timezone.now())


def agree_not(participant):
    consent(participant, is_given=False, now=timezone.now())


def qualify(participant):
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=timezone.now())


def read(participant):
    path.read_instructions(participant_id=participant.pk, now=timezone.now())


def misunderstand(participant):
    path.answer_comprehension(
        participant_id=participant.pk,
        number=participant.comprehension_attempts.count() + 1,
        answers={"task": "longer-text"},
        now=timezone.now(),
    )


def start(participant):
    get_ready(participant, now=timezone.now())


def answer_first(participant):
    start(participant)
    answer_all(participant, range(1, 2), now=timezone.now())


def go_to_check(participant):
    start(participant)
    check = participant.items.filter(kind=ItemKind.INSTRUCTED).earliest("position")
    answer_all(participant, range(1, check.position), now=timezone.now())


def go_to_break(participant):
    start(participant)
    n_items = participant.items.filter(cell__place__lte=2).count()
    answer_all(participant, range(1, n_items + 1), now=timezone.now())


def go_to_last(participant):
    start(participant)
    answer_all(participant, range(1, 60), now=timezone.now())


def go_to_debrief(participant):
    start(participant)
    answer_all(participant, now=timezone.now())


def finish(participant):
    go_to_debrief(participant)
    path.finish(participant_id=participant.pk, now=timezone.now())


def stay_away(participant):
    start(participant)
    away_since = timezone.now() - timedelta(days=2)
    Participant.objects.filter(pk=participant.pk).update(last_seen_at=away_since)


def longest_scenarios() -> tuple[str, ...]:
    def length(scenario):
        parts = [*scenario.mechanisms, *scenario.interventions]
        return len(scenario.question + scenario.baseline + "".join(map(str, parts)))

    by_domain: dict[str, list[Scenario]] = {}
    for scenario in sorted(Scenario.objects.all(), key=length, reverse=True):
        by_domain.setdefault(scenario.domain, []).append(scenario)
    return tuple(one.slug for found in by_domain.values() for one in found[:3])
