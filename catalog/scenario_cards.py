"""What staff with the permission read of a scenario: its source card and what its actions are.

An import contract names the one door that may ask for it (.importlinter, scenario-cards); the
door asks for the permission `catalog.read_scenario_truth` first.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.leaks import Leak, distinctive_words, find_leaks
from catalog.models import Scenario
from catalog.pictures import design_words
from catalog.proposals import Form
from catalog.queries import shown_passages
from catalog.scenario_truth import ActionMetric, ActionTruth, ScenarioTruth
from scoring import readings
from scoring.costs import affordable
from scoring.information import removal_matrix
from scoring.readings import Action as StatedAction
from scoring.readings import reading_set


@dataclass(frozen=True)
class Explanation:
    """A mechanism with its prior probability."""

    name: str
    probability: float


@dataclass(frozen=True)
class Removal:
    """An intervention and the mechanisms that it removes."""

    name: str
    removes: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """One design that an action can be read as, and what it is worth."""

    words: str
    cost: float
    is_affordable: bool
    gain: float


@dataclass(frozen=True)
class ActionCard:
    """An action: the text that is shown, the design behind it, its readings and its metric.

    A name states no design; a foil is compared in checks alone and has neither reading nor metric.
    """

    number: int
    text: str
    form: Form
    target: str
    interventions: tuple[str, ...]
    n_seeds: int | None
    readings: tuple[Reading, ...]
    rate: float | None
    ungated_rate: float | None


@dataclass(frozen=True)
class ScenarioCard:
    """A scenario with everything behind it."""

    scenario: Scenario
    source: ScenarioTruth
    prior: tuple[Explanation, ...]
    removals: tuple[Removal, ...]
    actions: tuple[ActionCard, ...]
    leaks: tuple[Leak, ...]


def scenario_card(scenario: Scenario) -> ScenarioCard | None:
    """Return the card, None of a scenario behind which nothing is recorded."""
    truth = ScenarioTruth.objects.filter(scenario=scenario).first()
    if truth is None:
        return None
    mechanisms = [part["name"] for part in scenario.mechanisms]
    interventions = [part["name"] for part in scenario.interventions]
    return ScenarioCard(
        scenario=scenario,
        source=truth,
        prior=tuple(
            Explanation(name, probability)
            for name, probability in zip(mechanisms, truth.prior, strict=True)
        ),
        removals=tuple(
            Removal(name, tuple(mechanisms[h] for h in removed))
            for name, removed in zip(interventions, truth.removes, strict=True)
        ),
        actions=tuple(_action_cards(scenario, truth, mechanisms, interventions)),
        leaks=_leaks(truth, scenario),
    )


def scenario_leaks() -> Iterator[tuple[Scenario, tuple[Leak, ...]]]:
    """Yield every published scenario with the passages that lead to its paper, in two queries."""
    truths = ScenarioTruth.objects.select_related("scenario").prefetch_related("scenario__actions")
    for truth in truths.order_by("pk"):
        yield truth.scenario, _leaks(truth, truth.scenario)


def _leaks(truth: ScenarioTruth, scenario: Scenario) -> tuple[Leak, ...]:
    words = distinctive_words(
        title=truth.source_title,
        authors=truth.source_authors,
        identifier=truth.source_identifier,
    )
    return find_leaks(shown_passages(scenario), words)


def _action_cards(
    scenario: Scenario, truth: ScenarioTruth, mechanisms: list[str], interventions: list[str]
) -> Iterator[ActionCard]:
    actions = list(scenario.actions.all())
    designs = ActionTruth.objects.in_bulk([action.pk for action in actions])
    metrics = ActionMetric.objects.in_bulk([action.pk for action in actions])
    for action in actions:
        design, metric = designs[action.pk], metrics.get(action.pk)
        form = Form(design.form)
        yield ActionCard(
            number=action.number,
            text=action.text,
            form=form,
            target="" if design.target is None else mechanisms[design.target],
            interventions=tuple(interventions[j] for j in design.interventions or ()),
            n_seeds=design.n_seeds,
            readings=() if form is Form.FOIL else _readings(truth, design),
            rate=metric.rate if metric else None,
            ungated_rate=metric.ungated_rate if metric else None,
        )


def _readings(truth: ScenarioTruth, design: ActionTruth) -> tuple[Reading, ...]:
    stated = StatedAction(
        design.target,
        None if design.interventions is None else tuple(design.interventions),
        design.n_seeds,
    )
    gains = readings.gain_table(truth.prior, removal_matrix(truth.removes))
    within = affordable(truth.budget)
    return tuple(
        Reading(
            words=design_words(one),
            cost=one.cost,
            is_affordable=bool(within[one.index]),
            gain=float(gains[one.index]),
        )
        for one in reading_set(stated)
    )
