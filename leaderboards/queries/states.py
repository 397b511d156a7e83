"""Boards of research states: their facts, and the reads of one computation for every door."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db.models import QuerySet

import scoring
from catalog import truth
from catalog.models import Disclosure, StateSet
from catalog.state_texts import INTERFACE_TITLES
from catalog.tabular_files import text_cell
from episodes.models import Agent, AgentKind, Proposal
from leaderboards import pictures
from leaderboards.models import StateBoard, StateComputation, StateStanding
from leaderboards.published_states import COMPARED_SET, PUBLISHED
from leaderboards.queries.boards import BoardNotFound
from leaderboards.queries.tables import ORIGIN, origin_cells
from leaderboards.state_standings import (
    BASELINE_TITLES,
    MIN_SEALED_STATES,
    Participant,
    State,
    StatePlace,
    StateRecords,
    place_state_entries,
    rank_ranges,
)
from scoring.responses import Interface

_FIGURES = (
    "efficiency_score",
    "efficiency_low",
    "efficiency_high",
    "valid_efficiency_score",
    "rate_score",
)
_COUNTS = ("n_valid", "n_proposals", "n_answered_states")


@dataclass(frozen=True)
class StateEntry:
    """One standing with its numbers spelled out."""

    standing: StateStanding
    is_compared: bool
    rank_low: int | None = None
    rank_high: int | None = None

    @property
    def name(self) -> str:
        """The agent's name, or what the baseline does."""
        agent = self.standing.agent
        return agent.name if agent else BASELINE_TITLES[self.standing.baseline]

    @property
    def published(self) -> str:
        """The paper's own figure in per cent, on its own states; empty if it gives none."""
        return PUBLISHED.get(self.standing.baseline, "") if self.is_compared else ""

    @property
    def whisker(self) -> pictures.Whisker | None:
        """Where the dot and its interval lie, if the score may be told."""
        one = self.standing
        if one.efficiency_score is None:
            return None
        return pictures.whisker(one.efficiency_score, one.efficiency_low, one.efficiency_high)

    @property
    def whisker_words(self) -> str:
        """What the whisker shows."""
        return f"{self.percent} % of the best, 95 % interval {self.interval}"

    @property
    def percent(self) -> str:
        """The score in per cent with one decimal: a rounding of the stored digits."""
        score = self.standing.efficiency_score
        return "sealed" if score is None else percent(score)

    @property
    def interval(self) -> str:
        """The 95 % interval in per cent."""
        one = self.standing
        if one.efficiency_score is None:
            return "sealed"
        if one.efficiency_low is None or one.efficiency_high is None:
            return "undefined (one state)"
        return f"{percent(one.efficiency_low)}\N{EN DASH}{percent(one.efficiency_high)}"

    @property
    def rank_range(self) -> str:
        """The ranks that the intervals leave possible, as 2-4 with an en dash."""
        if self.rank_low is None:
            return ""
        is_one = self.rank_low == self.rank_high
        return f"{self.rank_low}" if is_one else f"{self.rank_low}\N{EN DASH}{self.rank_high}"

    @property
    def valid_percent(self) -> str:
        """The same over valid answers alone."""
        value = self.standing.valid_efficiency_score
        if self.standing.efficiency_score is None:
            return "sealed"
        return "undefined (none valid)" if value is None else percent(value)


@dataclass(frozen=True)
class StateBoardReading:
    """A board with the computation that it shows."""

    board: StateBoard
    computation: StateComputation
    min_sealed_states: int = MIN_SEALED_STATES

    @property
    def title(self) -> str:
        """The interface and the set."""
        return f"{INTERFACE_TITLES[Interface(self.board.interface)]}, {self.board.state_set.title}"

    @cached_property
    def entries(self) -> list[StateEntry]:
        """Baselines first, then agents by rank, then those that are not ranked."""
        standings = self.computation.standings.select_related("agent")
        ranked = [one for one in standings if one.rank is not None]
        ranges = rank_ranges([(one.efficiency_low, one.efficiency_high) for one in ranked])
        range_of = {one.pk: found for one, found in zip(ranked, ranges, strict=True)}
        return [
            StateEntry(standing, self.is_compared, *range_of.get(standing.pk, (None, None)))
            for standing in standings
        ]

    @property
    def n_sealed_states(self) -> int:
        """States of which no single score is told."""
        return self.computation.n_states - self.computation.n_open_states

    @property
    def first_of_all(self) -> list[StateEntry]:
        """The entries that are not separated from the first: rank 1 is in their range."""
        return [entry for entry in self.entries if entry.rank_low == 1]

    @property
    def is_compared(self) -> bool:
        """Whether the paper's figures stand beside ours."""
        return self.board.state_set_id == COMPARED_SET

    @property
    def axis(self) -> list[pictures.Tick]:
        """The axis that all whiskers share."""
        return pictures.axis()

    @property
    def command(self) -> str:
        """What prints this computation again."""
        return f"manage.py recompute_leaderboards --board {self.board.slug}"


