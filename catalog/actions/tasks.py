"""Publishing versions of tasks: ours, and instances of the public release."""

from datetime import datetime
from typing import Any

import structlog
from django.db import transaction

from catalog.models import (
    Disclosure,
    Family,
    Provenance,
    Release,
    Source,
    Task,
    Track,
)
from catalog.releases import Instance
from catalog.workflows import families, sources
from catalog.workflows.conditions import Condition
from catalog.workflows.registry import FAMILIES
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

MAX_SLUG_LENGTH = 50

log = structlog.get_logger(__name__)


class TableIncomplete(Exception):
    """A table lacks a mask of its task, or has one that the task does not know."""


class TaskChanged(Exception):
    """A task differs from what was published under the same version."""


class SlugTooLong(Exception):
    """The name of a release and that of its instance make no slug together."""


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
    with transaction.atomic():
        source = _publish_source(condition.source, _publish_family(condition.family))
        return _publish_version(
            slug=condition.slug,
            version=task_version(condition),
            described=_describe(condition, source=source, disclosure=disclosure),
            table=table,
            release=release,
            now=now,
        )


def publish_instance(
    *, instance: Instance, is_paired: bool, release: Release, now: datetime
) -> tuple[Task, Table]:
    """Return the task of an instance of the public release, sealed, and the table behind it.

    Its slug and its source's slug begin with that of the release, so it stands beside our task
    of the same name and never replaces it.

    Raises
    ------
    SlugTooLong
        If the name does not fit behind that of the release.
    TaskChanged
        If the same version was published with other words or factors.
    """
    slug = prefixed_slug(release.slug, instance.name)
    table = Table(
        task=slug,
        utility=instance.utility,
        native_value=instance.native_value,
        prediction_sha256=instance.prediction_sha256,
        versions={},
    )
    with transaction.atomic():
        source, _ = Source.objects.get_or_create(
            slug=prefixed_slug(release.slug, instance.source),
            defaults={
                "family": _publish_family(FAMILIES[instance.family]),
                "title": instance.source_name[:120],
                "origin": f"{release.title}: {instance.source}",
                "licence": "as the release says",
                "sha256": "",
            },
        )
        described = {
            "source": source,
            "track": _track(instance.d, is_paired=is_paired),
            "provenance": Provenance.PUBLISHED,
            "disclosure": Disclosure.SEALED,
            "n_factors": instance.d,
            "factors": [vars(factor) for factor in instance.factors],
            "question": f"Which options help most on {instance.source_name}?"[:300],
            "input_summary": f"{instance.data_words}. Utility: {instance.utility_words}",
            "source_code": instance.code,
        }
        task = _publish_version(
            slug=slug,
            version=instance.version,
            described=described,
            table=table,
            release=release,
            now=now,
        )
    return task, table


def prefixed_slug(release: str, name: str) -> str:
    """Return the slug of what another release calls `name`.

    Raises
    ------
    SlugTooLong
        If both together are longer than a slug can be.
    """
    slug = f"{release}-{name}"
    if len(slug) > MAX_SLUG_LENGTH:
        raise SlugTooLong(f"{slug} is longer than the {MAX_SLUG_LENGTH} characters of a slug")
    return slug


def _publish_version(
    *,
    slug: str,
    version: str,
    described: dict[str, Any],
    table: Table,
    release: Release,
    now: datetime,
) -> Task:
    """Return the task of this version, made current; its words must be those published."""
    is_open = described["disclosure"] == Disclosure.OPEN
    Task.objects.filter(slug=slug, is_current=True).exclude(version=version).update(
        is_current=False
    )
    task, is_new = Task.objects.get_or_create(
        slug=slug,
        version=version,
        defaults=described
        | {
            "release": release,
            "anchors": {mask: table.utility[mask] for mask in anchors(described["n_factors"])},
            "open_surface": table.utility if is_open else None,
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
        log.info(
            "task published", task=slug, version=version, disclosure=described["disclosure"].value
        )
    return task


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
        "track": _track(condition.d, is_paired=4 in condition.source.n_factors),
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


def _track(d: int, *, is_paired: bool) -> Track:
    if d == 4:
        return Track.FOUR_FACTOR
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
    file = source.described_files()[0]
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
