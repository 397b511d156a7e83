"""Who is ranked, where, and how sure that is. Plain values in, plain values out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboards.metrics import METRICS, RECOVERY, Direction, Metric, as_row
from scoring.intervals import TIE_DECIMALS, bootstrap_sources
from scoring.surfaces import grade

WITHDRAWN = "withdrawn"
PERSON = "plays in a browser, anonymous"
NOTHING_DELIVERED = "nothing delivered"
_SENTINEL_SURFACE = [0.0, 0.25, 0.5, 1.0]


class SentinelOutOfOrder(Exception):
    """A made-up entry with known answers did not come out where it must: nothing is published."""


@dataclass(frozen=True)
class EntryRecord:
    """What the facts say of one entry: its means, before any comparison."""

    agent_id: UUID
    is_baseline: bool
    is_person: bool
    is_active: bool
    recovery_score: float
    means: Mapping[str, float | None]  # by name of metric, recovery among them
    family_scores: Mapping[str, float]
    source_scores: Sequence[float]
    n_attempted: int
    n_delivered: int
    n_attempted_tasks: int
    n_lost: int


@dataclass(frozen=True)
class BoardRecords:
    """Everything that goes into one computation of a board."""

    input_digest: str
    facts_until: datetime
    n_tasks: int
    n_episodes: int
    source_families: Sequence[str]
    source_slugs: Sequence[str]
    entries: Sequence[EntryRecord]


@dataclass(frozen=True)
class Place:
    """Where an entry stands; without a rank it says why."""

    entry: EntryRecord
    unranked_reason: str = ""
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    recovery_low: float | None = None
    recovery_high: float | None = None


def unranked_reason(entry: EntryRecord) -> str:
    """Return why an entry is not ranked; empty if it is."""
    if not entry.is_active:
        return WITHDRAWN
    if entry.is_person:
        return PERSON
    if entry.n_lost:
        episodes = "episode" if entry.n_lost == 1 else "episodes"
        return f"{entry.n_lost} {episodes} lost by us, to be run again"
    return "" if entry.n_delivered else NOTHING_DELIVERED


def place_entries(records: BoardRecords, *, seed: int, n_draws: int) -> list[Place]:
    """Return one place an entry, in the order of the records.

    Raises
    ------
    SentinelOutOfOrder
        If the order of a metric contradicts its definition.
    """
    check_sentinels(records.entries)
    reasons = [unranked_reason(entry) for entry in records.entries]
    ranked = [entry for entry, why in zip(records.entries, reasons, strict=True) if not why]
    places = iter(_rank(ranked, records.source_families, seed=seed, n_draws=n_draws))
    return [
        Place(entry=entry, unranked_reason=why) if why else next(places)
        for entry, why in zip(records.entries, reasons, strict=True)
    ]


def _rank(
    entries: Sequence[EntryRecord], families: Sequence[str], *, seed: int, n_draws: int
) -> list[Place]:
    if not entries:
        return []
    bootstrap = bootstrap_sources(
        [entry.source_scores for entry in entries],
        families,
        seed=seed,
        draws=n_draws,
        higher_is_better=RECOVERY.direction is Direction.HIGHER,
    )
    return [
        Place(
            entry=entry,
            rank=int(interval.rank),
            rank_low=int(interval.best_rank),
            rank_high=int(interval.worst_rank),
            recovery_low=interval.lower,
            recovery_high=interval.upper,
        )
        for entry, interval in zip(entries, bootstrap.entries, strict=True)
    ]


def check_sentinels(entries: Sequence[EntryRecord], metrics: Sequence[Metric] = METRICS) -> None:
    """Put an oracle and a constant prediction among the entries and look where they come out.

    By every metric the oracle is first and the constant behind it; by recovery, of which a
    constant has none, the constant is last as well.

    Raises
    ------
    SentinelOutOfOrder
        If one of them is not.
    """
    oracle = as_row(grade(_SENTINEL_SURFACE, _SENTINEL_SURFACE))
    constant = as_row(grade(_SENTINEL_SURFACE, [0.0] * len(_SENTINEL_SURFACE)))
    for metric in metrics:
        best, flat = metric.read(oracle), metric.read(constant)
        values = [_rounded(value) for e in entries if (value := e.means[metric.name]) is not None]
        is_better = metric.direction.is_better
        if not is_better(best, flat) or any(is_better(value, best) for value in values):
            raise SentinelOutOfOrder(
                f"{metric.title} ({metric.direction}): the oracle is not first; nothing published"
            )
        if metric.path == RECOVERY.path and any(is_better(flat, value) for value in values):
            raise SentinelOutOfOrder(
                f"{metric.title} ({metric.direction}): the constant is not last; nothing published"
            )


def _rounded(value: float) -> float:
    return round(value, TIE_DECIMALS)
