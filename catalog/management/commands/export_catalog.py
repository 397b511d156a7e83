"""Write records, effects, interactions and structure of the catalogue as files."""

from argparse import ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from catalog import queries, truth
from catalog.effect_tables import TaskSurface
from catalog.tabular_files import FolderInUse, write_folder
from scoring import VERSION


def folder(text: str) -> Path:
    """Return the path; an empty one would be the current folder."""
    if not text:
        raise ArgumentTypeError("is empty")
    return Path(text)


class Command(BaseCommand):
    """Writes a folder with a manifest, which comes last: a folder with one is complete."""

    help = (
        "Write the catalogue's tables as CSV, JSON Lines and Parquet, with a manifest. "
        "Hidden outcomes are among them, unless --open-only is given. DIR must be new or empty, or "
        "hold an earlier export, which is replaced."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the folder and --open-only."""
        parser.add_argument("folder", type=folder, metavar="DIR")
        parser.add_argument(
            "--open-only", action="store_true", help="only what everybody may see: open tasks"
        )

    def handle(self, *args: object, folder: Path, open_only: bool, **options: object) -> None:
        """Write the files and say how many rows each table has."""

        def surfaces() -> Iterator[TaskSurface]:
            return queries.open_surfaces() if open_only else queries.every_surface(truth.outcomes)

        try:
            written = write_folder(
                folder,
                queries.flat_tables(surfaces),
                facts={
                    "made_at": timezone.now().isoformat(timespec="seconds"),
                    "scoring_version": VERSION,
                    "disclosure": "open tasks only" if open_only else "open and sealed tasks",
                    "tasks": [
                        {"release": one.release, "task": one.task, "version": one.version}
                        for one in surfaces()
                    ],
                },
            )
        except (OSError, FolderInUse, truth.OutcomeMissing) as error:
            raise CommandError(str(error)) from error
        for file in written:
            self.stdout.write(f"{file.name}: {file.n_rows} rows, {file.n_bytes} bytes")
