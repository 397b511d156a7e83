"""The studies as staff's list shows them, problems first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from judgments.models import (
    Audience,
    CheckStatus,
    LaunchCheck,
    Participant,
    ParticipantKind,
    ProtocolVersion,
    Study,
)
from judgments.protocol import Protocol
from judgments.queries.launch import current_protocol
from judgments.queries.participants import counted_participants

# No check takes that long: its worker is gone.
LONGEST_CHECK = timedelta(minutes=30)


@dataclass(frozen=True)
class DeskRow:
    """One study: how it stands, who takes part, and what somebody should look at."""

    study: Study
    state: str
    version: int | None
    n_joined: int
    n_complete: int
    problems: tuple[str, ...]


def desk_rows(*, now: datetime) -> list[DeskRow]:
    """Return all studies but rehearsals: those with problems, then open, draft and closed ones."""
    studies = list(Study.objects.filter(rehearsal_of__isnull=True))
    people = joined_and_complete(studies)
    versions = {
        version.study_id: version
        for version in ProtocolVersion.objects.filter(study__in=studies).order_by("number")
    }
    problems = _problems(versions, now=now)
    rows = [
        DeskRow(
            study=study,
            state=state_of(study),
            version=versions[study.pk].number if study.pk in versions else None,
            n_joined=people.get(study.pk, (0, 0))[0],
            n_complete=people.get(study.pk, (0, 0))[1],
            problems=problems.get(study.pk, ()),
        )
        for study in studies
    ]
    order = ("open", "draft", "closed", "results public")
    return sorted(rows, key=lambda row: (not row.problems, order.index(row.state), row.study.pk))


def state_of(study: Study) -> str:
    """Return how a study stands, in words."""
    if study.published_at:
        return "results public"
    if study.is_open:
        return "open"
    return "closed" if study.opened_at else "draft"


@dataclass(frozen=True)
class OpenStudy:
    """A study that people can join now, and what it says of itself before they do."""

    study: Study
    introduction: str
    minutes: int


def open_studies(locale: str) -> list[OpenStudy]:
    """Return the people's studies that are open, in the order of their opening."""
    studies = Study.objects.filter(
        opened_at__isnull=False, closed_at__isnull=True, audience=Audience.PEOPLE
    ).order_by("opened_at", "slug")
    found = []
    for study in studies:
        if version := current_protocol(study):
            protocol = Protocol.from_definition(version.definition)
            found.append(
                OpenStudy(study, protocol.text("introduction", locale).text, protocol.minutes)
            )
    return found


def n_previews(study: Study) -> int:
    """Return how many previews staff have left behind."""
    return study.participants.filter(kind=ParticipantKind.PREVIEW).count()


def versions_with_people(study: Study) -> list[ProtocolVersion]:
    """Return the versions, the newest first, each with `n_people` who joined under it."""
    joined = Count("pk", filter=~Q(kind=ParticipantKind.PREVIEW))
    counts = dict(
        Participant.objects.filter(study=study)
        .values("protocol")
        .annotate(n=joined)
        .values_list("protocol", "n")
    )
    versions = list(study.protocols.order_by("-number"))
    for version in versions:
        version.n_people = counts.get(version.pk, 0)  # type: ignore[attr-defined]
    return versions


def joined_and_complete(studies: Iterable[Study]) -> dict[str, tuple[int, int]]:
    """Return, by study, how many who count joined, and how many of them are complete."""
    counted = (
        counted_participants(*studies)
        .order_by()
        .values("study")
        .annotate(n=Count("pk"), n_complete=Count("completion_code"))
    )
    return {slug: (n, done) for slug, n, done in counted.values_list("study", "n", "n_complete")}


def _problems(
    versions: Mapping[str, ProtocolVersion], *, now: datetime
) -> dict[str, tuple[str, ...]]:
    """Return what is wrong with the newest checks of these versions."""
    newest: dict[tuple[str, str], LaunchCheck] = {}
    for check in (
        LaunchCheck.objects.filter(protocol__in=versions.values())
        .select_related("protocol")
        .order_by("id")
    ):
        newest[check.protocol.study_id, check.kind] = check
    found: dict[str, tuple[str, ...]] = {}
    for (slug, _), check in newest.items():
        if words := _problem(check, now=now):
            found[slug] = (*found.get(slug, ()), words)
    return found


def _problem(check: LaunchCheck, *, now: datetime) -> str:
    if check.status == CheckStatus.FAILED:
        return f"{check.get_kind_display()} failed"
    if check.status == CheckStatus.RUNNING and now - check.started_at > LONGEST_CHECK:
        return f"{check.get_kind_display()} never ended; run it again"
    return ""
