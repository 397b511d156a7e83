"""Studies, participants, what they were shown and what they chose. Facts: no score is kept here."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from catalog.models import Action, Scenario
from judgments.assignment import ItemKind


class Audience(models.TextChoices):
    """For whom a study is. People and robots never take part in the same one."""

    PEOPLE = "people", "people"
    ROBOTS = "robots", "robots"


class Study(models.Model):
    """A study under its public name; what it fixes is in its protocol versions."""

    slug = models.SlugField(primary_key=True)
    title = models.CharField(max_length=120)
    platform_study_id = models.CharField(
        max_length=80, null=True, blank=True, unique=True, help_text="STUDY_ID of the platform."
    )
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(
        null=True, blank=True, help_text="Results are public from then on."
    )
    audience = models.CharField(max_length=8, choices=Audience, default=Audience.PEOPLE)
    rehearsal_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rehearsals",
        help_text="The study whose launch this one, played by robots, rehearses.",
    )

    class Meta:
        ordering = ["slug"]
        verbose_name_plural = "studies"
        permissions = [
            ("run_study", "Can create, edit, open, close and publish studies"),
            ("watch_study", "Can watch studies and their participants' progress"),
            ("exclude_participant", "Can exclude participants from results and undo it"),
            ("export_study", "Can export the answers of a study"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(opened_at__isnull=False),
                name="study_closed_was_open",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True)
                | Q(closed_at__isnull=False, audience="people"),
                name="study_published_is_closed",
            ),
            models.CheckConstraint(
                condition=Q(rehearsal_of__isnull=True) | Q(audience="robots"),
                name="study_rehearsal_by_robots",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def is_open(self) -> bool:
        """Whether somebody can join."""
        return self.opened_at is not None and self.closed_at is None


class ProtocolVersion(models.Model):
    """What a study fixes from one moment on; never changed. Participants keep theirs."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="protocols")
    number = models.PositiveSmallIntegerField()
    definition = models.JSONField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="protocol_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study_id} version {self.number}"


class CheckKind(models.TextChoices):
    """What has to be seen to work before people may join."""

    CERTIFICATE = "certificate", "design certificate"
    ROBOTS = "robots", "robots' rehearsal"
    LEAK_CRAWL = "leak-crawl", "leak crawl"
    EXPORT = "export", "export check"


class CheckStatus(models.TextChoices):
    """How a launch check stands."""

    RUNNING = "running", "running"
    PASSED = "passed", "passed"
    FAILED = "failed", "failed"


class LaunchCheck(models.Model):
    """One run of a check on one protocol version; the newest of each kind counts."""

    protocol = models.ForeignKey(
        ProtocolVersion, on_delete=models.PROTECT, related_name="launch_checks"
    )
    kind = models.CharField(max_length=12, choices=CheckKind)
    status = models.CharField(max_length=8, choices=CheckStatus, default=CheckStatus.RUNNING)
    details = models.JSONField(default=dict, blank=True, help_text="Figures behind the status.")
    started_at = models.DateTimeField()
    heard_at = models.DateTimeField(
        null=True, blank=True, help_text="When its worker was last heard from."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["protocol", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="running", finished_at__isnull=True)
                | (~Q(status="running") & Q(finished_at__isnull=False)),
                name="launch_check_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.protocol}: {self.status}"


class ParticipantKind(models.TextChoices):
    """Who takes part. Previews never count."""

    PERSON = "person", "person"
    ROBOT = "robot", "robot"
    PREVIEW = "preview", "preview"


class Participant(models.Model):
    """Somebody who pressed Begin. Erased whole when they ask for it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="participants")
    protocol = models.ForeignKey(ProtocolVersion, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=8, choices=ParticipantKind)
    token_sha256 = models.CharField(max_length=64, unique=True, help_text="Of the personal link.")
    platform_pid = models.CharField(max_length=80, null=True, blank=True)  # noqa: DJ001 (NULL = none)
    platform_session = models.CharField(max_length=80, blank=True)
    seed = models.BigIntegerField(help_text="Everything shown was drawn from it.")
    session_epoch = models.PositiveIntegerField(
        default=0, help_text="Raised to end every session of this participant at once."
    )
    joined_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    hold_until = models.DateTimeField(help_text="Until then unfinished scenarios are kept.")
    released_at = models.DateTimeField(null=True, blank=True, help_text="When the hold ran out.")
    is_eligible = models.BooleanField(null=True, blank=True)
    instructions_read_at = models.DateTimeField(null=True, blank=True)
    breaks_taken = models.PositiveSmallIntegerField(default=0)
    debriefed_at = models.DateTimeField(null=True, blank=True)
    closing_comment = models.TextField(blank=True, help_text="Written at the debrief.")
    completion_code = models.CharField(max_length=16, null=True, blank=True, unique=True)

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "platform_pid"], name="participant_pid_once_per_study"
            ),
            models.CheckConstraint(
                condition=Q(completion_code__isnull=True) | Q(debriefed_at__isnull=False),
                name="participant_code_after_debrief",
            ),
        ]

    def __str__(self) -> str:
        return f"participant {self.id}"


class BlockedPid(models.Model):
    """A platform id that may not take part in a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="blocked_pids")
    platform_pid = models.CharField(max_length=80, help_text="Normalised.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "platform_pid"], name="blocked_pid_once"),
        ]

    def __str__(self) -> str:
        return f"blocked id {self.pk}"


