"""What has been given out, and what of it counts."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, Exists, Q, QuerySet

from catalog.models import Scenario
from judgments.models import Cell, Judgment, Participant, ParticipantKind, Study
from judgments.queries.participants import counted_participants, exclusions_in_force


def served_cells(study: Study, *, now: datetime) -> QuerySet[Cell]:
    """Return the cells that count for coverage: usable complete ones, and live holds.

    Those of previews and excluded people do not.
    """
    held = Q(completed_at__isnull=True, participant__hold_until__gt=now)
    return Cell.objects.filter(
        Q(is_usable=True) | held, participant__in=counted_participants(study)
    )


def served_orientations(study: Study, *, now: datetime) -> dict[str, tuple[int, ...]]:
    """Return the orientations given out for each scenario, the oldest first."""
    served: dict[str, tuple[int, ...]] = defaultdict(tuple)
    cells = served_cells(study, now=now).order_by("pk")
    for slug, orientation in cells.values_list("scenario", "orientation"):
        served[slug] += (orientation,)
    return served


def coverage(study: Study, scenarios: Sequence[str], *, now: datetime) -> dict[str, int]:
    """Return how often each scenario counts, those that nobody had included."""
    counts = served_cells(study, now=now).values("scenario").annotate(n=Count("pk"))
    return dict.fromkeys(scenarios, 0) | dict(counts.values_list("scenario", "n"))


def domains(slugs: Sequence[str]) -> dict[str, str]:
    """Return the domain of each scenario."""
    return dict(Scenario.objects.filter(slug__in=slugs).values_list("slug", "domain"))


def counted_cells(people: QuerySet[Participant]) -> QuerySet[Cell]:
    """Return the complete cells of these people that give a rank: six choices or ties."""
    return Cell.objects.filter(is_usable=True, participant__in=people).order_by()


def counted_judgments(study: Study) -> QuerySet[Judgment]:
    """Return the answers that results may use; exclusions apply."""
    return Judgment.objects.filter(participant__in=counted_participants(study))


def judged_scenarios() -> dict[str, int]:
    """Return how many people have judged each scenario, over all studies that people take part in.

    Rehearsals, previews and excluded people do not count.
    """
    cells = (
        Cell.objects.filter(is_usable=True, participant__kind=ParticipantKind.PERSON)
        .exclude(Exists(exclusions_in_force("participant")))
        .values("scenario")
        .annotate(n=Count("pk"))
    )
    return dict(cells.values_list("scenario", "n"))
