"""Studies, the protocol versions that fix them, and who may not join."""

from django.db import models
from django.db.models import Q


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
    staged_for = models.ForeignKey(
        "LaunchCheck",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The robots' check whose worker plays here and alone may close it; empty: free.",
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
