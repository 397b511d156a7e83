"""Reads of one computation, the same for page, CSV and API."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Prefetch, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from catalog.models import Disclosure, Family, Task
from episodes.models import Episode
from episodes.states import EpisodeState
from leaderboards import pictures
from leaderboards.metrics import METRICS, RECOVERY, Figure, Metric
from leaderboards.models import Board, Computation, EpisodeScore, Standing
from scoring.surfaces import STRICT_TOLERANCES

N_FEATURED = 5
BY_RANK = "rank"
ORDERS = (BY_RANK, *(metric.name for metric in METRICS))


class BoardNotFound(Exception):
    """There is no such board, or nothing was published on it yet."""

    code = "board_not_found"

    def __init__(self) -> None:
        super().__init__("There is no such board.")
        self.details: dict[str, object] = {}


@dataclass(frozen=True)
class Entry:
    """One standing with its numbers spelled out."""

    standing: Standing
    families: Sequence[tuple[Family, Figure]]

    @property
    def figures(self) -> list[Figure]:
        """The metrics, in the order of their definition."""
        return [Figure(metric, getattr(self.standing, metric.name)) for metric in METRICS]

    @property
    def recovery(self) -> Figure:
        """What the board ranks by."""
        return Figure(RECOVERY, self.standing.recovery_score)

    @property
    def low(self) -> Figure:
        """The lower end of the 95 % interval of the recovery."""
        return Figure(RECOVERY, self.standing.recovery_low)

    @property
    def high(self) -> Figure:
        """The upper end of the 95 % interval of the recovery."""
        return Figure(RECOVERY, self.standing.recovery_high)

    @property
    def rank_range(self) -> str:
        """The ranks inside the 95 % range, as 2-4 with an en dash."""
        low, high = self.standing.rank_low, self.standing.rank_high
        return f"{low}" if low == high else f"{low}\N{EN DASH}{high}"

    @property
    def whisker(self) -> pictures.Whisker:
        """Where the dot and its interval lie."""
        return pictures.whisker(
            self.standing.recovery_score, self.standing.recovery_low, self.standing.recovery_high
        )

    @property
    def whisker_words(self) -> str:
        """What the whisker shows."""
        words = f"Recovery {self.recovery.rounded}"
        if not self.low.full:
            return words
        return f"{words}, 95 % interval {self.low.rounded} to {self.high.rounded}"

    @property
    def profile(self) -> list[pictures.ProfileDot]:
        """Where the families' dots lie."""
        return pictures.profile(
            [(family.position, figure.value or 0.0) for family, figure in self.families]
        )


@dataclass(frozen=True)
class BoardReading:
    """A board's current computation with its entries."""

    board: Board
    computation: Computation
    entries: Sequence[Entry]
    metrics: Sequence[Metric] = METRICS

    @property
    def title(self) -> str:
        """What the board fixes, in a few words."""
        board = self.board
        track, view = board.get_track_display(), board.get_view_display()
        return f"{track.capitalize()}, {board.budget_credits} credits, {view} view"

    @property
    def axis(self) -> list[pictures.Tick]:
        """The ticks that all whiskers share."""
        return pictures.axis()

    @property
    def ranked(self) -> list[Entry]:
        """The entries with a rank."""
        return [entry for entry in self.entries if entry.standing.rank is not None]

    @property
    def first_of_all(self) -> list[Entry]:
        """The entries that are not separated from the first: rank 1 is in their 95 % range."""
        return [entry for entry in self.ranked if entry.standing.rank_low == 1]

    @property
    def unranked(self) -> list[Entry]:
        """The entries without one."""
        return [entry for entry in self.entries if entry.standing.rank is None]

    @property
    def command(self) -> str:
        """What prints this computation again."""
        return (
            f"manage.py recompute_leaderboards --board {self.board.slug} "
            f"--seed {self.computation.seed} --draws {self.computation.n_draws}"
        )


@dataclass(frozen=True)
class Trial:
    """One episode behind an entry: its number among the agent's on that task, and its score."""

    episode: Episode
    number: int
    score: EpisodeScore | None
    is_late: bool  # closed after the computation that the page shows

    @property
    def strict(self) -> str:
        """The tightest tolerance of the strict profile that was passed; the wider ones were too."""
        profile = self.score.strict if self.score else {}
        passed = (tolerance for tolerance in STRICT_TOLERANCES if profile.get(str(tolerance)))
        return next((f"{100 * tolerance:g} %" for tolerance in passed), "none")


def published_boards() -> QuerySet[Board]:
    """Return the boards that show a computation."""
    return Board.objects.filter(current__isnull=False).select_related("current", "release")


