"""Studies, participants and answers that tests start from."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from catalog.models import Action, Domain, Scenario
from catalog.proposals import Form
from catalog.scenario_truth import ActionMetric, ActionTruth
from judgments.actions import judging, path, staff
from judgments.actions.joining import Joined, join_study
from judgments.assignment import ItemKind
from judgments.models import Audience, Choice, ComprehensionAttempt, Item, Participant, Study
from judgments.protocol import Protocol
from tests.builders import NOW

FORMS = (Form.CRITERION, Form.SHORT, Form.PREDICTION, Form.NAME, Form.FOIL)
RIGHT_ANSWERS = {"task": "more-informative"}
WRONG_ANSWERS = {"task": "longer-text"}

PROTOCOL = Protocol(
    scenarios=(),
    quotas=(3, 3, 2),
    checks={ItemKind.INSTRUCTED: 4, ItemKind.DOMINATED: 4, ItemKind.REPEAT: 4},
    allows_equal=False,
    allows_cannot_judge=False,
    breaks_after=(2, 4, 6),
    consent={"en": "I agree.", "zh-hans": "我同意。"},
    comprehension=RIGHT_ANSWERS,
    hold_seconds=3600,
    resume_hours=24,
    fast_answer_ms=500,
    return_codes={"complete": "C0DE1", "screened-out": "C0DE2", "no-consent": "C0DE3"},
)

# Half the size of the real design: 24 judgments and 6 checks.
HALF: dict[str, Any] = {
    "n_per_domain": 2,
    "quotas": (2, 1, 1),
    "checks": {ItemKind.INSTRUCTED: 2, ItemKind.DOMINATED: 2, ItemKind.REPEAT: 2},
    "breaks_after": (2,),
}

# A quarter: 12 judgments and 3 checks.
SMALLEST: dict[str, Any] = HALF | {
    "n_per_domain": 1,
    "quotas": (1, 1, 0),
    "checks": {ItemKind.INSTRUCTED: 1, ItemKind.DOMINATED: 1, ItemKind.REPEAT: 1},
    "breaks_after": (1,),
}


def make_scenarios(n_per_domain: int = 20) -> tuple[str, ...]:
    """Return the names of scenarios with four actions and a foil each, worth 0.4 to 0.1."""
    slugs = [(f"{domain}-{k:02}", domain) for domain in Domain for k in range(n_per_domain)]
    Scenario.objects.bulk_create(
        Scenario(
            slug=slug,
            domain=domain,
            title=f"Title of {slug}",
            question="Which part matters?",
            baseline="The plain system.",
            observations=["It is better."],
            mechanisms=[{"name": f"Cause {h}", "text": "It may be."} for h in range(6)],
            interventions=[{"name": f"Without {h}", "text": "Leave it out."} for h in range(6)],
            action_seed=1,
            published_at=NOW,
        )
        for slug, domain in slugs
    )
    actions = Action.objects.bulk_create(
        Action(scenario_id=slug, number=number, text=f"Proposal {number} of {slug}.")
        for slug, _ in slugs
        for number in range(5)
    )
    ActionTruth.objects.bulk_create(
        ActionTruth(action=action, form=form.value, **_design(form))
        for action, form in zip(actions, itertools.cycle(FORMS), strict=False)
    )
    ActionMetric.objects.bulk_create(
        ActionMetric(action=action, rate=0.4 - action.number / 10, ungated_rate=0.5)
        for action in actions
        if action.number < 4
    )
    return tuple(slug for slug, _ in slugs)


def _design(form: Form) -> dict[str, object]:
    if form in (Form.NAME, Form.FOIL):
        return {}
    return {"target": 0, "interventions": [0, 1], "n_seeds": 4}


def make_study(
    slug: str = "main",
    *,
    n_per_domain: int = 20,
    opened_at: datetime | None = NOW,
    audience: Audience = Audience.PEOPLE,
    **changes,
) -> Study:
    """Return an open study over all scenarios; `changes` are parts of the protocol."""
    scenarios = changes.pop("scenarios", ()) or tuple(
        Scenario.objects.values_list("slug", flat=True)
    )
    study = Study.objects.create(slug=slug, title=slug, created_at=NOW, audience=audience)
    protocol = replace(
        PROTOCOL, scenarios=scenarios or make_scenarios(n_per_domain=n_per_domain), **changes
    )
    staff.publish_protocol(study=study, protocol=protocol, staff=None, now=NOW)
    # Past the launch gate, which has tests of its own.
    study.opened_at = opened_at
    study.save()
    return study


def join(
    study: Study,
    *,
    now: datetime = NOW,
    is_preview: bool = False,
    pid: str = "",
) -> Joined:
    # Counted in the database, so that a test draws the same whichever tests ran before it.
    seed = Participant.objects.count() + 1
    return join_study(
        study_slug=study.pk, seed=seed, now=now, is_preview=is_preview, platform_pid=pid
    )


def consent(participant: Participant, *, is_given: bool = True, now: datetime = NOW) -> None:
    path.give_consent(
        participant_id=participant.pk,
        is_given=is_given,
        text_sha256="0" * 64,
        locale="en",
        now=now,
    )


def go_to_comprehension(participant: Participant, *, now: datetime = NOW) -> None:
    consent(participant, now=now)
    path.answer_eligibility(participant_id=participant.pk, is_eligible=True, now=now)
    path.read_instructions(participant_id=participant.pk, now=now)


def attempt(
    participant: Participant,
    number: int,
    answers: dict[str, str] = RIGHT_ANSWERS,
    *,
    now: datetime = NOW,
) -> ComprehensionAttempt:
    return path.answer_comprehension(
        participant_id=participant.pk, number=number, answers=answers, now=now
    )


def get_ready(participant: Participant, *, now: datetime = NOW) -> Participant:
    """Take the participant to the first item."""
    go_to_comprehension(participant, now=now)
    attempt(participant, 1, now=now)
    return participant


def join_ready(study: Study, **arguments) -> Participant:
    return get_ready(join(study, **arguments).participant)


def answer(
    participant: Participant, position: int, choice: Choice = Choice.LEFT, *, now: datetime = NOW
) -> judging.Recorded:
    """Answer an item, after the break before it if one is due."""
    places = participant.items.filter(position__in=(position - 1, position))
    before, *after = places.order_by("position").values_list("cell__place", flat=True)
    if before in PROTOCOL.breaks_after and after != [before]:
        path.take_break(participant_id=participant.pk, after_place=before, now=now)
    return judging.record_judgment(
        participant_id=participant.pk, position=position, choice=choice, now=now
    )


def answer_all(
    participant: Participant, positions: Iterable[int] = range(1, 61), *, now: datetime = NOW
) -> None:
    for position in positions:
        answer(participant, position, now=now)


def better_side(item: Item) -> Choice:
    """Return the side of the lower number, which is worth more in these scenarios."""
    return Choice.LEFT if item.left.number < item.right.number else Choice.RIGHT


def later(**delta: float) -> datetime:
    return NOW + timedelta(**delta)
