"""`manage.py verify_export DIR`: tell whether an export is whole and unchanged."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from judgments.exports import verify


class Command(BaseCommand):
    """Reads the folder alone; nothing of it needs to be in the database."""

    help = (
        "Check a folder that export_study wrote: checksums, rows, equal content in all formats, "
        "counts that add up, ranks that follow from the choices."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path, metavar="DIR")

    def handle(self, *args: object, folder: Path, **options: object) -> None:
        """Name every fault, or say that there is none."""
        if faults := verify(folder):
            raise CommandError("\n".join(faults))
        self.stdout.write(f"{folder} is whole: checksums, rows, counts and ranks agree.")
