"""A board as CSV (RFC 4180), of cells that are text already."""

import csv
import io
from collections.abc import Iterable, Sequence


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the table with CRLF after every row."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
