"""What staff did about a study and its participants: checks, exclusions, notes, audit."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from judgments.models.participants import Participant
from judgments.models.studies import ProtocolVersion, Study


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
    def details_words(self) -> str:
        """The details without Python's spelling of them."""
        spoken = {True: "yes", False: "no", None: "none"}
        return ", ".join(
            f"{name.replace('_', ' ')}: "
            f"{spoken[value] if value is None or isinstance(value, bool) else value}"
            for name, value in self.details.items()
        )

    @property
    def short_id(self) -> str:
        """The participant as other pages name them."""
        return self.participant_id.hex[:8] if self.participant_id else ""
