"""A board as a table of text, for its CSV."""

from catalog.tabular_files import text_cell
from leaderboards.metrics import METRICS
from leaderboards.models import Computation, StateComputation
from leaderboards.queries.boards import BoardReading, Entry

_FIRST = ("rank", "rank_low", "rank_high", "agent", "agent_id", "kind", "is_baseline")
_COUNTS = ("n_delivered", "n_attempted", "n_attempted_tasks")
ORIGIN = ("board", "scoring_version", "input_digest", "seed", "draws", "as_of")


def board_table(reading: BoardReading) -> tuple[list[str], list[list[str]]]:
    """Return header and rows, the entries in their order on the page."""
    families = sorted({family.slug for entry in reading.entries for family, _ in entry.families})
    header = [
        *_FIRST,
        "unranked_reason",
        *(metric.name for metric in METRICS),
        "recovery_low",
        "recovery_high",
        *_COUNTS,
        *(f"recovery_score_{family}" for family in families),
        "n_tasks",
        *ORIGIN,
    ]
    computation = reading.computation
    last = [str(computation.n_tasks), *origin_cells(computation)]
    return header, [[*_entry_cells(entry, families), *last] for entry in reading.entries]


def _entry_cells(entry: Entry, families: list[str]) -> list[str]:
    standing = entry.standing
    by_family = {family.slug: figure.full for family, figure in entry.families}
    return [
        *(_whole(rank) for rank in (standing.rank, standing.rank_low, standing.rank_high)),
        text_cell(standing.agent.name),
        str(standing.agent_id),
        standing.agent.kind,
        str(standing.is_baseline).lower(),
        text_cell(standing.unranked_reason),
        *(figure.full for figure in entry.figures),
        entry.low.full,
        entry.high.full,
        *(str(getattr(standing, name)) for name in _COUNTS),
        *(by_family.get(family, "") for family in families),
    ]


def origin_cells(computation: Computation | StateComputation) -> list[str]:
    """Return what a board was computed from and with, one cell for each of ORIGIN."""
    return [
        computation.board_id,
        computation.scoring_version,
        computation.input_digest,
        str(computation.seed),
        str(computation.n_draws),
        computation.facts_until.isoformat().replace("+00:00", "Z"),
    ]


def _whole(number: int | None) -> str:
    return "" if number is None else str(number)
