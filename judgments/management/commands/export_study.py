"""`manage.py export_study SLUG DIR`: the answers of a study as a folder of files."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from catalog.tabular_files import CSV_WITH_MARK, FORMATS
from judgments.actions.exporting import note_export
from judgments.exports import ExportMismatch, FolderNotEmpty, write_export
from judgments.models import Study


def formats(text: str) -> list[str]:
    """Return the formats that a list with commas names.

    Raises
    ------
    ArgumentTypeError
    """
    chosen = [name.strip() for name in text.split(",")]
    if unknown := [name for name in chosen if name not in FORMATS]:
        known = ", ".join(FORMATS)
        raise ArgumentTypeError(f"unknown format {unknown[0]!r}; the formats are {known}")
    return [name for name in FORMATS if name in chosen]


class Command(BaseCommand):
    """Writes a folder with a manifest, whole or not at all."""

    help = (
        "Write items, revisions, cells, rankings, participants and log of a study, without "
        "identities, with a manifest whose counts add up. DIR must be new or empty."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the study, the folder and the forms of the files."""
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument(
            "--format",
            type=formats,
            default=list(FORMATS),
            metavar="csv,jsonl,parquet",
            help="which formats; all if not given",
        )
        parser.add_argument(
            "--bom", action="store_true", help="begin CSV files with a byte order mark, for Excel"
        )

    def handle(
        self,
        *args: object,
        slug: str,
        folder: Path,
        format: list[str],  # noqa: A002 - the name of the option
        bom: bool,
        **options: object,
    ) -> None:
        """Write the files and say how many rows each has."""
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            raise CommandError(f"There is no study {slug!r}.")
        now = timezone.now()
        chosen = {name: FORMATS[name] for name in format}
        if bom and "csv" in chosen:
            chosen["csv"] = CSV_WITH_MARK
        note_export(study=study, staff=None, formats=chosen, now=now)
        try:
            written = write_export(
                study=study, folder=folder, formats=list(chosen.values()), now=now
            )
        except ExportMismatch as error:
            raise CommandError(f"Nothing was exported, for it does not add up: {error}") from error
        except (FolderNotEmpty, OSError) as error:
            raise CommandError(f"Nothing was exported: {error}") from error
        for file in written:
            self.stdout.write(f"{file.name}: {file.n_rows} rows, {file.n_bytes} bytes")
