"""The export of a study: its tables, what is left out and why, its folder, and how to check one."""

from judgments.exports.archives import archive_name, write_archive
from judgments.exports.checking import check, verify
from judgments.exports.counts import ExportMismatch, count_tables
from judgments.exports.folders import FolderNotEmpty, write_export
from judgments.exports.tables import TABLES

__all__ = [
    "TABLES",
    "ExportMismatch",
    "FolderNotEmpty",
    "archive_name",
    "check",
    "count_tables",
    "verify",
    "write_archive",
    "write_export",
]
