"""The export of a study: its tables, what is left out and why, its folder, and how to check one."""

from judgments.exports.checking import check, verify
from judgments.exports.counts import ExportMismatch
from judgments.exports.folders import FolderNotEmpty, write_export

__all__ = ["ExportMismatch", "FolderNotEmpty", "check", "verify", "write_export"]
