"""What participants were shown and what they chose. Facts: no score is kept here."""

from django.db import models
from django.db.models import F, Q

from catalog.models import Action, Scenario
from judgments.assignment import ItemKind
from judgments.models.participants import Participant


class Cell(models.Model):
    """One scenario given to one participant; complete with its sixth choice."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="cells")
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="+")
    place = models.PositiveSmallIntegerField(help_text="1 for the first scenario shown.")
    orientation = models.PositiveSmallIntegerField(
        help_text="Bit k: the lower number of pair k is on the left."
    )
    completed_at = models.DateTimeField(null=True, blank=True)
    is_usable = models.BooleanField(
        null=True, blank=True, help_text="Six choices or ties; known when complete."
    )
    code = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Six forced choices (scoring.ranks.code_of)."
    )

    class Meta:
        ordering = ["participant", "place"]
        indexes = [models.Index(fields=["scenario", "code"], name="cell_ranks")]
        constraints = [
            models.UniqueConstraint(fields=["participant", "scenario"], name="cell_once"),
            models.UniqueConstraint(fields=["participant", "place"], name="cell_place_once"),
            # Items name cell and participant together (0002_kept_promises).
            models.UniqueConstraint(fields=["id", "participant"], name="cell_of_participant"),
            models.CheckConstraint(
                condition=Q(orientation__lte=63) & (Q(code__isnull=True) | Q(code__lte=63)),
                name="cell_six_bits",
            ),
            models.CheckConstraint(
                condition=Q(completed_at__isnull=True, is_usable__isnull=True, code__isnull=True)
                | Q(completed_at__isnull=False, is_usable__isnull=False),
                name="cell_complete_is_judged",
            ),
            models.CheckConstraint(
                condition=Q(code__isnull=True) | Q(is_usable=True), name="cell_code_is_usable"
            ),
        ]

    def __str__(self) -> str:
        return f"cell {self.pk}"


class Item(models.Model):
    """One screen of one participant, fixed at join."""

    cell = models.ForeignKey(Cell, on_delete=models.CASCADE, related_name="items")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveSmallIntegerField(help_text="1 for the first screen.")
    kind = models.CharField(max_length=10, choices=[(kind.value, kind.value) for kind in ItemKind])
    left = models.ForeignKey(Action, on_delete=models.PROTECT, related_name="+")
    right = models.ForeignKey(Action, on_delete=models.PROTECT, related_name="+")
    expected = models.ForeignKey(
        Action, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    repeat_of = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    shown_at = models.DateTimeField(null=True, blank=True, help_text="For the first time.")

    class Meta:
        ordering = ["participant", "position"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "position"], name="item_position_once"),
            # Judgments name item and participant together (0002_kept_promises).
            models.UniqueConstraint(fields=["id", "participant"], name="item_of_participant"),
            models.CheckConstraint(condition=~Q(left=F("right")), name="item_two_actions"),
            models.CheckConstraint(
                condition=Q(expected__isnull=True) | Q(expected=F("left")) | Q(expected=F("right")),
                name="item_expected_is_shown",
            ),
            models.CheckConstraint(
                condition=Q(kind="repeat", repeat_of__isnull=False)
                | (~Q(kind="repeat") & Q(repeat_of__isnull=True)),
                name="item_repeat_has_original",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"


class Choice(models.TextChoices):
    """What was answered, as a code: never a label of any language."""

    LEFT = "left", "left"
    RIGHT = "right", "right"
    EQUAL = "equal", "equal"
    CANNOT_JUDGE = "cannot-judge", "cannot judge"


class Layout(models.TextChoices):
    """How the two cards stood."""

    SIDE_BY_SIDE = "side-by-side", "side by side"
    STACKED = "stacked", "stacked"
    UNKNOWN = "unknown", "unknown (no JavaScript)"


class Judgment(models.Model):
    """The answer to an item as it stands; every change of it is a Revision."""

    item = models.OneToOneField(
        Item, on_delete=models.CASCADE, related_name="judgment", primary_key=True
    )
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="judgments")
    choice = models.CharField(max_length=12, choices=Choice)
    chosen = models.ForeignKey(
        Action, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    comment = models.TextField(blank=True, help_text="Where the protocol offers it.")
    answered_at = models.DateTimeField()
    active_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="Visible and focused, as the browser says."
    )
    focus_losses = models.PositiveSmallIntegerField(null=True, blank=True)
    layout = models.CharField(max_length=12, choices=Layout, default=Layout.UNKNOWN)
    viewport_width = models.PositiveSmallIntegerField(null=True, blank=True)
    viewport_height = models.PositiveSmallIntegerField(null=True, blank=True)
    is_fast = models.BooleanField(help_text="Answered sooner than the protocol's minimum.")
    has_impossible_timing = models.BooleanField(help_text="More active time than passed.")

    class Meta:
        ordering = ["participant", "item__position"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "item"], name="judgment_once"),
            models.CheckConstraint(
                condition=Q(choice__in=["left", "right"], chosen__isnull=False)
                | Q(choice__in=["equal", "cannot-judge"], chosen__isnull=True),
                name="judgment_side_has_action",
            ),
        ]

    def __str__(self) -> str:
        return f"judgment of item {self.item_id}"


class Revision(models.Model):
    """One change of an answer: what it was, what it became, when."""

    judgment = models.ForeignKey(Judgment, on_delete=models.CASCADE, related_name="revisions")
    choice_before = models.CharField(max_length=12, choices=Choice)
    choice_after = models.CharField(max_length=12, choices=Choice)
    revised_at = models.DateTimeField()

    class Meta:
        ordering = ["judgment", "id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(choice_before=F("choice_after")), name="revision_changes"
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.pk}"
