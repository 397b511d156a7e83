"""The platform's list of submissions, read strictly: what it says of each participant."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judgments.links import MAX_PID, normalise_pid

# A participant handed something in under these words of Prolific's; rejecting is staff's word.
SUBMITTED = frozenset({"awaiting review", "approved", "partially approved", "rejected"})
# Prolific's export of today, and its older spelling.
COLUMNS = {
    "platform_pid": ("participant id", "prolific pid"),
    "status": ("status",),
    "completion_code": ("completion code", "entered code"),
}
REQUIRED = ("platform_pid", "status")
MAX_STATUS, MAX_CODE = 40, 80
MAX_LINES = 50_000


class ListUnreadable(ValueError):
    """The list cannot be read; the message names line and column and says what is expected."""


@dataclass(frozen=True)
class Submission:
    """One line of the list; the id as it is compared, the status in small letters."""

    platform_pid: str
    status: str
    completion_code: str


def read_submissions(text: str) -> tuple[Submission, ...]:
    """Return the submissions of a table with a header, separated by commas, semicolons or tabs.

    Raises
    ------
    ListUnreadable
    """
    lines = text.removeprefix("\N{BYTE ORDER MARK}").strip()
    if not lines:
        raise ListUnreadable("The list is empty. The first line must name the columns.")
    header, *rows = _rows(lines)
    places = _places(header)
    if len(rows) > MAX_LINES:
        raise ListUnreadable(f"The list has {len(rows)} lines; at most {MAX_LINES} are read.")
    submissions = tuple(_submissions(rows, places))
    if not submissions:
        raise ListUnreadable("The list has a header and no line below it.")
    return submissions


def _rows(lines: str) -> list[list[str]]:
    if "\0" in lines:
        raise ListUnreadable("The list has a character that no text has (NUL). Export it as csv.")
    # With no other newline than "\n" the reader takes every line end, that of an old Mac too.
    reader = csv.reader(io.StringIO(lines, newline=None), delimiter=_delimiter(lines))
    try:
        return list(reader)
    except csv.Error as error:
        raise ListUnreadable(f"Line {reader.line_num} cannot be read: {error}.") from error


def _delimiter(lines: str) -> str:
    header = lines.splitlines()[0]
    return max(",;\t", key=header.count)


def _places(header: Sequence[str]) -> Mapping[str, int]:
    """Return where each column stands, whatever its capitals and underscores."""
    names = [" ".join(name.replace("_", " ").lower().split()) for name in header]
    places = {
        field: names.index(spelling)
        for field, spellings in COLUMNS.items()
        for spelling in spellings
        if spelling in names
    }
    for field in REQUIRED:
        if field not in places:
            raise ListUnreadable(
                f"The first line has no column “{COLUMNS[field][0]}”. It must name the columns "
                "“Participant id”, “Status” and, if there is one, “Completion code”."
            )
    return places


def _submissions(rows: Sequence[Sequence[str]], places: Mapping[str, int]) -> Iterator[Submission]:
    for number, row in enumerate(rows, start=2):
        if not any(cell.strip() for cell in row):
            continue
        cells = {
            field: row[place].strip() if place < len(row) else "" for field, place in places.items()
        }
        pid = normalise_pid(cells["platform_pid"])
        if not pid or len(pid) > MAX_PID:
            raise ListUnreadable(f"Line {number}: the participant id is missing or too long.")
        status = " ".join(cells["status"].replace("-", " ").replace("_", " ").lower().split())
        if not status or len(status) > MAX_STATUS:
            raise ListUnreadable(
                f"Line {number}: the status is missing or too long. Expected is a word of the "
                "platform, such as “AWAITING REVIEW”."
            )
        code = cells.get("completion_code", "")
        if len(code) > MAX_CODE:
            raise ListUnreadable(f"Line {number}: the completion code is too long.")
        yield Submission(pid, status, code)
