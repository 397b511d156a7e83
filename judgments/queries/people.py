"""Who is where in a study, and how they fare: a fixed number of queries, whoever takes part."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Exists

from judgments.flags import Figures, Flag
from judgments.models import ComprehensionAttempt, Participant, ParticipantKind, Study
from judgments.protocol import Protocol
from judgments.queries.flags import Assessment, assessments_of
from judgments.queries.participants import exclusions_in_force, is_over
from judgments.standing import IN_THE_MIDDLE, WITHOUT_CONSENT, Standing, standing_of
from judgments.steps import Progress


@dataclass(frozen=True)
class Person:
    """One line of the monitor.

    `awaited_until` says until when results wait for what this person may still answer.
    """

    id: UUID
    kind: ParticipantKind
    platform_pid: str | None
    protocol_number: int
    standing: Standing
    joined_at: datetime
    last_seen_at: datetime
    awaited_until: datetime | None
    is_excluded: bool
    n_notes: int
    figures: Figures
    flags: tuple[Flag, ...]

    @property
    def name(self) -> str:
        """The start of the id: enough to tell people of one study apart."""
        return self.id.hex[:8]

    @property
    def counts(self) -> bool:
        return self.kind != ParticipantKind.PREVIEW and not self.is_excluded

    @property
    def has_consented(self) -> bool:
        return self.standing not in WITHOUT_CONSENT

    @property
    def is_unreviewed(self) -> bool:
        """Whether flags were raised, and nobody excluded the person or wrote a note."""
        return bool(self.flags) and self.counts and not self.n_notes

    @property
    def seconds_per_screen(self) -> float | None:
        """Active seconds, None where they are not known."""
        figures = self.figures
        if figures.active_ms is None or not figures.n_answered:
            return None
        return figures.active_ms / 1000 / figures.n_answered


def people_of(study: Study, *, now: datetime) -> list[Person]:
    """Return everybody who joined, the newest first."""
    assessments = assessments_of(study)
    attempts = _attempts(study)
    protocols = {
        version.pk: (version.number, Protocol.from_definition(version.definition))
        for version in study.protocols.all()
    }
    rows = (
        Participant.objects.filter(study=study)
        .select_related("consent")
        .annotate(
            is_excluded=Exists(exclusions_in_force()),
            n_notes=Count("staff_notes"),
        )
        .order_by("-joined_at", "id")
    )
    return [
        _person(
            row,
            assessments[row.pk],
            attempts[row.pk],
            *protocols[row.protocol_id],
            study=study,
            now=now,
        )
        for row in rows
    ]


def awaited_people(study: Study, *, now: datetime) -> list[Person]:
    """Return who may still give an answer that counts: results that are public must not move."""
    people = people_of(study, now=now)
    return [person for person in people if person.awaited_until and person.awaited_until >= now]


def visits_without_consent(people: Iterable[Person]) -> list[datetime]:
    """Return when people came who never consented: nothing else of them is shown (case C09)."""
    return sorted(
        (
            person.joined_at
            for person in people
            if not person.has_consented and person.kind != ParticipantKind.PREVIEW
        ),
        reverse=True,
    )


def _attempts(study: Study) -> dict[UUID, list[bool]]:
    attempts: dict[UUID, list[bool]] = defaultdict(list)
    rows = ComprehensionAttempt.objects.filter(participant__study=study)
    for participant, is_passed in rows.values_list("participant", "is_passed"):
        attempts[participant].append(is_passed)
    return attempts


def _person(
    row: Participant,
    assessment: Assessment,
    attempts: list[bool],
    number: int,
    protocol: Protocol,
    *,
    study: Study,
    now: datetime,
) -> Person:
    figures = assessment.figures
    consent = getattr(row, "consent", None)
    resume_until = row.last_seen_at + timedelta(hours=protocol.resume_hours)
    progress = Progress(
        consented=consent.is_given if consent else None,
        eligible=row.is_eligible,
        read_instructions=row.instructions_read_at is not None,
        comprehension=attempts,
        # Answers come in order, so their number says which; breaks are part of comparing.
        answered=[place < figures.n_answered for place in range(figures.n_screens)],
        debriefed=row.debriefed_at is not None,
        place_expired=now > resume_until,
        study_over=is_over(study, row.kind),
    )
    standing = standing_of(progress, is_holding=row.hold_until > now)
    is_excluded = row.is_excluded  # type: ignore[attr-defined]  # annotated above
    counts = not is_excluded and row.kind != ParticipantKind.PREVIEW
    return Person(
        id=row.pk,
        kind=ParticipantKind(row.kind),
        platform_pid=row.platform_pid,
        protocol_number=number,
        standing=standing,
        joined_at=row.joined_at,
        last_seen_at=row.last_seen_at,
        awaited_until=_awaited_until(row, standing, resume_until) if counts else None,
        is_excluded=is_excluded,
        n_notes=row.n_notes,  # type: ignore[attr-defined]
        figures=figures,
        flags=assessment.raised,
    )


def _awaited_until(row: Participant, standing: Standing, resume_until: datetime) -> datetime | None:
    """Return how long somebody can still come back; staff cannot exclude who never consented."""
    if standing is Standing.CONSENT:
        return row.hold_until
    return resume_until if standing in IN_THE_MIDDLE else None
