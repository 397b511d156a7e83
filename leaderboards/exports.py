"""A board as CSV (RFC 4180): text cannot become a formula, numbers keep every digit."""

import csv
import io
from collections.abc import Iterable, Sequence

# Spreadsheets run a cell that starts with one of these; the apostrophe is there so that the rule
# can be undone: remove one leading apostrophe from any text cell that has one.
_RISKY = ("=", "+", "-", "@", "\t", "\r", "'")


def text_cell(text: str) -> str:
    """Return text that a spreadsheet shows and does not run."""
    return f"'{text}" if text.startswith(_RISKY) else text


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the table with CRLF after every row."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
