"""Who took part: consent, comprehension, and the receipt of somebody who left."""

import uuid

from django.db import models
from django.db.models import Q

from judgments.models.studies import ProtocolVersion, Study


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
