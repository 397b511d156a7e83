"""Scores, boards, computations, standings: consequences that one command rebuilds from facts."""

from django.db import models
from django.db.models import F, Q

from catalog.models import Release, StateSet, Task, Track
from episodes.models import Agent, Episode, View
from judgments.models import Study
from scoring.responses import Interface

# PostgreSQL sorts NaN above every number, so the upper bounds refuse it as well.
_METRICS_IN_RANGE = (
    Q(effect_recovery__range=(0, 1))
    & Q(effect_mae__range=(0, 2))
    & Q(mean_absolute_effect__range=(0, 1))
    & Q(interaction_mae__range=(0, 4))
    & Q(grid_mae__range=(0, 1))
    & Q(selection_regret__range=(0, 1))
    & Q(utility_range__range=(0, 1))
)


class SurfaceMetrics(models.Model):
    """Every metric of one delivered table under one scoring version; never changed."""

    scoring_version = models.CharField(max_length=20)
    effect_recovery = models.FloatField()
    effect_mae = models.FloatField()
    mean_absolute_effect = models.FloatField()
    interaction_mae = models.FloatField()
    grid_mae = models.FloatField()
    selection_regret = models.FloatField()
    exact_choice = models.BooleanField()
    near_choice = models.BooleanField()
    strict = models.JSONField(help_text="{tolerance: passed} of the strict profile.")
    utility_range = models.FloatField()

    class Meta:
        abstract = True


