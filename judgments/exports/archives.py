"""An export as one file to download."""

import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from catalog.tabular_files import FileFormat
from judgments.exports.folders import write_export
from judgments.models import Study


def archive_name(study: Study, *, now: datetime) -> str:
    """Return the name of the folder inside, which is that of the file but for its suffix."""
    return f"{study.slug}-export-{now.astimezone(UTC):%Y-%m-%dT%H%M%SZ}"


def write_archive(*, study: Study, formats: Sequence[FileFormat], now: datetime) -> IO[bytes]:
    """Return a temporary file, at its start, with the zipped folder of an export.

    Everything goes over the disk, and nothing stays there: what was exported before somebody
    withdrew cannot be sent afterwards.

    Raises
    ------
    ExportMismatch, OSError
    """
    name = archive_name(study, now=now)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        write_export(study=study, folder=folder, formats=formats, now=now)
        archive = tempfile.TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
        with closing(zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED)) as packed:
            for file in sorted(folder.iterdir()):
                packed.write(file, f"{name}/{file.name}")
    archive.seek(0)
    return archive
