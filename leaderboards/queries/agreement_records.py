"""The facts that a report on agreement is made from, and how to tell that they changed."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

import scoring
from catalog.models import Scenario
from catalog.proposals import Form
from catalog.scenario_truth import ActionMetric, ActionTruth, ScenarioTruth
from judgments.assignment import ItemKind
from judgments.flags import stated_limits
from judgments.models import (
    Cell,
    Choice,
    DeletionReceipt,
    Exclusion,
    Item,
    Judgment,
    Participant,
    ParticipantKind,
    ProtocolVersion,
    Revision,
    Study,
)
from judgments.queries.checks import CheckOutcomes, check_counts
from judgments.queries.coverage import counted_cells
from judgments.queries.flags import flags_of
from judgments.queries.participants import counted_participants
from leaderboards.agreement_records import (
    EVERYBODY,
    WITHOUT_FLAGGED,
    AgreementRecords,
    CellCounts,
    Group,
    Material,
)
from leaderboards.models import AgreementComputation
from leaderboards.queries.agreement import correlate, differ_by_path, load_answers, rank_sums
from scoring.ranks import N_ACTIONS


class NothingToReport(Exception):
    """Nobody who counts has completed a scenario under these protocol versions."""


class MetricsMissing(Exception):
    """Compared actions have no metric, which a report would take for one of 0."""

    def __init__(self, actions: Sequence[str]) -> None:
        names = ", ".join(actions)
        super().__init__(f"no metric of {names}. `manage.py load_scenarios` computes it.")


def answered_versions(study: Study) -> list[int]:
    """Return the protocol versions under which somebody who counts completed a scenario."""
    cells = counted_cells(counted_participants(study))
    numbers = cells.values_list("participant__protocol__number", flat=True)
    return sorted(numbers.distinct())


def versions_key(versions: Sequence[int]) -> str:
    """Return protocol versions as a report is named by them: 1 or 1,2."""
    return ",".join(map(str, sorted(set(versions))))


def current_agreement(study: Study, versions: Sequence[int]) -> AgreementComputation | None:
    """Return the stored report on these versions, unless the facts have changed since."""
    return AgreementComputation.objects.filter(
        study=study,
        versions=versions_key(versions),
        scoring_version=scoring.VERSION,
        facts_stamp=facts_stamp(study),
    ).first()


def facts_stamp(study: Study) -> dict[str, Any]:
    """Return counts that no change of the facts leaves as they were; cheap, unlike the facts.

    Answers are only added, or erased with a receipt; a changed one is a revision. The limits of
    flags are no facts, but who is flagged follows from them.
    """
    people = Participant.objects.filter(study=study)
    answers = Judgment.objects.filter(participant__study=study).aggregate(
        n=Count("pk"), newest=Max("answered_at")
    )
    exclusions = Exclusion.objects.filter(participant__study=study).aggregate(
        n=Count("pk"), n_undone=Count("undone_at")
    )
    metrics = hashlib.sha256()
    for row in ActionMetric.objects.order_by("action").values_list():
        metrics.update(f"{row}\n".encode())
    return {
        "participants": people.count(),
        "receipts": DeletionReceipt.objects.filter(study=study).count(),
        "answers": answers["n"],
        "newest_answer": answers["newest"] and answers["newest"].isoformat(),
        "revisions": Revision.objects.filter(judgment__participant__study=study).count(),
        "exclusions": exclusions["n"],
        "undone_exclusions": exclusions["n_undone"],
        "metrics": metrics.hexdigest(),
        "flag_limits": stated_limits(),
    }


def load_agreement_records(study: Study, versions: Sequence[int]) -> AgreementRecords:
    """Return everything that goes into the report on these protocol versions together.

    Raises
    ------
    NothingToReport, MetricsMissing
    """
    people = _people(study, versions)
    newest = counted_cells(people).aggregate(newest=Max("completed_at"))["newest"]
    if newest is None:
        raise NothingToReport
    material = _material(_scenarios(study, versions))
    raised = flags_of(study)
    flagged = {pk for pk in people.values_list("pk", flat=True) if raised.get(pk)}
    groups = (
        _group(EVERYBODY, people, material),
        _group(WITHOUT_FLAGGED, people.exclude(pk__in=flagged), material),
    )
    joined = Participant.objects.filter(study=study, protocol__number__in=versions)
    others = joined.exclude(kind=ParticipantKind.PREVIEW)
    return AgreementRecords(
        material=material,
        groups=groups,
        n_excluded=others.count() - people.count(),
        n_flagged=len(flagged),
        input_digest=_digest(material, groups, flagged),
        facts_until=newest,
    )


def codes_are_wrong(study: Study, versions: Sequence[int]) -> bool:
    """Tell whether the single choices give other ranks than the codes that cells keep of them."""
    return differ_by_path(_people(study, versions), _scenarios(study, versions))


def _people(study: Study, versions: Sequence[int]) -> QuerySet[Participant]:
    return counted_participants(study).filter(protocol__number__in=versions)


def _scenarios(study: Study, versions: Sequence[int]) -> list[str]:
    definitions = ProtocolVersion.objects.filter(study=study, number__in=versions)
    return sorted(
        {
            slug
            for one in definitions.values_list("definition", flat=True)
            for slug in one["scenarios"]
        }
    )


def _material(scenarios: Sequence[str]) -> Material:
    domains = dict(Scenario.objects.filter(pk__in=scenarios).values_list("slug", "domain"))
    papers = dict(
        ScenarioTruth.objects.filter(pk__in=scenarios).values_list("pk", "source_identifier")
    )
    metrics = np.full((2, len(scenarios), N_ACTIONS), np.nan)
    place = {slug: row for row, slug in enumerate(scenarios)}
    for slug, number, *values in ActionMetric.objects.filter(
        action__scenario__in=scenarios
    ).values_list("action__scenario", "action__number", "rate", "ungated_rate"):
        metrics[:, place[slug], number] = values
    if missing := np.argwhere(np.isnan(metrics[0])).tolist():
        raise MetricsMissing([f"{scenarios[row]} action {number}" for row, number in missing])
    forms: dict[str, dict[str, int]] = defaultdict(dict)
    for slug, number, form in ActionTruth.objects.filter(
        action__scenario__in=scenarios
    ).values_list("action__scenario", "action__number", "form"):
        forms[slug][form] = number
    return Material(
        scenarios=tuple(scenarios),
        domains=tuple(domains[slug] for slug in scenarios),
        # A scenario of which no source is recorded is a paper of its own.
        papers=tuple(papers.get(slug, slug) for slug in scenarios),
        metrics={"gated": metrics[0], "ungated": metrics[1]},
        names=tuple(forms[slug][Form.NAME.value] for slug in scenarios),
        shorts=tuple(forms[slug][Form.SHORT.value] for slug in scenarios),
    )


def _group(name: str, people: QuerySet[Participant], material: Material) -> Group:
    cells = counted_cells(people)
    answers = load_answers(people, material.scenarios)
    checks = Item.objects.filter(participant__in=people).aggregate(**check_counts(""))
    sides = Judgment.objects.filter(
        item__cell__in=cells, item__kind=ItemKind.JUDGMENT, choice__in=[Choice.LEFT, Choice.RIGHT]
    ).aggregate(n=Count("pk"), n_left=Count("pk", filter=Q(choice=Choice.LEFT)))
    return Group(
        name=name,
        n_people=len(answers.people),
        answers=answers,
        correlations=correlate(people, material.scenarios),
        rank_sums=rank_sums(people, material.scenarios),
        cells=_cell_counts(people),
        checks=CheckOutcomes(**checks),
        n_left=sides["n_left"],
        n_sided=sides["n"],
    )


def _cell_counts(people: QuerySet[Participant]) -> CellCounts:
    pairs = Judgment.objects.filter(item__cell=OuterRef("pk"), item__kind=ItemKind.JUDGMENT)
    is_open, is_begun = Q(completed_at__isnull=True), Q(Exists(pairs))
    counts = Cell.objects.filter(participant__in=people).aggregate(
        n_given=Count("pk"),
        n_ranked=Count("pk", filter=Q(is_usable=True)),
        n_ranked_with_ties=Count("pk", filter=Q(is_usable=True, code__isnull=True)),
        n_cannot_judge=Count("pk", filter=Q(is_usable=False)),
        n_incomplete=Count("pk", filter=is_open & is_begun),
        n_not_begun=Count("pk", filter=is_open & ~is_begun),
    )
    return CellCounts(**counts)


def _digest(material: Material, groups: Sequence[Group], flagged: set[UUID]) -> str:
    lines = hashlib.sha256()
    for line in _digest_lines(material, groups, flagged):
        lines.update(f"{line}\n".encode())
    return lines.hexdigest()


def _digest_lines(
    material: Material, groups: Sequence[Group], flagged: set[UUID]
) -> Iterator[object]:
    for row, slug in enumerate(material.scenarios):
        yield "scenario", slug, material.domains[row], material.papers[row]
        yield material.names[row], material.shorts[row]
        yield from (values[row].tolist() for values in material.metrics.values())
    yield "flagged", sorted(map(str, flagged)), stated_limits()
    for group in groups:
        yield group.name, group.cells, group.checks, group.n_left, group.n_sided
        answers = group.answers
        for person, scenario, outcomes in zip(
            answers.participants.tolist(),
            answers.scenarios.tolist(),
            answers.doubled_outcomes.tolist(),
            strict=True,
        ):
            yield answers.people[person], scenario, outcomes
