"""What is behind the scenarios. An import contract lists the few modules that may read it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import models
from django.db.models import Q

from catalog.models import Action, Scenario
from catalog.proposals import Form, Proposal
from catalog.scenario_files import ScenarioSecret
from scoring.information import removal_matrix
from scoring.readings import Action as StatedAction
from scoring.readings import ReadingScore, reading_set, score

UNDESIGNED_FORMS = [Form.NAME.value, Form.FOIL.value]


class ScenarioTruth(models.Model):
    """The paper behind a scenario, its conclusion, and what the metric is computed from."""

    scenario = models.OneToOneField(
        Scenario, on_delete=models.PROTECT, related_name="+", primary_key=True
    )
    source_identifier = models.CharField(max_length=80)
    source_title = models.CharField(max_length=300)
    source_authors = models.CharField(max_length=200)
    source_year = models.PositiveSmallIntegerField()
    source_locator = models.TextField()
    conclusion = models.TextField()
    confirmed_facts = models.JSONField()
    prior = models.JSONField(help_text="Six probabilities.")
    budget = models.PositiveSmallIntegerField()
    removes = models.JSONField(help_text="Per intervention, the mechanisms that it removes.")

    class Meta:
        # Its own word: who is given every "view" permission shall not read this with them.
        default_permissions = ()
        permissions = [
            ("read_scenario_truth", "Can read what is behind scenarios and their actions")
        ]

    def __str__(self) -> str:
        # Not even the admin's log may print a source.
        return f"truth of {self.scenario_id}"


class ActionTruth(models.Model):
    """The form of an action and the design that it states; names and foils state none."""

    action = models.OneToOneField(
        Action, on_delete=models.PROTECT, related_name="+", primary_key=True
    )
    form = models.CharField(max_length=12, choices=[(form.value, form.value) for form in Form])
    target = models.PositiveSmallIntegerField(null=True)
    interventions = models.JSONField(null=True)
    n_seeds = models.PositiveSmallIntegerField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    form__in=UNDESIGNED_FORMS,
                    target__isnull=True,
                    interventions__isnull=True,
                    n_seeds__isnull=True,
                )
                | Q(target__isnull=False, interventions__isnull=False, n_seeds__isnull=False)
                & ~Q(form__in=UNDESIGNED_FORMS),
                name="action_truth_states_design_or_none",
            ),
        ]

    def __str__(self) -> str:
        return f"truth of action {self.action_id}"


class ActionMetric(models.Model):
    """What an action is worth: computed from the truth, and computed again by the same command."""

    action = models.OneToOneField(
        Action, on_delete=models.PROTECT, related_name="+", primary_key=True
    )
    rate = models.FloatField(help_text="U_B, nats per unit cost, unaffordable readings at 0.")
    ungated_rate = models.FloatField(help_text="The same, unaffordable readings at their own rate.")

    class Meta:
        default_permissions = ()
        constraints = [
            # PostgreSQL sorts NaN above every number, so the upper bound refuses it as well.
            models.CheckConstraint(
                condition=Q(rate__gte=0, rate__lte=models.F("ungated_rate"), ungated_rate__lte=1),
                name="action_metric_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"metric of action {self.action_id}"


class TruthChanged(Exception):
    """What is behind a published scenario differs from what was recorded."""


def record_scenario_truth(
    scenario: Scenario, secret: ScenarioSecret, proposals: Sequence[Proposal]
) -> None:
    """Write what is behind a scenario and its actions that has nothing recorded; else compare.

    The metrics are computed anew either way.

    Raises
    ------
    TruthChanged
        If something else was recorded; the message shows none of it.
    """
    _write_or_compare(ScenarioTruth, {"scenario_id": scenario.pk}, _scenario_fields(secret))
    actions = scenario.actions.all()
    metrics = []
    for action, proposal in zip(actions, proposals, strict=True):
        _write_or_compare(ActionTruth, {"action_id": action.pk}, _action_fields(proposal))
        if proposal.form is Form.FOIL:
            continue
        result = score_proposal(secret, proposal)
        metrics.append(
            ActionMetric(action=action, rate=result.rate, ungated_rate=result.ungated_rate)
        )
    ActionMetric.objects.bulk_create(
        metrics,
        update_conflicts=True,
        unique_fields=["action"],
        update_fields=["rate", "ungated_rate"],
    )


def score_proposal(secret: ScenarioSecret, proposal: Proposal) -> ReadingScore:
    """Return what the declared executor makes of a proposal under the scenario's prior."""
    stated = StatedAction(proposal.target, proposal.interventions, proposal.n_seeds)
    return score(
        secret.prior,
        secret.budget,
        reading_set(stated),
        removal_matrix(secret.removes),
        target=proposal.target,
    )


@dataclass(frozen=True)
class Balance:
    """What the sides of a scenario are balanced by; numbers of its actions.

    `worth` has the four by falling metric; `gold` is the design that dominates the foil.
    """

    worth: tuple[int, ...]
    gold: int


def balances(slugs: Iterable[str]) -> dict[str, Balance]:
    """Return how to balance the sides of each scenario, so that no side is the better one."""
    metrics = ActionMetric.objects.filter(action__scenario__in=slugs)
    ordered = metrics.order_by("action__scenario", "-rate", "action__number")
    gold = dict(
        ActionTruth.objects.filter(
            action__scenario__in=slugs, form=Form.CRITERION.value
        ).values_list("action__scenario", "action__number")
    )
    worth: dict[str, list[int]] = defaultdict(list)
    for slug, number in ordered.values_list("action__scenario", "action__number"):
        worth[slug].append(number)
    return {slug: Balance(tuple(numbers), gold[slug]) for slug, numbers in worth.items()}


def _scenario_fields(secret: ScenarioSecret) -> dict[str, object]:
    return {
        "source_identifier": secret.source.identifier,
        "source_title": secret.source.title,
        "source_authors": secret.source.authors,
        "source_year": secret.source.year,
        "source_locator": secret.source.locator,
        "conclusion": secret.conclusion,
        "confirmed_facts": list(secret.confirmed_facts),
        "prior": list(secret.prior),
        "budget": secret.budget,
        "removes": [list(removed) for removed in secret.removes],
    }


def _action_fields(proposal: Proposal) -> dict[str, object]:
    return {
        "form": proposal.form.value,
        "target": proposal.target,
        "interventions": proposal.interventions and list(proposal.interventions),
        "n_seeds": proposal.n_seeds,
    }


def _write_or_compare(
    model: type[ScenarioTruth] | type[ActionTruth],
    key: dict[str, object],
    fields: dict[str, object],
) -> None:
    row, is_new = model._default_manager.get_or_create(**key, defaults=fields)
    changed = [name for name, value in fields.items() if getattr(row, name) != value]
    if changed and not is_new:
        raise TruthChanged(f"{row}: {', '.join(changed)} changed after it was recorded")
