"""Add the conditions of a public release beside ours, all of them or none."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from catalog import truth
from catalog.actions.releases import (
    ReleaseChanged,
    close_release,
    publish_release,
    publish_structure,
)
from catalog.actions.tasks import SlugTooLong, TaskChanged, publish_instance
from catalog.models import Release
from catalog.releases import PublicRelease, ReleaseRefused, read_release

RELEASE = "wwb"
RELEASE_TITLE = "WhatWorkedBench, public release"


class Command(BaseCommand):
    """Checks the whole folder first; a fault anywhere leaves nothing behind."""

    help = "Import the folder of a public release: its tasks and outcomes. Safe to run again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the folder and the release's name."""
        parser.add_argument("folder", type=Path, help="the folder that has benchmark/")
        parser.add_argument("--release", default=RELEASE, metavar="SLUG", help=f"default {RELEASE}")
        parser.add_argument("--title", default=RELEASE_TITLE, help=f"default {RELEASE_TITLE}")

    def handle(
        self, *args: object, folder: Path, release: str, title: str, **options: object
    ) -> None:
        """Read and check the folder, publish what it holds, say how much there is."""
        try:
            Release(slug=release, title=title, published_at=timezone.now()).clean_fields()
            found = read_release(folder)
            with transaction.atomic(durable=True):
                self._publish(found, slug=release, title=title)
        except ValidationError as error:
            raise CommandError(f"--release, --title: {' '.join(error.messages)}") from error
        except ReleaseRefused as refused:
            n_faults = len(refused.faults)
            raise CommandError(
                f"{folder} is refused, {n_faults} fault{'s' * (n_faults != 1)}:\n{refused}"
            ) from refused
        except (
            ReleaseChanged,
            SlugTooLong,
            TaskChanged,
            truth.OutcomesChanged,
        ) as error:
            raise CommandError(str(error)) from error
        counts = found.structure
        self.stdout.write(
            f"{release}: {counts.n_surfaces} tasks, {counts.n_masks} outcomes, "
            f"{counts.n_effects} conditional effects, {counts.n_interactions} pair interactions"
        )
        self.stdout.write(
            "tasks with a sign reversal at floors 0, 1, 5, 10 % of the range: "
            + ", ".join(map(str, counts.n_reversing))
        )

    def _publish(self, found: PublicRelease, *, slug: str, title: str) -> None:
        now = timezone.now()
        release = publish_release(slug=slug, title=title, now=now)
        surfaces = {}
        for instance in found.instances:
            task, table = publish_instance(
                instance=instance,
                is_paired=found.is_paired(instance),
                release=release,
                now=now,
            )
            truth.record_outcomes(task, table)
            surfaces[task] = truth.surface(task)
        close_release(release=release, tasks=surfaces)
        publish_structure(release=release, surfaces=surfaces)
