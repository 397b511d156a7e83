"""Everything that happened to one participant, in order: a fixed number of queries."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from judgments.assignment import ItemKind
from judgments.models import (
    AuditEntry,
    Choice,
    Item,
    Judgment,
    Layout,
    Participant,
    Revision,
    Study,
)
from judgments.queries.participants import ParticipantNotFound
from judgments.queries.people import Person, people_of

LABELS = {
    Choice.LEFT.value: "A",
    Choice.RIGHT.value: "B",
    Choice.EQUAL.value: "equal",
    Choice.CANNOT_JUDGE.value: "cannot judge",
}
# What the log says in words; anything else is shown by its own name.
EVENTS = {
    "joined_again": "Came back from the platform",
    "link_opened": "Opened the personal link",
    "participant_returned": "Came back after the hold had run out",
    "returned_too_late": "Came back after the place was lost",
    "hold_expired": "The hold ran out",
    "handed_over": "Handed the device over",
    "participant_excluded": "Excluded",
    "exclusion_undone": "Exclusion undone",
}
TOLD_ELSEWHERE = ("note_written", "eligibility_answered", "break_taken")


@dataclass(frozen=True)
class Event:
    """One line: when, what, more about it, and who did it if it was staff.

    `private` says what only those see who run the study: which items are checks, and how they
    went.
    """

    at: datetime
    what: str
    detail: str = ""
    staff: str = ""
    private: str = ""


@dataclass(frozen=True)
class Timeline:
    """A participant, what happened, and whose pages come before and after in the monitor.

    The notes are among the events too.
    """

    participant: Participant
    person: Person
    events: tuple[Event, ...]
    notes: tuple[Event, ...]
    newer: Person | None
    older: Person | None


def timeline_of(study: Study, participant_id: UUID, *, now: datetime) -> Timeline:
    """Return the timeline of somebody who consented.

    Raises
    ------
    ParticipantNotFound
        Also of somebody who did not consent: such a visit is a time and nothing else.
    """
    people = [person for person in people_of(study, now=now) if person.has_consented]
    place = next((k for k, person in enumerate(people) if person.id == participant_id), None)
    if place is None:
        raise ParticipantNotFound
    participant = Participant.objects.select_related("protocol", "consent").get(pk=participant_id)
    notes = tuple(_notes(participant))
    events = [*_before_items(participant), *notes, *_items(participant), *_log(participant)]
    return Timeline(
        participant=participant,
        person=people[place],
        events=tuple(sorted(events, key=lambda event: event.at)),
        notes=notes,
        newer=people[place - 1] if place else None,
        older=people[place + 1] if place + 1 < len(people) else None,
    )


def _before_items(participant: Participant) -> Iterator[Event]:
    version = participant.protocol.number
    yield Event(participant.joined_at, "Joined", f"protocol version {version}")
    consent = participant.consent
    yield Event(
        consent.answered_at,
        "Consented" if consent.is_given else "Did not consent",
        f"text {consent.text_sha256[:8]} in {consent.locale}",
    )
    if participant.instructions_read_at:
        yield Event(participant.instructions_read_at, "Read the instructions")
    for attempt in participant.comprehension_attempts.all():
        outcome = "passed" if attempt.is_passed else "failed"
        yield Event(
            attempt.answered_at, f"Comprehension check, attempt {attempt.number}: {outcome}"
        )
    if participant.debriefed_at:
        yield Event(participant.debriefed_at, "Finished and got a code")


def _notes(participant: Participant) -> Iterator[Event]:
    for note in participant.staff_notes.select_related("staff").order_by("written_at"):
        yield Event(note.written_at, "Note", note.text, staff=note.staff.get_username())


def _items(participant: Participant) -> Iterator[Event]:
    items = participant.items.filter(shown_at__isnull=False) | participant.items.filter(
        judgment__isnull=False
    )
    window = ""
    for item in items.select_related("cell__scenario", "judgment", "repeat_of__judgment").order_by(
        "position"
    ):
        judgment: Judgment | None = getattr(item, "judgment", None)
        where = f"Screen {item.position}, scenario {item.cell.place}"
        if judgment is None:
            if item.shown_at:
                yield Event(item.shown_at, f"{where}: no answer yet", item.cell.scenario.title)
            continue
        seen = _window(judgment)
        if window and seen and seen != window:
            yield Event(judgment.answered_at, "Other window or device", f"{seen}, before {window}")
        window = seen or window
        yield Event(
            judgment.answered_at,
            f"{where}: {LABELS[judgment.choice]}",
            _answer(item, judgment),
            private=_outcome(item, judgment),
        )
    revisions = Revision.objects.filter(judgment__participant=participant)
    for revision in revisions.select_related("judgment__item"):
        yield Event(
            revision.revised_at,
            f"Changed screen {revision.judgment.item.position}",
            f"{LABELS[revision.choice_before]} to {LABELS[revision.choice_after]}",
        )


def _answer(item: Item, judgment: Judgment) -> str:
    parts = [item.cell.scenario.title]
    if item.shown_at:
        parts.append(f"{(judgment.answered_at - item.shown_at).total_seconds():.1f} s")
    if judgment.active_ms is not None:
        parts.append(f"{judgment.active_ms / 1000:.1f} s active")
    if judgment.focus_losses:
        parts.append(f"focus lost {judgment.focus_losses} times")
    if judgment.is_fast:
        parts.append("faster than the protocol's minimum")
    if judgment.has_impossible_timing:
        parts.append("more active time than passed")
    if judgment.comment:
        parts.append(f"comment: {judgment.comment}")
    return ", ".join(parts)


def _outcome(item: Item, judgment: Judgment) -> str:
    """Return what an item was and how it went."""
    if item.kind == ItemKind.JUDGMENT:
        return ""
    if item.kind == ItemKind.REPEAT:
        original = getattr(item.repeat_of, "judgment", None)
        is_same = (
            original is not None
            and judgment.chosen_id == original.chosen_id
            and (judgment.chosen_id is not None or judgment.choice == original.choice)
        )
        place = item.repeat_of.position if item.repeat_of else 0
        return f"repeat of screen {place}: {'same' if is_same else 'other'} choice"
    outcome = "passed" if judgment.chosen_id == item.expected_id else "failed"
    return f"{item.kind} check: {outcome}"


def _window(judgment: Judgment) -> str:
    if judgment.viewport_width is None or judgment.layout == Layout.UNKNOWN:
        return ""
    layout = Layout(judgment.layout).label
    return f"{judgment.viewport_width} × {judgment.viewport_height or 0}, {layout}"


def _log(participant: Participant) -> Iterator[Event]:
    entries = AuditEntry.objects.filter(
        study=participant.study_id, participant_id=participant.pk
    ).select_related("staff")
    for entry in entries:
        staff = entry.staff.get_username() if entry.staff else ""
        if entry.event == "eligibility_answered":
            is_eligible = "eligible" if entry.details.get("is_eligible") else "not eligible"
            yield Event(entry.at, f"Answered to be {is_eligible}")
        elif entry.event == "break_taken":
            yield Event(entry.at, f"Break after scenario {entry.details.get('after_place')}")
        elif entry.event not in TOLD_ELSEWHERE:
            what = EVENTS.get(entry.event, entry.event.replace("_", " ").capitalize())
            gap = entry.details.get("gap_seconds")
            detail = f"away for {round(gap / 60)} min" if gap else entry.reason
            yield Event(entry.at, what, detail, staff=staff)