class EpisodeScore(SurfaceMetrics):
    """The score of one episode."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="scores")
    selected_mask = models.CharField(max_length=8)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["episode", "scoring_version"], name="score_once_per_version"
            ),
            models.CheckConstraint(condition=_METRICS_IN_RANGE, name="score_metrics_in_range"),
        ]

    def __str__(self) -> str:
        return f"score of {self.episode_id}"


class ControlRecord(SurfaceMetrics):
    """The score of one numerical control on one task; no mask and no prediction is kept."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="control_records")
    method = models.CharField(max_length=40)
    budget_credits = models.PositiveSmallIntegerField()
    seed = models.PositiveSmallIntegerField(help_text="Of the random order; else 0.")
    spent_credits = models.PositiveSmallIntegerField(
        help_text="Below the budget when nothing unknown was left to buy."
    )
    native_recovery = models.FloatField(
        null=True, help_text="effect_recovery in the native metric's unit; empty: undefined."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "method", "budget_credits", "seed", "scoring_version"],
                name="control_once",
            ),
            models.CheckConstraint(
                condition=_METRICS_IN_RANGE & Q(native_recovery__range=(0, 1)),
                name="control_metrics_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} on {self.task_id}"


class Board(models.Model):
    """What may be compared: one track, one budget, one view, one release. Always public."""

    slug = models.SlugField(primary_key=True, max_length=80)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="boards")
    track = models.CharField(max_length=12, choices=Track)
    budget_credits = models.PositiveSmallIntegerField()
    view = models.CharField(max_length=8, choices=View)
    current = models.OneToOneField(
        "Computation", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-release__published_at", "release", "track", "budget_credits", "view"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "track", "budget_credits", "view"], name="board_once"
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class Computation(models.Model):
    """One recomputation of a board: the same input, version and seed are the same row."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="computations")
    scoring_version = models.CharField(max_length=20)
    input_digest = models.CharField(max_length=64, help_text="SHA-256 of the facts that went in.")
    seed = models.PositiveIntegerField()
    n_draws = models.PositiveIntegerField()
    n_tasks = models.PositiveSmallIntegerField()
    n_sources = models.PositiveSmallIntegerField()
    n_families = models.PositiveSmallIntegerField()
    n_episodes = models.PositiveIntegerField(help_text="Closed ones, without those lost by us.")
    facts_until = models.DateTimeField(help_text="When the newest fact that went in was closed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["board", "scoring_version", "input_digest", "seed", "n_draws"],
                name="computation_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board_id} {self.input_digest[:12]}"


class Standing(models.Model):
    """One entry of one computation; `rank` is empty for an entry that is not ranked."""

    computation = models.ForeignKey(Computation, on_delete=models.CASCADE, related_name="standings")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="standings")
    is_baseline = models.BooleanField()
    rank = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    unranked_reason = models.CharField(max_length=200, blank=True)
    recovery_score = models.FloatField()
    recovery_low = models.FloatField(null=True)
    recovery_high = models.FloatField(null=True)
    delivered_recovery_score = models.FloatField(null=True, help_text="Delivered episodes only.")
    exact_share = models.FloatField()
    strict_share = models.FloatField()
    selection_regret = models.FloatField(null=True, help_text="Delivered episodes only.")
    grid_mae = models.FloatField(null=True, help_text="Delivered episodes only.")
    interaction_mae = models.FloatField(null=True, help_text="Delivered episodes only.")
    n_delivered = models.PositiveIntegerField()
    n_attempted = models.PositiveIntegerField(help_text="Closed episodes, without lost ones.")
    n_attempted_tasks = models.PositiveSmallIntegerField()
    family_scores = models.JSONField(help_text="{family slug: mean recovery}.")

    class Meta:
        ordering = [F("rank").asc(nulls_last=True), "agent__name"]
        constraints = [
            models.UniqueConstraint(fields=["computation", "agent"], name="standing_once"),
            models.CheckConstraint(
                condition=Q(rank__isnull=True) ^ Q(unranked_reason=""),
                name="standing_ranked_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(recovery_score__range=(0, 1)), name="standing_recovery_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"standing {self.pk}"


class StateBoard(models.Model):
    """Answers to one set of research states under one interface. Always public."""

    slug = models.SlugField(primary_key=True, max_length=80)
    state_set = models.ForeignKey(StateSet, on_delete=models.PROTECT, related_name="boards")
    interface = models.CharField(
        max_length=16, choices=[(one.value, one.value) for one in Interface]
    )
    current = models.OneToOneField(
        "StateComputation", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["state_set", "interface"], name="state_board_once"),
        ]

    def __str__(self) -> str:
        return self.slug


class StateComputation(models.Model):
    """One recomputation of a board of states: the same input and version are the same row."""

    board = models.ForeignKey(StateBoard, on_delete=models.CASCADE, related_name="computations")
    scoring_version = models.CharField(max_length=20)
    input_digest = models.CharField(max_length=64, help_text="SHA-256 of the facts that went in.")
    seed = models.PositiveIntegerField()
    n_draws = models.PositiveIntegerField()
    n_states = models.PositiveSmallIntegerField()
    n_open_states = models.PositiveSmallIntegerField()
    n_proposals = models.PositiveIntegerField(help_text="Invalid ones too.")
    facts_until = models.DateTimeField(help_text="When the newest fact that went in was stored.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["board", "scoring_version", "input_digest"], name="state_computation_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board_id} {self.input_digest[:12]}"


class StateStanding(models.Model):
    """One entry of one computation: an agent, or a baseline, which has a name and no rank."""

    computation = models.ForeignKey(
        StateComputation, on_delete=models.CASCADE, related_name="standings"
    )
    position = models.PositiveIntegerField(help_text="Order in page, CSV and API.")
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, null=True, related_name="state_standings"
    )
    baseline = models.CharField(max_length=40, blank=True)
    rank = models.PositiveIntegerField(null=True)
    unranked_reason = models.CharField(max_length=200, blank=True)
    efficiency_score = models.FloatField(
        null=True,
        help_text="Mean share of the best affordable design; null: it would tell of single states.",
    )
    efficiency_low = models.FloatField(null=True)
    efficiency_high = models.FloatField(null=True)
    valid_efficiency_score = models.FloatField(null=True, help_text="Valid answers only.")
    rate_score = models.FloatField(null=True, help_text="Mean nats per unit cost.")
    n_valid = models.PositiveIntegerField()
    n_proposals = models.PositiveIntegerField()
    n_answered_states = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["computation", "position"], name="state_standing_position_once"
            ),
            models.CheckConstraint(
                condition=Q(agent__isnull=False, baseline="")
                | (Q(agent__isnull=True) & ~Q(baseline="")),
                name="state_standing_agent_or_baseline",
            ),
            models.CheckConstraint(
                condition=Q(efficiency_score__range=(0, 1)), name="state_standing_score_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"state standing {self.pk}"


class AgreementComputation(models.Model):
    """The report on one study, of one protocol version or of several named together.

    A newer one takes its place: while people answer, every answer would leave another behind.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    versions = models.CharField(max_length=80, help_text="Protocol versions, as in 1 or 1,2.")
    scoring_version = models.CharField(max_length=20)
    input_digest = models.CharField(max_length=64, help_text="SHA-256 of the facts that went in.")
    facts_stamp = models.JSONField(help_text="Counts that change with every change of the facts.")
    seed = models.PositiveIntegerField()
    n_draws = models.PositiveIntegerField()
    facts_until = models.DateTimeField(help_text="When the newest scenario was completed.")
    report = models.JSONField(help_text="Every number; null is undefined.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "versions"], name="agreement_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study_id} {self.versions} {self.input_digest[:12]}"
