"""Agents, keys, episodes, purchases, answers, proposals, jobs: facts, and never a score."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from catalog.models import ResearchState, Task
from episodes.states import EpisodeState, JobState
from scoring.responses import Interface


def _choices(states: type[EpisodeState] | type[JobState]) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class AgentKind(models.TextChoices):
    """Who acts: a program with a key, one of our players, or a person in a browser."""

    API = "api", "API agent"
    PLAYER = "player", "numerical player"
    PERSON = "person", "person in a browser"


class View(models.TextChoices):
    """What an agent sees of the task: everything public, or masks and utilities only."""

    FULL = "full", "full"
    OPAQUE = "opaque", "opaque"


class Scope(models.TextChoices):
    """What a key may do."""

    READ = "episodes:read", "read own episodes and scores"
    WRITE = "episodes:write", "start episodes, buy, submit"


class Agent(models.Model):
    """One entry: episodes belong to it, boards rank it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=8, choices=AgentKind)
    description = models.CharField(max_length=300, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class AgentKey(models.Model):
    """A named, scoped, expiring key. Only its digest is stored; the key is shown once."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="keys")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12, help_text="First characters, to tell keys apart.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the key.")
    scopes = ArrayField(models.CharField(max_length=24, choices=Scope))
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["agent", "name"]
        constraints = [
            models.UniqueConstraint(fields=["agent", "name"], name="key_name_once_per_agent"),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}... ({self.name})"


class Episode(models.Model):
    """One attempt of one agent at one task under one budget."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="episodes")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="episodes")
    budget_credits = models.PositiveSmallIntegerField()
    spent_credits = models.PositiveSmallIntegerField(default=0)
    view = models.CharField(max_length=8, choices=View, default=View.FULL)
    state = models.CharField(
        max_length=12, choices=_choices(EpisodeState), default=EpisodeState.OPEN
    )
    cause = models.CharField(
        max_length=60, blank=True, help_text="Why nothing was delivered, e.g. limit:deadline."
    )
    created_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "id"]
        indexes = [
            models.Index(fields=["agent", "-created_at"], name="episode_of_agent"),
            models.Index(
                fields=["deadline_at"], condition=Q(state="open"), name="episode_open_deadline"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(spent_credits__lte=F("budget_credits")), name="episode_within_budget"
            ),
            models.CheckConstraint(
                condition=Q(state="open", closed_at__isnull=True)
                | (~Q(state="open") & Q(closed_at__isnull=False)),
                name="episode_closed_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"episode {self.id}"


class Purchase(models.Model):
    """One accepted batch of measurements; its key makes a repeated request find it again."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="purchases")
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 (NULL = no key, never equal)
    masks = ArrayField(models.CharField(max_length=8), help_text="As asked, without repeats.")
    charged_credits = models.PositiveSmallIntegerField()
    remaining_credits = models.PositiveSmallIntegerField(help_text="After this batch.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["episode", "idempotency_key"], name="purchase_key_once_per_episode"
            ),
        ]

    def __str__(self) -> str:
        return f"purchase {self.pk}"


class Measurement(models.Model):
    """One charged credit: one mask of one episode, once."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="measurements")
    purchase = models.ForeignKey(Purchase, on_delete=models.CASCADE, related_name="measurements")
    position = models.PositiveSmallIntegerField(help_text="1 for the first credit spent.")
    mask = models.CharField(max_length=8)
    utility = models.FloatField()

    class Meta:
        ordering = ["episode", "position"]
        constraints = [
            models.UniqueConstraint(fields=["episode", "mask"], name="measurement_once"),
            models.UniqueConstraint(fields=["episode", "position"], name="measurement_position"),
            models.CheckConstraint(condition=Q(position__gte=1), name="measurement_from_one"),
        ]
        permissions = [("view_utilities", "Can view utilities, also of sealed tasks")]

    def __str__(self) -> str:
        return f"measurement {self.pk}"


class Prediction(models.Model):
    """The table that an agent delivered, as it was sent; it closed the episode."""

    episode = models.OneToOneField(
        Episode, on_delete=models.CASCADE, related_name="prediction", primary_key=True
    )
    table = models.JSONField(help_text="{mask: predicted utility} for all 2^d masks.")
    submitted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"prediction of {self.episode_id}"


class ProposalStatus(models.TextChoices):
    """Whether the parser found an action in a response."""

    VALID = "valid", "valid"
    INVALID = "invalid", "invalid"


class Proposal(models.Model):
    """What an agent answered to a research state, as it was sent, and how it was read then."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="proposals")
    state = models.ForeignKey(ResearchState, on_delete=models.PROTECT, related_name="proposals")
    interface = models.CharField(
        max_length=16, choices=[(one.value, one.value) for one in Interface]
    )
    repetition = models.PositiveSmallIntegerField(help_text="1 for the first answer.")
    response = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=ProposalStatus)
    reason = models.CharField(max_length=80, blank=True, help_text="Why it is invalid.")
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 (NULL = no key, never equal)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "state", "interface", "repetition"],
                name="proposal_repetition_once",
            ),
            models.UniqueConstraint(
                fields=["agent", "idempotency_key"], name="proposal_key_once_per_agent"
            ),
            models.CheckConstraint(
                condition=Q(repetition__gte=1, repetition__lte=3), name="proposal_three_repetitions"
            ),
            models.CheckConstraint(
                condition=Q(status="valid", reason="") | (Q(status="invalid") & ~Q(reason="")),
                name="proposal_invalid_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"proposal {self.id}"


class PlayerJob(models.Model):
    """One numerical player on one task: a row in a state before it is a message.

    A worker claims it by a conditional UPDATE that raises `attempt`; whoever holds an older
    attempt cannot write any more.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    method = models.CharField(max_length=40)
    seed = models.PositiveIntegerField(default=0)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="player_jobs")
    budget_credits = models.PositiveSmallIntegerField()
    view = models.CharField(max_length=8, choices=View, default=View.FULL)
    run = models.PositiveSmallIntegerField(
        default=1, help_text="Raised when a lost job is run again."
    )
    state = models.CharField(max_length=8, choices=_choices(JobState), default=JobState.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    episode = models.OneToOneField(
        Episode, on_delete=models.PROTECT, null=True, blank=True, related_name="player_job"
    )
    cause = models.CharField(max_length=200, blank=True, help_text="Of the last failure.")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(
                fields=["lease_until"],
                condition=Q(state__in=["queued", "running"]),
                name="job_unfinished",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["method", "seed", "task", "budget_credits", "view", "run"],
                name="job_once",
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(lease_until__isnull=False),
                name="job_running_has_lease",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} on {self.task_id}"
