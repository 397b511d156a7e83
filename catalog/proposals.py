"""The four proposals that people compare in a scenario: built by rule, without a model.

Three say what they would run: a target mechanism, two interventions, a number of seeds. One is
an action name with a reason. docs/decisions/0009-scenario-actions.md has the rule and its why.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from catalog.scenario_texts import Part, ScenarioText

PROPOSAL_SEED = 20261129
FOIL_NUMBER = 4
# One seed count is drawn from each: cheap, middling and dear designs in every scenario.
SEED_RANGES = (range(2, 5), range(5, 9), range(9, 13))

Item = TypeVar("Item")


class Form(StrEnum):
    """How much of itself a proposal writes down."""

    NAME = "name"  # an action name and a reason
    SHORT = "short"  # the complete design in one line
    CRITERION = "criterion"  # with recipes and a success criterion
    PREDICTION = "prediction"  # with recipes, a success criterion and a prediction
    FOIL = "foil"  # compares nothing: for checks, none of the four


DESIGNED_FORMS = (Form.SHORT, Form.CRITERION, Form.PREDICTION)


@dataclass(frozen=True)
class Proposal:
    """A text that is shown, and the design that it states; an action name states none."""

    form: Form
    text: str
    target: int | None = None
    interventions: tuple[int, ...] | None = None
    n_seeds: int | None = None


@dataclass(frozen=True)
class _Design:
    """What a text has to say; `own` is the intervention of the target, `other` the second one."""

    mechanism: str
    own: Part
    other: Part
    seeds: str

    def fill(self, template: str) -> str:
        return template.format(
            m=self.mechanism,
            a=self.own.name,
            b=self.other.name,
            a_recipe=self.own.text,
            b_recipe=self.other.text,
            seeds=self.seeds,
        )


SHORT_LINES = (
    "Test “{m}”: compare the full system with “{a}” and “{b}”, {seeds} per condition.",
    "Start with “{m}”. Run “{a}” and “{b}” beside the full system, {seeds} each.",
    "Does “{m}” matter? “{a}” and “{b}” against the full system, {seeds} per condition.",
    "Two ablations aimed at “{m}”, namely “{a}” and “{b}”, plus the full system; {seeds} each.",
    "Full system, “{a}”, “{b}”: {seeds} per condition, to see how much “{m}” explains.",
)
OPENINGS = (
    "I would find out whether “{m}” is what matters here.",
    "The explanation to put to the test is “{m}”.",
    "My first suspect is “{m}”.",
    "This experiment asks how much of the effect “{m}” explains.",
    "If “{m}” is the cause, taking it away should undo the effect.",
    "Of the candidate explanations I would examine “{m}” next.",
)
DESIGNS = (
    "Two versions would run beside the full system. “{a}”: {a_recipe} “{b}”: {b_recipe}",
    "The first ablation is “{a}”. {a_recipe} The second is “{b}”. {b_recipe}",
    (
        "Beside the full system I would run “{a}” and “{b}”. In the one: {a_recipe} In the other: "
        "{b_recipe}"
    ),
    "First, “{a}”: {a_recipe} Second, “{b}”, as a comparison: {b_recipe}",
)
REPEATS = (
    "Every condition, the full system included, gets {seeds}.",
    "I would plan {seeds} per condition.",
    "With {seeds} per condition the spread can be judged as well.",
    "All conditions are repeated, {seeds} each.",
)
CRITERIA = (
    "“{m}” is supported if “{a}” loses at least half of the improvement and “{b}” clearly less.",
    (
        "I would accept “{m}” if the loss under “{a}” exceeds the spread between repeats and the "
        "loss under “{b}”."
    ),
    (
        "The test succeeds if “{a}” falls back towards the baseline while “{b}” stays near the "
        "full system."
    ),
    (
        "Success means that “{a}” is worse than the full system in nearly all repeats, and "
        "worse than “{b}” on average."
    ),
)
PREDICTIONS = (
    "I expect “{a}” to undo most of the effect and “{b}” to change little.",
    "My prediction is a large drop with “{a}” and a small one with “{b}”.",
    "I predict that “{a}” hurts far more than “{b}”.",
    "Most likely “{a}” explains the larger part of the difference; “{b}” should hardly matter.",
)
ACTION_NAMES = (
    "Ablation study",
    "Component analysis",
    "Controlled comparison",
    "Sensitivity analysis",
    "Mechanism test",
    "Diagnostic experiment",
    "Stepwise removal",
    "Factor screening",
)
REASONS = (
    (
        "“{p}”, “{q}” and the other explanations are mixed up in the present results, and a study "
        "of this kind would pull them apart."
    ),
    "So far nothing tells “{p}” from “{q}”. This would be the most direct way to find out.",
    (
        "The present results fit “{p}” as well as “{q}”, so the causes should be separated before "
        "anything else is tried."
    ),
    (
        "Before building further I would want to know whether “{p}”, “{q}” or something else is "
        "behind the result."
    ),
    "It would show which parts carry the result. At the moment both “{p}” and “{q}” are plausible.",
    (
        "Several things changed at once. Whether “{p}” or “{q}” did the work cannot be read off "
        "the numbers that we have."
    ),
)
FOILS = (
    (
        "My question is whether “{m}” is behind the result. I would run the full system again, "
        "{seeds} in all, with nothing changed and nothing to compare it with, and see whether the "
        "numbers look good."
    ),
    (
        "To learn about “{m}” I would only repeat the full system as it is, {seeds} in all. No "
        "part would be changed, and no other version would run."
    ),
    (
        "I would look at “{m}” by running the full system as it stands, {seeds} in all, without "
        "any other condition."
    ),
)


def build_proposals(scenario: ScenarioText, *, seed: int) -> tuple[Proposal, ...]:
    """Return the four proposals of a scenario in the order in which they are numbered.

    The order is drawn too, so that a number tells nothing about the form.
    """
    # Only random() is called: its stream is the one that Python promises to keep.
    source = random.Random(f"{seed}:{scenario.slug}")  # noqa: S311 - reproducible texts
    targets = _shuffled(source, range(len(scenario.mechanisms)))[: len(DESIGNED_FORMS)]
    forms = _shuffled(source, DESIGNED_FORMS)
    seed_ranges = _shuffled(source, SEED_RANGES)
    taken: set[tuple[int, ...]] = set()
    proposals = []
    for target, form, seeds in zip(targets, forms, seed_ranges, strict=True):
        others = [
            other
            for other in range(len(scenario.interventions))
            if other != target and tuple(sorted((target, other))) not in taken
        ]
        other, n_seeds = _pick(source, others), _pick(source, seeds)
        interventions = tuple(sorted((target, other)))
        taken.add(interventions)
        text = _designed_text(source, form, _described(scenario, target, other, n_seeds))
        proposals.append(Proposal(form, text, target, interventions, n_seeds))
    return tuple(_shuffled(source, [*proposals, _named(source, scenario)]))


def build_foil(scenario: ScenarioText, proposals: Sequence[Proposal], *, seed: int) -> Proposal:
    """Return a proposal from which nothing can be learnt: a design of the four dominates it."""
    design = next(proposal for proposal in proposals if proposal.form is Form.CRITERION)
    source = random.Random(f"{seed}:{scenario.slug}:foil")  # noqa: S311 - reproducible texts
    text = _pick(source, FOILS).format(
        m=scenario.mechanisms[design.target or 0].name,
        seeds=_repeats(scenario, design.n_seeds or 0),
    )
    return Proposal(Form.FOIL, text)


def _described(scenario: ScenarioText, target: int, other: int, n_seeds: int) -> _Design:
    return _Design(
        mechanism=scenario.mechanisms[target].name,
        own=scenario.interventions[target],
        other=scenario.interventions[other],
        seeds=_repeats(scenario, n_seeds),
    )


def _repeats(scenario: ScenarioText, n_seeds: int) -> str:
    # A systems paper repeats runs; nothing in them is seeded.
    return f"{n_seeds} {'runs' if scenario.domain == 'systems' else 'seeds'}"


def _designed_text(source: random.Random, form: Form, design: _Design) -> str:
    if form is Form.SHORT:
        return design.fill(_pick(source, SHORT_LINES))
    parts = [OPENINGS, DESIGNS, REPEATS, CRITERIA]
    if form is Form.PREDICTION:
        parts.append(PREDICTIONS)
    return " ".join(design.fill(_pick(source, wordings)) for wordings in parts)


def _named(source: random.Random, scenario: ScenarioText) -> Proposal:
    first, second = _shuffled(source, scenario.mechanisms)[:2]
    reason = _pick(source, REASONS).format(p=first.name, q=second.name)
    return Proposal(Form.NAME, f"{_pick(source, ACTION_NAMES)}. {reason}")


def _pick(source: random.Random, items: Sequence[Item]) -> Item:
    return items[int(source.random() * len(items))]


def _shuffled(source: random.Random, items: Sequence[Item]) -> list[Item]:
    # Sorting by drawn keys is a fair shuffle on random() alone.
    keys = [source.random() for _ in items]
    order = sorted(range(len(items)), key=keys.__getitem__)
    return [items[position] for position in order]
