"""What the pages of the participant's path show."""

from dataclasses import dataclass

from catalog.models import Action, Scenario
from judgments.assignment import ItemKind
from judgments.models import Item, Participant


@dataclass(frozen=True)
class Screen:
    """One comparison as it is shown; a check looks like any other.

    `comparison` counts all screens of the scenario, checks included. `asked_label` is the label
    that an instructed check asks for.
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


def screen_of(item: Item) -> Screen:
    """Return what is shown of an item, with the stored choice if there is one."""
    siblings = Item.objects.filter(cell=item.cell_id)
    asked = ""
    if item.kind == ItemKind.INSTRUCTED:
        asked = "A" if item.expected_id == item.left_id else "B"
    judgment = getattr(item, "judgment", None)
    return Screen(
        position=item.position,
        place=item.cell.place,
        n_places=item.participant.cells.count(),
        comparison=siblings.filter(position__lte=item.position).count(),
        n_comparisons=siblings.count(),
        scenario=item.cell.scenario,
        left=item.left,
        right=item.right,
        asked_label=asked,
        choice=judgment.choice if judgment else "",
    )


def changeable_item(participant: Participant) -> Item | None:
    """Return the item of the last answer while it may be changed: before its scenario is closed."""
    last = (
        participant.items.filter(judgment__isnull=False)
        .select_related("cell__scenario", "left", "right", "judgment", "participant")
        .order_by("-position")
        .first()
    )
    return last if last and last.cell.completed_at is None else None
