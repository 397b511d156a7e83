"""Prepare a raw file that a user brings, compute its tables here, and publish its tasks."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from catalog import truth
from catalog.actions.releases import publish_release, publish_structure
from catalog.actions.tasks import TaskChanged, publish_task
from catalog.models import Disclosure
from catalog.releases.folder import Unreadable, parse_object
from catalog.workflows.conditions import Condition, conditions_of
from catalog.workflows.imported import (
    HashNotStated,
    ImportedSource,
    UnexpectedFiles,
    WrongFormat,
    WrongHash,
    with_files,
)
from catalog.workflows.replay import Record, replay
from catalog.workflows.sources.importable import IMPORTABLE
from catalog.workflows.tables import Table, compare_utilities, table_of

RELEASE = "imported"
RELEASE_TITLE = "Sources imported here"


def file_hash(text: str) -> tuple[str, str]:
    """Split NAME=HEX."""
    name, _, sha256 = text.partition("=")
    if not (name and len(sha256) == 64):
        raise ArgumentTypeError(f"{text!r} is not NAME=SHA256")
    return name, sha256


class Command(BaseCommand):
    """Publishes all tasks of the source or none; exits with 1 and one line on a wrong file."""

    help = "Import a source that is not in the catalogue from its raw files. Safe to run again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the source, its files, their hashes and a table to compare with."""
        parser.add_argument("name", choices=IMPORTABLE, metavar="NAME", help=", ".join(IMPORTABLE))
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--sha256",
            action="append",
            default=[],
            type=file_hash,
            metavar="NAME=HEX",
            help="what you expect of a file of which no hash was published",
        )
        parser.add_argument(
            "--against",
            type=Path,
            metavar="REFERENCE",
            help="a reference file of the public release whose utilities must be met",
        )

    def handle(
        self,
        *args: object,
        name: str,
        files: list[Path],
        sha256: list[tuple[str, str]],
        against: Path | None,
        **options: object,
    ) -> None:
        """Check the files, compute every table, compare, publish."""
        try:
            given = {file.name: file.read_bytes() for file in files}
            reference = parse_object(against.read_bytes()) if against else {}
            source = described(with_files(IMPORTABLE[name], given, dict(sha256)))
            tables = {
                condition: table_of(condition.slug, self._computed(condition))
                for condition in conditions_of(source)
            }
            if against:
                self._compare(tables, reference, against)
            with transaction.atomic(durable=True):
                self._publish(tables)
        except Unreadable as error:
            raise CommandError(f"{against}: {error}") from error
        except (
            OSError,
            HashNotStated,
            UnexpectedFiles,
            WrongFormat,
            WrongHash,
            TaskChanged,
            truth.OutcomesChanged,
        ) as error:
            raise CommandError(str(error)) from error

    def _computed(self, condition: Condition) -> Iterator[Record]:
        n_masks = len(condition.masks)
        for number, record in enumerate(replay(condition), start=1):
            self.stdout.write(
                f"{record.task} {record.mask} {number} of {n_masks} {record.seconds:.3f} s"
            )
            yield record

    def _compare(
        self, tables: Mapping[Condition, Table], reference: Mapping[str, object], against: Path
    ) -> None:
        of = {table.task: table for table in tables.values()}
        table, truths = of.get(str(reference.get("instance"))), reference.get("truth")
        if table is None or not is_surface(truths):
            raise CommandError(f"{against}: is no reference of {' or '.join(of)}")
        comparison = compare_utilities(table, truths)
        for line in (*comparison.fragile, *comparison.different):
            self.stdout.write(line)
        self.stdout.write(
            f"{comparison.n_equal} of {len(table.utility)} utilities equal those of {against}"
        )
        if comparison.different:
            raise CommandError(f"{len(comparison.different)} utilities differ; nothing is imported")

    def _publish(self, tables: Mapping[Condition, Table]) -> None:
        now = timezone.now()
        release = publish_release(slug=RELEASE, title=RELEASE_TITLE, now=now)
        for condition, table in tables.items():
            task = publish_task(
                condition=condition,
                table=table,
                disclosure=Disclosure.SEALED,
                release=release,
                now=now,
            )
            truth.record_outcomes(task, table)
            self.stdout.write(f"{RELEASE}: {task.slug}, {task.n_masks} outcomes")
        current = release.tasks.filter(is_current=True)
        publish_structure(release=release, surfaces={task: truth.surface(task) for task in current})


def is_surface(truths: object) -> TypeGuard[dict[str, float]]:
    """Tell whether these are numbers by mask."""
    return isinstance(truths, dict) and all(
        type(value) in (int, float) for value in truths.values()
    )


def described(source: ImportedSource) -> ImportedSource:
    """Return the source with the sizes that its prepared files turn out to have."""
    cohort = source.prepare().cohort
    sizes = ", ".join(f"{size:,} {name}" for name, size in cohort.items())
    return replace(source, cohort=cohort, input_summary=f"{source.input_summary} Sizes: {sizes}.")
