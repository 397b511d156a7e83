"""What the monitor of a study shows: problems, people, slots, coverage."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from catalog.models import Domain, Scenario
from judgments.models import Cell, Judgment, ParticipantKind, Study
from judgments.protocol import Protocol
from judgments.queries.coverage import counted_judgments, served_cells
from judgments.queries.launch import current_protocol
from judgments.queries.participants import counted_participants
from judgments.queries.people import Person, people_of, visits_without_consent
from judgments.queries.submissions import Comparison, compare_submissions
from judgments.screen import screen_sha256
from judgments.standing import Standing

MAX_SPREAD = 2  # with people who stop half way, by design (docs/decisions/0010-judgments.md)
LIST_IS_OLD = timedelta(days=1)  # the platform is compared daily (case C11)


@dataclass(frozen=True)
class Covered:
    """One scenario: cells that are complete and usable, and cells that somebody holds."""

    slug: str
    title: str
    domain: Domain
    n_complete: int
    n_held: int
    n_unusable: int

    @property
    def n_served(self) -> int:
        return self.n_complete + self.n_held


@dataclass(frozen=True)
class Slots:
    """Scenarios given to people who count: complete, held, and free again."""

    n_complete: int
    n_held: int
    n_free_again: int


@dataclass(frozen=True)
class Problem:
    """Something that staff should look at: what, who, and the part of the page that has more."""

    words: str
    where: str
    people: tuple[Person, ...] = ()


@dataclass(frozen=True)
class Monitor:
    """A study at one moment. People who never consented are in `visits` alone, as times."""

    study: Study
    as_of: datetime
    problems: tuple[Problem, ...]
    standings: Mapping[Standing, int]
    n_left: int
    n_excluded: int
    n_previews: int
    people: tuple[Person, ...]
    visits: tuple[datetime, ...]
    slots: Slots
    coverage: tuple[Covered, ...]
    comparison: Comparison
    n_answers: int


def watch(study: Study, *, now: datetime) -> Monitor:
    """Return the study as it stands."""
    everybody = people_of(study, now=now)
    real = [person for person in everybody if person.kind != ParticipantKind.PREVIEW]
    standings = Counter(person.standing for person in real)
    shown = tuple(sorted((person for person in real if person.has_consented), key=_urgency))
    covered = coverage_of(study, now=now)
    comparison = compare_submissions(study, everybody)
    return Monitor(
        study=study,
        as_of=now,
        problems=tuple(_problems(study, shown, covered, comparison, now=now)),
        standings={standing: standings[standing] for standing in Standing},
        n_left=study.receipts.count(),
        n_excluded=sum(person.is_excluded for person in real),
        n_previews=len(everybody) - len(real),
        people=shown,
        visits=tuple(visits_without_consent(everybody)),
        slots=_slots(study, covered),
        coverage=covered,
        comparison=comparison,
        n_answers=counted_judgments(study).count(),
    )


def coverage_of(study: Study, *, now: datetime) -> tuple[Covered, ...]:
    """Return every scenario of the current version, and any other that was given out."""
    version = current_protocol(study)
    slugs = Protocol.from_definition(version.definition).scenarios if version else ()
    held = Q(completed_at__isnull=True)
    served = {
        slug: (n_complete, n_held)
        for slug, n_complete, n_held in served_cells(study, now=now)
        .values("scenario")
        .annotate(n_complete=Count("pk", filter=~held), n_held=Count("pk", filter=held))
        .values_list("scenario", "n_complete", "n_held")
    }
    unusable = dict(
        Cell.objects.filter(participant__in=counted_participants(study), is_usable=False)
        .values("scenario")
        .annotate(n=Count("pk"))
        .values_list("scenario", "n")
    )
    wanted = {*slugs, *served, *unusable}
    return tuple(
        Covered(
            scenario.slug,
            scenario.title,
            Domain(scenario.domain),
            *served.get(scenario.slug, (0, 0)),
            unusable.get(scenario.slug, 0),
        )
        for scenario in Scenario.objects.filter(slug__in=wanted)
    )


def _slots(study: Study, covered: Sequence[Covered]) -> Slots:
    given = Cell.objects.filter(participant__in=counted_participants(study))
    n_open = given.filter(completed_at__isnull=True).count()
    n_held = sum(one.n_held for one in covered)
    return Slots(
        n_complete=sum(one.n_complete for one in covered),
        n_held=n_held,
        n_free_again=n_open - n_held,
    )


def _problems(
    study: Study,
    people: Sequence[Person],
    covered: Sequence[Covered],
    comparison: Comparison,
    *,
    now: datetime,
) -> Iterator[Problem]:
    yield from _of_platform(study, people, comparison, now=now)
    yield from _of_people(people)
    yield from _of_screen(study)
    n_impossible = Judgment.objects.filter(
        participant__study=study, has_impossible_timing=True
    ).count()
    if n_impossible:
        words = f"{_n(n_impossible, 'answer')} with more active time than passed"
        yield Problem(words, "people")
    counts = [one.n_served for one in covered]
    if counts and max(counts) - min(counts) > MAX_SPREAD:
        words = f"Coverage is uneven: from {min(counts)} to {max(counts)} people a scenario"
        yield Problem(words, "coverage")


def _of_platform(
    study: Study, people: Sequence[Person], comparison: Comparison, *, now: datetime
) -> Iterator[Problem]:
    if n := len(comparison.missing_here):
        yield Problem(
            f"{_n(n, 'submission')} complete on the platform, and the answers are missing here",
            "platform",
        )
    if n := len(comparison.missing_there):
        yield Problem(
            f"{_n(n, 'person', 'people')} complete here, and not on the platform", "platform"
        )
    if n := len(comparison.other_codes):
        yield Problem(f"{_n(n, 'submission')} with the code of another end", "platform")
    uses_platform = any(person.platform_pid for person in people)
    if not (study.is_open and uses_platform):
        return
    if comparison.listed_at is None:
        yield Problem("The platform's list of submissions was never compared", "platform")
    elif now - comparison.listed_at > LIST_IS_OLD:
        yield Problem("The platform's list of submissions is older than a day", "platform")


def _of_screen(study: Study) -> Iterator[Problem]:
    """Find answers that are collected on another screen than that of the protocol (case C21)."""
    version = current_protocol(study) if study.is_open else None
    screen = Protocol.from_definition(version.definition).screen if version else ""
    if version and screen and screen != screen_sha256():
        words = (
            f"The judgment screen looks or works otherwise than when version {version.number} was "
            "saved: close the study, save the protocol again as a new version, and run its checks"
        )
        yield Problem(words, "people")


def _of_people(people: Sequence[Person]) -> Iterator[Problem]:
    groups = {
        "flagged, and nobody excluded them or wrote a note": [
            person for person in people if person.is_unreviewed
        ],
        "answered everything and did not fetch the code": [
            person for person in people if person.standing is Standing.DEBRIEF
        ],
        "away for too long to come back": [
            person for person in people if person.standing is Standing.LOST_PLACE
        ],
        "quiet": [person for person in people if person.standing is Standing.QUIET],
    }
    for words, group in groups.items():
        if group:
            yield Problem(f"{_n(len(group), 'person', 'people')} {words}", "people", tuple(group))


def _urgency(person: Person) -> tuple[bool, bool, bool, float]:
    """Return a key that puts first who needs somebody's eyes, then the newest."""
    stopped = {Standing.QUIET, Standing.LOST_PLACE, Standing.DEBRIEF}
    return (
        not person.is_unreviewed,
        person.standing not in stopped,
        person.is_excluded,
        -person.joined_at.timestamp(),
    )


def _n(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
