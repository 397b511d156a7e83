"""What is asked, as far as it may be shown: tasks, research states and research scenarios.

The hidden outcomes and priors are in catalog.truth, what is behind the scenarios in
catalog.scenario_truth.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class Family(models.Model):
    """One kind of workflow: its native metric and how that becomes a utility."""

    slug = models.SlugField(primary_key=True)
    title = models.CharField(max_length=80)
    native_metric = models.CharField(max_length=80)
    utility_definition = models.TextField()
    position = models.PositiveSmallIntegerField(unique=True, help_text="Order on pages.")

    class Meta:
        ordering = ["position"]
        verbose_name_plural = "families"

    def __str__(self) -> str:
        return self.title


class Source(models.Model):
    """One data set with its origin; a six-factor condition shares it with its four-factor task."""

    slug = models.SlugField(primary_key=True)
    family = models.ForeignKey(Family, on_delete=models.PROTECT, related_name="sources")
    title = models.CharField(max_length=120)
    origin = models.CharField(max_length=300, help_text="Where the data can be found again.")
    licence = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, help_text="Of the raw file.")

    class Meta:
        ordering = ["family__position", "slug"]

    def __str__(self) -> str:
        return self.title


class Release(models.Model):
    """A named set of task versions that boards compare agents on."""

    slug = models.SlugField(primary_key=True)
    title = models.CharField(max_length=120)
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["-published_at", "slug"]

    def __str__(self) -> str:
        return self.title


class Track(models.TextChoices):
    """Tasks that a board may pool: never conditions of different size or kind."""

    FOUR_FACTOR = "d4", "four factors"
    SIX_FACTOR_PAIRED = "d6-paired", "six factors, paired"
    SIX_FACTOR_ADDED = "d6-added", "six factors, added"


class Provenance(models.TextChoices):
    """What stands behind a task's outcomes."""

    PUBLISHED = "published", "equals a published table"
    OURS = "ours", "computed here"
    SILVER = "silver", "computed here on a silver reference"
    SIMULATED = "simulated", "computed here on simulated data"


class Disclosure(models.TextChoices):
    """Who may see the response surface: everybody, or nobody before measuring."""

    OPEN = "open", "open"
    SEALED = "sealed", "sealed"


