"""Publishing of releases, task versions and scenarios.

What is hidden is written beside them (catalog.truth, catalog.scenario_truth).
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction

from catalog.models import (
    Action,
    Disclosure,
    Family,
    Provenance,
    Release,
    Scenario,
    Source,
    Task,
    Track,
)
from catalog.scenario_texts import Part, ScenarioText
from catalog.workflows import families, sources
from catalog.workflows.conditions import Condition
from catalog.workflows.source_files import manifest
from catalog.workflows.tables import Table
from catalog.workflows.versions import task_version
from scoring.masks import all_masks, anchors

# A family keeps its place on pages, and with it its colour, while other families arrive.
FAMILY_ORDER = (
    "classification",
    "regression",
    "clustering",
    "forecasting",
    "image_restoration",
    "retrieval",
    "beat_detection",
    "graph_link_prediction",
)

log = structlog.get_logger(__name__)


class TableIncomplete(Exception):
    """A table lacks a mask of its task, or has one that the task does not know."""


class TaskChanged(Exception):
    """A task differs from what was published under the same version."""


class ScenarioChanged(Exception):
    """A scenario or an action differs from what was published under the same name."""


def publish_release(*, slug: str, title: str, now: datetime) -> Release:
    """Return the release, made now if there is none of that name."""
    release, _ = Release.objects.get_or_create(
        slug=slug, defaults={"title": title, "published_at": now}
    )
    return release


def publish_task(
    *,
    condition: Condition,
    table: Table,
    disclosure: Disclosure,
    release: Release,
    now: datetime,
) -> Task:
    """Return the current version of a condition's task; other versions of it stay readable.

    Raises
    ------
    TableIncomplete
        If the table has other masks than the condition.
    TaskChanged
        If the same version was published with other words, factors or disclosure.
    """
    _require_every_mask(condition, table)
    version = task_version(condition)
    with transaction.atomic():
        source = _publish_source(condition.source, _publish_family(condition.family))
        described = _describe(condition, source=source, disclosure=disclosure)
        Task.objects.filter(slug=condition.slug, is_current=True).exclude(version=version).update(
            is_current=False
        )
        task, is_new = Task.objects.get_or_create(
            slug=condition.slug,
            version=version,
            defaults=described
            | {
                "release": release,
                "anchors": {mask: table.utility[mask] for mask in anchors(condition.d)},
                "open_surface": table.utility if disclosure == Disclosure.OPEN else None,
                "published_at": now,
            },
        )
        changed = [name for name, value in described.items() if getattr(task, name) != value]
        if changed:
            raise TaskChanged(
                f"{task.slug}: {', '.join(changed)} changed under the same version "
                f"{version[:12]}, which is published; give the task a new version"
            )
        if not task.is_current:
            task.is_current = True
            task.save(update_fields=["is_current"])
    if is_new:
        log.info("task published", task=task.slug, version=version, disclosure=disclosure.value)
    return task


def publish_scenario(
    *, scenario: ScenarioText, action_texts: Sequence[str], action_seed: int, now: datetime
) -> Scenario:
    """Return the scenario with its actions, made now if there is none of that name.

    Raises
    ------
    ScenarioChanged
        If it was published with other words: people have judged those.
    """
    shown = {
        "domain": scenario.domain,
        "title": scenario.title,
        "question": scenario.question,
        "baseline": scenario.baseline,
        "observations": list(scenario.observations),
        "mechanisms": _as_rows(scenario.mechanisms),
        "interventions": _as_rows(scenario.interventions),
        "action_seed": action_seed,
    }
    with transaction.atomic():
        row, is_new = Scenario.objects.get_or_create(
            slug=scenario.slug, defaults=shown | {"published_at": now}
        )
        if is_new:
            Action.objects.bulk_create(
                Action(scenario=row, number=number, text=text)
                for number, text in enumerate(action_texts)
            )
    changed = [name for name, value in shown.items() if getattr(row, name) != value]
    if list(row.actions.values_list("text", flat=True)) != list(action_texts):
        changed.append("actions")
    if changed:
        raise ScenarioChanged(
            f"{row.slug}: {', '.join(changed)} changed, but the scenario is published; "
            "publish another scenario under a name of its own"
        )
    return row


def _as_rows(parts: Sequence[Part]) -> list[dict[str, str]]:
    return [asdict(part) for part in parts]


def _require_every_mask(condition: Condition, table: Table) -> None:
    for column in (table.utility, table.native_value, table.prediction_sha256):
        if differing := sorted(set(column) ^ set(all_masks(condition.d))):
            raise TableIncomplete(
                f"{condition.slug}: the table and the task disagree on mask {differing[0]}"
            )


def _describe(condition: Condition, *, source: Source, disclosure: Disclosure) -> dict[str, Any]:
    """Return what a version of a task says for ever, beside its outcomes."""
    return {
        "source": source,
        "track": _track(condition),
        "provenance": Provenance(condition.source.provenance.value),
        "disclosure": disclosure,
        "n_factors": condition.d,
        "factors": [
            {"letter": factor.letter, "name": factor.name, "off": factor.off, "on": factor.on}
            for factor in condition.factors
        ],
        "question": condition.source.question,
        "input_summary": condition.source.input_summary,
        "source_code": condition.family.workflow_code(),
    }


def _track(condition: Condition) -> Track:
    if condition.d == 4:
        return Track.FOUR_FACTOR
    is_paired = 4 in condition.source.n_factors
    return Track.SIX_FACTOR_PAIRED if is_paired else Track.SIX_FACTOR_ADDED


def _publish_family(family: families.Family) -> Family:
    row, _ = Family.objects.update_or_create(
        slug=family.name,
        defaults={
            "title": family.title,
            "native_metric": family.native_metric,
            "utility_definition": family.utility_rule,
            "position": 1 + FAMILY_ORDER.index(family.name),
        },
    )
    return row


def _publish_source(source: sources.Source, family: Family) -> Source:
    # A source of several files is found again by its first one, the data; the others label it.
    file = manifest()[source.files[0]]
    row, _ = Source.objects.update_or_create(
        slug=source.name,
        defaults={
            "family": family,
            "title": source.title,
            "origin": f"{file.origin}: {file.file}",
            "licence": file.licence,
            "sha256": file.sha256,
        },
    )
    return row
