"""Publishing releases: which tasks they hold, and what may be said of all of them together."""

import math
from collections.abc import Iterable, Mapping
from datetime import datetime

import structlog
from django.db import transaction

from catalog.models import (
    Release,
    ReleaseStructure,
    Scale,
    Task,
)
from scoring import VERSION
from scoring.masks import Floats
from scoring.structure import catalogue_structure, structure

# Of a release with fewer tasks, counts of reversals would tell of single sealed ones.
FEWEST_COUNTED = 8

log = structlog.get_logger(__name__)


class ReleaseChanged(Exception):
    """A release differs from what was published under the same name."""


def publish_release(*, slug: str, title: str, now: datetime) -> Release:
    """Return the release, made now if there is none of that name."""
    release, _ = Release.objects.get_or_create(
        slug=slug, defaults={"title": title, "published_at": now}
    )
    return release


def close_release(*, release: Release, tasks: Iterable[Task]) -> None:
    """Require that a release holds exactly these task versions.

    Raises
    ------
    ReleaseChanged
        If it holds others: it was published before with other content.
    """
    given = {task.pk for task in tasks}
    if others := release.tasks.exclude(pk__in=given).order_by("slug"):
        raise ReleaseChanged(
            f"the release {release.slug} is published with other content ({others[0].slug}); "
            "--release gives this one another name"
        )


def publish_structure(*, release: Release, surfaces: Mapping[Task, Floats]) -> ReleaseStructure:
    """Return the counts over a release's surfaces, and store them with the scale of each task.

    `surfaces` are the whole surfaces of the release's current tasks, the sealed ones too: what is
    stored here is all that pages may say of these. So of few tasks no reversal is counted.
    """
    structures = {task: structure(surface) for task, surface in surfaces.items()}
    counts = catalogue_structure(structures.values())
    median = counts.median_higher_order_share
    tells_of_single_tasks = counts.n_surfaces < FEWEST_COUNTED
    with transaction.atomic():
        Scale.objects.bulk_create(
            (
                Scale(
                    task=task,
                    utility_range=found.utility_range,
                    mean_absolute_effect=found.mean_absolute_effect,
                )
                for task, found in structures.items()
            ),
            update_conflicts=True,
            unique_fields=["task"],
            update_fields=["utility_range", "mean_absolute_effect"],
        )
        stored, _ = ReleaseStructure.objects.update_or_create(
            release=release,
            defaults={
                "n_tasks": counts.n_surfaces,
                "n_records": counts.n_masks,
                "n_effects": counts.n_effects,
                "n_interactions": counts.n_interactions,
                "n_factors": counts.n_factors,
                "n_reversing": [] if tells_of_single_tasks else [*counts.n_reversing],
                "n_factors_reversing": []
                if tells_of_single_tasks
                else [*counts.n_factors_reversing],
                "median_higher_order_share": (
                    None if tells_of_single_tasks or math.isnan(median) else median
                ),
                "scoring_version": VERSION,
            },
        )
    log.info("structure published", release=release.slug, n_tasks=counts.n_surfaces)
    return stored
