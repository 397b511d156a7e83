"""Writing an export: whole under its name, or not there at all."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import structlog
from django.conf import settings

from catalog.tabular_files import (
    FileFormat,
    FlatTable,
    Row,
    WrittenFile,
    write_manifest,
    write_tables,
)
from judgments.exports.counts import TableCounts, Tally, count_tables, require_match
from judgments.exports.tables import TABLES, ExportTable, names_of
from judgments.models import Study
from judgments.queries import exports
from judgments.queries.exports import FATE_WORDS
from scoring import VERSION

log = structlog.get_logger(__name__)


class FolderNotEmpty(Exception):
    """The folder has files already; an old export may name people who withdrew since."""


def write_export(
    *, study: Study, folder: Path, formats: Sequence[FileFormat], now: datetime
) -> list[WrittenFile]:
    """Write every table of a study and the manifest, all of one moment.

    The files are written elsewhere and get their name when everything adds up.

    Raises
    ------
    FolderNotEmpty, ExportMismatch, OSError
    """
    if folder.exists() and any(folder.iterdir()):
        raise FolderNotEmpty(f"{folder} is not empty")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as unfinished:
        whole = Path(unfinished) / "export"
        whole.mkdir()
        with exports.snapshot():
            written = _write(study, whole, formats, now=now)
        whole.replace(folder)
    log.info("study_exported", study=study.slug, n_files=len(written))
    return written


def _write(
    study: Study, folder: Path, formats: Sequence[FileFormat], *, now: datetime
) -> list[WrittenFile]:
    names, tally = names_of(study), Tally()

    def rows_of(table: ExportTable) -> Callable[[], Iterable[Row]]:
        return lambda: tally.counted(table, table.rows(study, names))

    tables: dict[FlatTable, Callable[[], Iterable[Row]]] = {
        table.flat: rows_of(table) for table in TABLES
    }
    written = write_tables(folder, tables, formats=formats)
    counts = count_tables(study)
    require_match(counts, tally)
    write_manifest(folder, tables, written, facts=_facts(study, counts, now=now))
    return written


def _facts(study: Study, counts: Iterable[TableCounts], *, now: datetime) -> dict[str, object]:
    return {
        "study": study.slug,
        "title": study.title,
        "audience": study.audience,
        "made_at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "code_version": settings.SITE_VERSION,
        "scoring_version": VERSION,
        "participant_kinds": exports.participant_kinds(study),
        "protocol_versions": [
            version | {"created_at": version["created_at"].isoformat()}
            for version in exports.protocol_versions(study)
        ],
        "counts": {one.table.name: one.described() for one in counts},
        "reasons": {fate.value: words for fate, words in FATE_WORDS.items()},
    }