class Task(models.Model):
    """One version of one condition: everything an agent may know before it measures."""

    slug = models.SlugField()
    version = models.CharField(max_length=64, help_text="SHA-256 of data, code and scoring rule.")
    is_current = models.BooleanField(default=True)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="tasks")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="tasks")
    track = models.CharField(max_length=12, choices=Track)
    provenance = models.CharField(max_length=12, choices=Provenance)
    disclosure = models.CharField(max_length=8, choices=Disclosure, default=Disclosure.SEALED)
    n_factors = models.PositiveSmallIntegerField()
    factors = models.JSONField(help_text="List of {letter, name, off, on}, in mask order.")
    question = models.CharField(max_length=300)
    input_summary = models.TextField()
    source_code = models.TextField(help_text="The workflow as it runs.")
    anchors = models.JSONField(help_text="Utilities of the two free masks: {mask: utility}.")
    open_surface = models.JSONField(
        null=True,
        blank=True,
        help_text="All utilities {mask: utility}, of open tasks only; sealed tasks have none here.",
    )
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["source__family__position", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["slug", "version"], name="task_version_once"),
            models.UniqueConstraint(
                fields=["slug"], condition=Q(is_current=True), name="task_one_current_version"
            ),
            models.CheckConstraint(
                condition=Q(n_factors__gte=2, n_factors__lte=8), name="task_two_to_eight_factors"
            ),
            models.CheckConstraint(
                condition=Q(disclosure="open", open_surface__isnull=False)
                | Q(disclosure="sealed", open_surface__isnull=True),
                name="task_sealed_has_no_surface",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def n_masks(self) -> int:
        """Number of configurations, 2^d."""
        return 1 << self.n_factors


class Domain(models.TextChoices):
    """Field of a research scenario."""

    MACHINE_LEARNING = "machine-learning", "machine learning"
    SYSTEMS = "systems", "systems"
    AI_FOR_SCIENCE = "ai-for-science", "AI for science"


class Scenario(models.Model):
    """A research question with its partial results, as people and models read it."""

    slug = models.SlugField(primary_key=True)
    domain = models.CharField(max_length=16, choices=Domain)
    title = models.CharField(max_length=120)
    question = models.TextField()
    baseline = models.TextField()
    observations = models.JSONField(help_text="List of sentences.")
    mechanisms = models.JSONField(help_text="Six of {name, text}.")
    interventions = models.JSONField(help_text="Six of {name, text}, in the same order.")
    action_seed = models.PositiveIntegerField(help_text="Its actions were drawn from it.")
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["domain", "slug"]

    def __str__(self) -> str:
        return self.slug


class Action(models.Model):
    """A proposal for a scenario: four that are compared, and a foil that only checks show.

    Among the four, a number tells nothing about the form.
    """

    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="actions")
    number = models.PositiveSmallIntegerField(help_text="0 to 3; 4 is the foil.")
    text = models.TextField()

    class Meta:
        ordering = ["scenario", "number"]
        constraints = [
            models.UniqueConstraint(fields=["scenario", "number"], name="action_number_once"),
            models.CheckConstraint(
                condition=Q(number__gte=0, number__lte=4), name="action_zero_to_four"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scenario_id}/{self.number}"


class Scale(models.Model):
    """How large the effects of a task are: published with every score, so no secret of a task."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True)
    utility_range = models.FloatField()
    mean_absolute_effect = models.FloatField()

    def __str__(self) -> str:
        return f"scale of {self.task_id}"


class ReleaseStructure(models.Model):
    """Counts over the current tasks of a release, sealed ones too; of no single task.

    Rewritten with each load: sealed outcomes are read then, and by no page.
    """

    release = models.OneToOneField(
        Release, on_delete=models.CASCADE, primary_key=True, related_name="structure"
    )
    n_tasks = models.PositiveIntegerField()
    n_records = models.PositiveIntegerField()
    n_effects = models.PositiveIntegerField()
    n_interactions = models.PositiveIntegerField()
    n_factors = models.PositiveIntegerField()
    n_reversing = models.JSONField(
        help_text="Tasks with a factor whose sign reverses, per floor of scoring.structure; "
        "empty if the release has few tasks."
    )
    n_factors_reversing = models.JSONField(help_text="The same, counted by factor.")
    median_higher_order_share = models.FloatField(
        null=True, help_text="Of the variance of utility; null if no task has a variance."
    )
    scoring_version = models.CharField(max_length=20)

    def __str__(self) -> str:
        return f"structure of {self.release_id}"


class StateSet(models.Model):
    """Research states that a board pools; its content never changes under the same slug."""

    slug = models.SlugField(primary_key=True, max_length=40)
    title = models.CharField(max_length=120)
    version = models.CharField(max_length=64, help_text="SHA-256 of texts, budgets and priors.")
    disclosure = models.CharField(max_length=8, choices=Disclosure)
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["published_at", "slug"]

    def __str__(self) -> str:
        return self.title


class ResearchState(models.Model):
    """A partly explained result with a budget: what an agent is told before it proposes."""

    slug = models.SlugField(primary_key=True)
    state_set = models.ForeignKey(StateSet, on_delete=models.PROTECT, related_name="states")
    position = models.PositiveSmallIntegerField(help_text="0 for the first of the set.")
    budget = models.PositiveSmallIntegerField(help_text="In units of cost.")
    text = models.JSONField(
        help_text="{question, method, results, mechanisms, interventions}, as agents read it."
    )
    disclosure = models.CharField(max_length=8, choices=Disclosure)
    open_prior = ArrayField(
        models.FloatField(),
        size=6,
        null=True,
        blank=True,
        help_text="Of the six mechanisms, for open states only; sealed states have none here.",
    )

    class Meta:
        ordering = ["state_set__published_at", "state_set", "position"]
        constraints = [
            models.UniqueConstraint(fields=["state_set", "position"], name="state_position_once"),
            models.CheckConstraint(
                condition=Q(disclosure="open", open_prior__isnull=False)
                | Q(disclosure="sealed", open_prior__isnull=True),
                name="state_sealed_has_no_prior",
            ),
        ]

    def __str__(self) -> str:
        return self.slug