class Consent(models.Model):
    """What one person answered to one text: never taken over from anybody else."""

    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="consent", primary_key=True
    )
    is_given = models.BooleanField()
    text_sha256 = models.CharField(max_length=64)
    locale = models.CharField(max_length=12)
    answered_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"consent of {self.participant_id}"


class ComprehensionAttempt(models.Model):
    """One try at the comprehension check; no attention check."""

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="comprehension_attempts"
    )
    number = models.PositiveSmallIntegerField()
    answers = models.JSONField()
    is_passed = models.BooleanField()
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["participant", "number"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="attempt_number_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=2), name="attempt_one_or_two"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.participant_id}"


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


class Exclusion(models.Model):
    """A decision to leave a participant out of every result; it can be undone."""

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="exclusions"
    )
    reason = models.TextField()
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    excluded_at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["participant", "excluded_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant"],
                condition=Q(undone_at__isnull=True),
                name="exclusion_one_in_force",
            ),
            models.CheckConstraint(
                condition=Q(undone_at__isnull=True, undone_by__isnull=True)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="exclusion_undone_by_somebody",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="exclusion_has_reason"),
        ]

    def __str__(self) -> str:
        return f"exclusion {self.pk}"


class StaffNote(models.Model):
    """What staff wrote about a participant; goes when the participant leaves and is erased."""

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="staff_notes"
    )
    staff = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["participant", "id"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="staff_note_has_text"),
        ]

    def __str__(self) -> str:
        return f"note {self.pk}"


class PlatformSubmission(models.Model):
    """A line of the platform's newest list of submissions; the next list replaces all lines."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="submissions")
    platform_pid = models.CharField(max_length=80, help_text="Normalised.")
    status = models.CharField(max_length=40, help_text="The platform's word, in small letters.")
    completion_code = models.CharField(max_length=80, blank=True)
    listed_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["study", "platform_pid"], name="submission_pid")]

    def __str__(self) -> str:
        return f"submission {self.pk}"


class DeletionReceipt(models.Model):
    """That somebody left and was erased; it does not say who."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="receipts")
    deleted_at = models.DateTimeField()
    n_judgments = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["deleted_at"]

    def __str__(self) -> str:
        return f"receipt {self.id}"


class AuditEntry(models.Model):
    """Who did what and why; only ever added to. A participant is named by id alone."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="audit_entries")
    at = models.DateTimeField()
    staff = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    participant_id = models.UUIDField(null=True, blank=True)
    event = models.CharField(max_length=40)
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.event} ({self.pk})"

    @property
    def event_words(self) -> str:
        return self.event.replace("_", " ")

    @property
    def short_id(self) -> str:
        """The participant as other pages name them."""
        return self.participant_id.hex[:8] if self.participant_id else ""
