"""What the pages of the participant's path show."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.utils.crypto import salted_hmac

from catalog.models import Action, Scenario
from judgments.assignment import ItemKind
from judgments.models import Item, Participant, Study
from judgments.protocol import Protocol, Words
from judgments.queries.launch import open_protocol
from scoring.ranks import PAIRS


@dataclass(frozen=True)
class Outline:
    """What somebody who might take part should know before it: how much there is to do."""

    n_scenarios: int
    n_comparisons: int
    minutes: int
    introduction: Words


def outline_of(study: Study, *, locale: str, now: datetime) -> Outline | None:
    """Return the outline of a study that takes participants now, else None."""
    version = open_protocol(study, now=now)
    if version is None:
        return None
    protocol = Protocol.from_definition(version.definition)
    n_scenarios = sum(protocol.quotas)
    return Outline(
        n_scenarios=n_scenarios,
        n_comparisons=n_scenarios * len(PAIRS) + sum(protocol.checks.values()),
        minutes=protocol.minutes,
        introduction=protocol.text("introduction", locale),
    )


@dataclass(frozen=True)
class Screen:
    """One comparison as it is shown; a check looks like any other.

    `comparison` counts all screens of the scenario, checks included. `asked_label` is the label
    that an instructed check asks for. `token` and `scenario_token` name screen and scenario of this
    participant to the browser, which keeps there what is not saved yet; they tell nothing else.
    """

    position: int
    place: int
    n_places: int
    comparison: int
    n_comparisons: int
    scenario: Scenario
    left: Action
    right: Action
    asked_label: str
    choice: str
    token: str
    scenario_token: str


def screen_of(item: Item) -> Screen:
    """Return what is shown of an item, with the stored choice if there is one."""
    same_cell = Q(cell=item.cell_id)
    counts = Item.objects.filter(participant=item.participant_id).aggregate(
        n_places=Count("cell", distinct=True),
        comparison=Count("pk", filter=same_cell & Q(position__lte=item.position)),
        n_comparisons=Count("pk", filter=same_cell),
    )
    asked = ""
    if item.kind == ItemKind.INSTRUCTED:
        asked = "A" if item.expected_id == item.left_id else "B"
    judgment = getattr(item, "judgment", None)
    return Screen(
        position=item.position,
        place=item.cell.place,
        **counts,
        scenario=item.cell.scenario,
        left=item.left,
        right=item.right,
        asked_label=asked,
        choice=judgment.choice if judgment else "",
        token=_token("item", item.pk),
        scenario_token=_token("cell", item.cell_id),
    )


def _token(kind: str, pk: int) -> str:
    return salted_hmac(f"judgments.screens.{kind}", str(pk)).hexdigest()[:32]


def changeable_item(participant: Participant) -> Item | None:
    """Return the item of the last answer while it may be changed: before its scenario is closed."""
    last = (
        participant.items.filter(judgment__isnull=False)
        .select_related("cell__scenario", "left", "right", "judgment", "participant")
        .order_by("-position")
        .first()
    )
    return last if last and last.cell.completed_at is None else None