def missing_state_boards() -> list[StateBoard]:
    """Return a board, not yet saved, for every set and interface that has none."""
    known = set(StateBoard.objects.values_list("state_set", "interface"))
    return [
        StateBoard(
            slug=f"states-{state_set.slug}-{interface}", state_set=state_set, interface=interface
        )
        for state_set in StateSet.objects.all()
        for interface in Interface
        if (state_set.slug, interface.value) not in known
    ]


def stale_state_boards() -> list[StateBoard]:
    """Return the boards whose facts or scoring version are not those of their computation."""
    boards = StateBoard.objects.select_related("current", "state_set").order_by("slug")
    return [
        board
        for board in boards
        if board.current is None
        or board.current.scoring_version != scoring.VERSION
        or board.current.input_digest != _digest(board, _facts(board))
    ]


def load_state_records(board: StateBoard) -> StateRecords:
    """Return what one computation of the board starts from."""
    facts = list(_facts(board))
    responses = dict(
        Proposal.objects.filter(pk__in=[fact.pk for fact in facts]).values_list("pk", "response")
    )
    by_agent: dict[Agent, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for fact in sorted(facts, key=lambda fact: fact.repetition):
        by_agent[fact.agent][fact.state_id].append(responses[fact.pk])
    return StateRecords(
        interface=Interface(board.interface),
        input_digest=_digest(board, facts),
        facts_until=max([board.state_set.published_at, *(fact.created_at for fact in facts)]),
        n_open_states=board.state_set.states.filter(disclosure=Disclosure.OPEN).count(),
        states=_states(board.state_set),
        participants=[_participant(agent, of) for agent, of in by_agent.items()],
    )


def placed_states(records: StateRecords) -> list[StatePlace]:
    """Return the entries in the order of the board; of equal ones the first by the agent's id."""
    return sorted(place_state_entries(records), key=_order)


def published_state_boards() -> QuerySet[StateBoard]:
    """Return the boards that have a computation, set by set, interfaces in a fixed order."""
    boards = StateBoard.objects.filter(current__isnull=False)
    return boards.select_related("current", "state_set").order_by(
        "state_set__published_at", "state_set", "slug"
    )


def find_state_board(slug: str) -> StateBoardReading:
    """Return a board with its computation.

    Raises
    ------
    BoardNotFound
        If there is none of that name, or nothing was published on it yet.
    """
    board = published_state_boards().filter(slug=slug).first()
    if board is None or board.current is None:
        raise BoardNotFound
    return StateBoardReading(board, board.current)


def state_board_table(reading: StateBoardReading) -> tuple[list[str], list[list[str]]]:
    """Return header and rows as text with every digit, for a CSV."""
    computation = reading.computation
    last = [str(computation.n_states), *origin_cells(computation)]
    header = ["rank", "rank_low", "rank_high", "entry", "agent_id", "baseline", "unranked_reason"]
    header += [*_FIGURES, *_COUNTS, "paper_percent", "n_states", *ORIGIN]
    return header, [[*_cells(entry), *last] for entry in reading.entries]


def _cells(entry: StateEntry) -> list[str]:
    one = entry.standing
    return [
        *(_text(rank) for rank in (one.rank, entry.rank_low, entry.rank_high)),
        text_cell(entry.name),
        _text(one.agent_id),
        one.baseline,
        text_cell(one.unranked_reason),
        *(_text(getattr(one, name)) for name in (*_FIGURES, *_COUNTS)),
        entry.published,
    ]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def percent(share: float) -> str:
    """Return a share in per cent with one decimal."""
    return f"{100 * share:.1f}"


def _facts(board: StateBoard) -> QuerySet[Proposal]:
    """Return the proposals that count, without their texts: these never change."""
    proposals = Proposal.objects.filter(
        state__state_set=board.state_set_id, interface=board.interface
    )
    return proposals.select_related("agent").defer("response").order_by("agent_id", "pk")


def _digest(board: StateBoard, facts: QuerySet[Proposal] | Sequence[Proposal]) -> str:
    return hashlib.sha256("\n".join(_digest_lines(board, facts)).encode()).hexdigest()


def _digest_lines(
    board: StateBoard, facts: QuerySet[Proposal] | Sequence[Proposal]
) -> Iterator[str]:
    yield f"set {board.state_set.version} {board.interface}"
    if board.state_set.disclosure == Disclosure.SEALED:
        yield "whole rounds"  # a computation by the rule before, which told too much, is stale
    for fact in facts:
        agent = fact.agent
        yield f"proposal {fact.pk} agent {agent.pk} {agent.kind} {agent.is_active}"


def _states(state_set: StateSet) -> list[State]:
    priors = truth.state_priors(state_set)
    return [
        State(slug=state.slug, budget=state.budget, prior=priors[state.slug])
        for state in state_set.states.order_by("position")
    ]


def _participant(agent: Agent, responses: Mapping[str, Sequence[str]]) -> Participant:
    return Participant(
        agent_id=agent.pk,
        is_person=agent.kind == AgentKind.PERSON,
        is_active=agent.is_active,
        responses=responses,
    )


def _order(place: StatePlace) -> tuple[bool, bool, int, UUID]:
    # Baselines keep their order: the sort is stable.
    is_agent = place.agent_id is not None
    return (is_agent, place.rank is None, place.rank or 0, place.agent_id or UUID(int=0))