def read_boards(boards: Iterable[Board]) -> list[BoardReading]:
    """Return published boards with their entries of first rank."""
    return _readings(boards, Standing.objects.filter(rank=1))


def featured_board() -> BoardReading | None:
    """Return the board to show first, with its top entries: the fullest of the newest release."""
    fullest = published_boards().order_by(
        "-release__published_at", "release", "-current__n_episodes", "slug"
    )
    top = Standing.objects.filter(rank__lte=N_FEATURED)
    return next(iter(_readings(fullest[:1], top)), None)


def read_board(slug: str, *, order: str = BY_RANK, search: str = "") -> BoardReading:
    """Return a board with its entries; a search never hides a baseline.

    Raises
    ------
    BoardNotFound
        If there is no such board, or nothing was published on it.
    """
    column = F(order.removeprefix("-"))
    by = column.desc if order.startswith("-") else column.asc
    standings = Standing.objects.order_by(by(nulls_last=True), "agent__name")
    if search:
        standings = standings.filter(Q(agent__name__icontains=search) | Q(is_baseline=True))
    return _reading(slug, standings)


def read_entry(slug: str, *, agent_id: UUID) -> tuple[BoardReading, Entry]:
    """Return a board and one entry of it.

    Raises
    ------
    BoardNotFound
        If there is no such board, or it has no such entry.
    """
    reading = _reading(slug, Standing.objects.filter(agent=agent_id))
    if not reading.entries:
        raise BoardNotFound
    return reading, reading.entries[0]


def list_trials(reading: BoardReading, *, agent_id: UUID) -> list[Trial]:
    """Return all episodes of an agent on a board, open ones too."""
    computation = reading.computation
    current = EpisodeScore.objects.filter(scoring_version=computation.scoring_version)
    episodes = (
        _episodes_of(reading.board)
        .filter(agent=agent_id)
        .select_related("task__source__family")
        .prefetch_related(Prefetch("scores", queryset=current, to_attr="current_scores"))
        .annotate(trial=Window(RowNumber(), partition_by=F("task"), order_by=["created_at", "id"]))
        .order_by("task__source__family__position", "task__slug", "trial")
    )
    return [_trial(episode, until=computation.facts_until) for episode in episodes]


def count_open_episodes(board: Board) -> int:
    """Return how many episodes of a board are open, and therefore count nowhere yet."""
    return _episodes_of(board).filter(state=EpisodeState.OPEN).count()


def count_open_tasks(board: Board) -> int:
    """Return how many tasks of a board have a public surface, which an agent may have seen."""
    tasks = Task.objects.filter(pk__in=_tasks_of(board).values("pk"))
    return tasks.filter(disclosure=Disclosure.OPEN).count()


def _tasks_of(board: Board) -> QuerySet[Task]:
    # As in statements.py: a corrected task replaces its older version in a release.
    return (
        Task.objects.filter(release=board.release_id, track=board.track)
        .order_by("slug", "-is_current", "-published_at", "version")
        .distinct("slug")
    )


def _episodes_of(board: Board) -> QuerySet[Episode]:
    return Episode.objects.filter(
        task__in=_tasks_of(board).values("pk"),
        budget_credits=board.budget_credits,
        view=board.view,
    )


def _trial(
    episode: Any,  # noqa: ANN401 (an episode with annotated and prefetched attributes)
    *,
    until: datetime,
) -> Trial:
    return Trial(
        episode=episode,
        number=episode.trial,
        score=next(iter(episode.current_scores), None),
        is_late=episode.closed_at is not None and episode.closed_at > until,
    )


def _reading(slug: str, standings: QuerySet[Standing]) -> BoardReading:
    readings = _readings(published_boards().filter(slug=slug), standings)
    if not readings:
        raise BoardNotFound
    return readings[0]


def _readings(boards: Iterable[Board], standings: QuerySet[Standing]) -> list[BoardReading]:
    families = {family.slug: family for family in Family.objects.order_by("position")}
    current = [(board, board.current) for board in boards if board.current is not None]
    entries: dict[int, list[Entry]] = {computation.pk: [] for _, computation in current}
    for standing in standings.filter(computation__in=entries).select_related("agent"):
        entries[standing.computation_id].append(_entry(standing, families))
    return [
        BoardReading(board, computation, entries[computation.pk]) for board, computation in current
    ]


def _entry(standing: Standing, families: Mapping[str, Family]) -> Entry:
    scores = standing.family_scores
    return Entry(
        standing=standing,
        families=[
            (family, Figure(RECOVERY, scores[slug]))
            for slug, family in families.items()
            if slug in scores
        ],
    )
