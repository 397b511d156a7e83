"""Where the platform and this site disagree on who is complete (case C11)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from judgments.models import ParticipantKind, PlatformSubmission, Study
from judgments.protocol import Protocol
from judgments.queries.launch import current_protocol
from judgments.queries.people import Person
from judgments.standing import Standing
from judgments.submissions import SUBMITTED

NOT_LISTED = "not on the list"
# The end that each code stands for, and how somebody at that end stands here.
ENDS = {"screened-out": Standing.SCREENED_OUT, "no-consent": Standing.REFUSED}


@dataclass(frozen=True)
class Disagreement:
    """One platform id: what the platform says, and who it is here, if anybody."""

    platform_pid: str
    status: str
    code: str
    person: Person | None


@dataclass(frozen=True)
class Comparison:
    """The newest list against the rows; `listed_at` is None if there is no list.

    `missing_here`: complete on the platform, and here the answers are missing. `missing_there`:
    complete here, and nothing was handed in there. `other_codes`: handed in, with a code that does
    not belong to how the person ended here.
    """

    listed_at: datetime | None
    statuses: Mapping[str, int]
    missing_here: tuple[Disagreement, ...]
    missing_there: tuple[Disagreement, ...]
    other_codes: tuple[Disagreement, ...]


def compare_submissions(study: Study, people: Iterable[Person]) -> Comparison:
    """Return the disagreements, each group in the order of the ids."""
    rows = list(study.submissions.order_by("platform_pid", "pk"))
    listed: dict[str, list[PlatformSubmission]] = defaultdict(list)
    for row in rows:
        listed[row.platform_pid].append(row)
    known = {
        person.platform_pid: person
        for person in people
        if person.platform_pid and person.kind != ParticipantKind.PREVIEW
    }
    ends = _ends(study)
    missing_here, other_codes = [], []
    for pid, of_pid in listed.items():
        submitted = next((row for row in of_pid if row.status in SUBMITTED), None)
        if submitted is None:
            continue
        person = known.get(pid)
        end = ends.get(submitted.completion_code)
        one = Disagreement(pid, submitted.status, submitted.completion_code, person)
        if end in (None, Standing.COMPLETE) and not _is_complete(person):
            missing_here.append(one)
        elif Standing.COMPLETE in ends.values() and (person is None or end != person.standing):
            other_codes.append(one)
    return Comparison(
        listed_at=rows[0].listed_at if rows else None,
        statuses=dict(Counter(row.status for row in rows).most_common()),
        missing_here=tuple(missing_here),
        missing_there=_missing_there(known, listed) if rows else (),
        other_codes=tuple(other_codes),
    )


def _missing_there(
    known: Mapping[str, Person], listed: Mapping[str, Sequence[PlatformSubmission]]
) -> tuple[Disagreement, ...]:
    return tuple(
        Disagreement(
            pid, of_pid[-1].status if (of_pid := listed.get(pid)) else NOT_LISTED, "", person
        )
        for pid, person in sorted(known.items())
        if _is_complete(person) and not any(row.status in SUBMITTED for row in listed.get(pid, ()))
    )


def _is_complete(person: Person | None) -> bool:
    return person is not None and person.standing is Standing.COMPLETE


def _ends(study: Study) -> dict[str, Standing]:
    """Return the end that each code of the study's current version stands for."""
    version = current_protocol(study)
    if version is None:
        return {}
    codes = Protocol.from_definition(version.definition).return_codes
    return {code: ENDS.get(name, Standing.COMPLETE) for name, code in codes.items() if code}
