"""How the difference of two entries of a board hangs on single sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from episodes.models import Agent
from leaderboards.metrics import RECOVERY, Figure
from leaderboards.models import Standing
from leaderboards.queries.boards import BoardReading
from leaderboards.queries.records import load_records
from scoring.intervals import TIE_DECIMALS
from scoring.leave_one_out import differences_without


@dataclass(frozen=True)
class SourceComparison:
    """One source: both entries' recovery on it, and their difference on all others."""

    source: str
    own: Figure
    other: Figure
    difference_without: float


@dataclass(frozen=True)
class Comparison:
    """An entry against another one: a positive difference is in its favour."""

    rival: Agent
    difference: float
    sources: Sequence[SourceComparison]

    @property
    def by_difference(self) -> list[SourceComparison]:
        """The sources, the one whose absence leaves the smallest difference first."""
        return sorted(self.sources, key=lambda source: (source.difference_without, source.source))

    @property
    def smallest(self) -> SourceComparison:
        """The source without which the entry does worst against the other."""
        return self.by_difference[0]

    @property
    def largest(self) -> SourceComparison:
        """The source without which the entry does best against the other."""
        return self.by_difference[-1]

    @property
    def changes_sign(self) -> bool:
        """Whether leaving out one source turns the comparison round, or makes it a tie."""
        return self.smallest.difference_without <= 0 <= self.largest.difference_without


def list_rivals(reading: BoardReading, *, agent_id: UUID) -> list[Agent]:
    """Return the other entries of a computation, in order of rank."""
    standings = Standing.objects.filter(computation=reading.computation).exclude(agent=agent_id)
    return [standing.agent for standing in standings.select_related("agent")]


def compare_entries(reading: BoardReading, *, agent_id: UUID, rival: Agent) -> Comparison | None:
    """Return the comparison; None if there is one source only, or facts came after the computation.

    Means per source are no part of a computation: they are read from the facts, which must be the
    ones that went in.
    """
    records = load_records(reading.board)
    if records.input_digest != reading.computation.input_digest or len(records.source_slugs) < 2:
        return None
    entries = {entry.agent_id: entry for entry in records.entries}
    own, other = entries[agent_id], entries[rival.pk]
    without = differences_without(
        own.source_scores, other.source_scores, records.source_slugs, records.source_families
    )
    return Comparison(
        rival=rival,
        difference=_settled(own.recovery_score - other.recovery_score),
        sources=[
            SourceComparison(
                source=source,
                own=Figure(RECOVERY, score),
                other=Figure(RECOVERY, rival_score),
                difference_without=_settled(without[source]),
            )
            for source, score, rival_score in zip(
                records.source_slugs, own.source_scores, other.source_scores, strict=True
            )
        ],
    )


def _settled(difference: float) -> float:
    """Take a difference that is rounding noise for a tie, as ranks do."""
    return round(difference, TIE_DECIMALS) + 0.0
