"""What stands behind an entry of a board of states: every answer, and its score where it may be."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from catalog import pictures, truth
from catalog.models import ResearchState, StateSet
from episodes.models import AgentKind, Proposal, ProposalStatus
from leaderboards.queries.boards import BoardNotFound
from leaderboards.queries.states import (
    StateBoardReading,
    StateEntry,
    find_state_board,
    percent,
)
from leaderboards.state_standings import State, baseline_readings
from scoring import readings
from scoring.readings import ReadingScore
from scoring.responses import Interface, score_response

Priors = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class StateAnswer:
    """One answer; without a score if its state is sealed, without its words if they are."""

    words: str | None
    reason: str
    score: ReadingScore | None

    @property
    def percent(self) -> str:
        """The share of the best affordable design, per cent."""
        return "" if self.score is None else percent(self.score.efficiency)


@dataclass(frozen=True)
class AnsweredState:
    """A state of the board with the answers of one entry."""

    state: ResearchState
    is_scored: bool
    answers: Sequence[StateAnswer]

    @property
    def percent(self) -> str:
        """What the state adds to the mean; empty if that is not said."""
        if not self.is_scored:
            return ""
        shares = [answer.score.efficiency for answer in self.answers if answer.score]
        return percent(math.fsum(shares) / len(shares) if shares else 0.0)


@dataclass(frozen=True)
class StateEntryReading:
    """An entry of a board with everything that went into it."""

    board: StateBoardReading
    entry: StateEntry
    states: Sequence[AnsweredState]

    @property
    def n_sealed(self) -> int:
        """States whose scores are not said."""
        return sum(not one.is_scored for one in self.states)


def read_state_entry(slug: str, *, agent_id: UUID) -> StateEntryReading:
    """Return an agent's entry as anybody may see it: of sealed states status and reason alone.

    Raises
    ------
    leaderboards.queries.BoardNotFound
        If there is no such board, or the agent does not stand on it.
    """
    board = find_state_board(slug)
    return _of_agent(board, agent_id, _open_priors(board.board.state_set), shows_all=False)


def read_sealed_entry(slug: str, *, agent_id: UUID) -> StateEntryReading:
    """Return an agent's entry with every score and response, for staff who may see priors.

    Raises
    ------
    leaderboards.queries.BoardNotFound
        As `read_state_entry`.
    """
    board = find_state_board(slug)
    priors = truth.state_priors(board.board.state_set)
    return _of_agent(board, agent_id, priors, shows_all=True)


def read_baseline(slug: str, *, name: str) -> StateEntryReading:
    """Return what a baseline runs in every open state, and what that is worth.

    Raises
    ------
    leaderboards.queries.BoardNotFound
        If there is no such board, or it has no such baseline.
    """
    board = find_state_board(slug)
    entry = _entry(board, baseline=name)
    priors = _open_priors(board.board.state_set)
    answers = {
        state.slug: [_of_baseline(name, state, priors[state.slug])]
        for state in board.board.state_set.states.all()
        if state.slug in priors
    }
    return _reading(board, entry, answers, priors)


def _of_agent(
    board: StateBoardReading, agent_id: UUID, priors: Priors, *, shows_all: bool
) -> StateEntryReading:
    entry = _entry(board, agent_id=agent_id)
    # What came later is no part of the numbers.
    proposals = Proposal.objects.filter(
        agent=agent_id,
        interface=board.board.interface,
        state__state_set=board.board.state_set,
        created_at__lte=board.computation.facts_until,
    )
    answers: dict[str, list[StateAnswer]] = defaultdict(list)
    for proposal in proposals.select_related("agent", "state").order_by("repetition"):
        prior = priors.get(proposal.state_id)
        # People type into a page of ours and were not told that their words would be public.
        is_shown = prior is not None and proposal.agent.kind != AgentKind.PERSON
        answers[proposal.state_id].append(
            StateAnswer(
                words=proposal.response if is_shown or shows_all else None,
                reason=proposal.reason if proposal.status == ProposalStatus.INVALID else "",
                score=None if prior is None else _score(proposal, prior),
            )
        )
    return _reading(board, entry, answers, priors)


def _entry(board: StateBoardReading, **which: object) -> StateEntry:
    for entry in board.entries:
        if all(getattr(entry.standing, name) == value for name, value in which.items()):
            return entry
    raise BoardNotFound


def _reading(
    board: StateBoardReading,
    entry: StateEntry,
    answers: Mapping[str, Sequence[StateAnswer]],
    priors: Priors,
) -> StateEntryReading:
    states = board.board.state_set.states.order_by("position")
    return StateEntryReading(
        board,
        entry,
        [AnsweredState(one, one.slug in priors, answers.get(one.slug, ())) for one in states],
    )


def _score(proposal: Proposal, prior: Sequence[float]) -> ReadingScore:
    budget = proposal.state.budget
    return score_response(prior, budget, Interface(proposal.interface), proposal.response)


def _of_baseline(name: str, state: ResearchState, prior: Sequence[float]) -> StateAnswer:
    designs = baseline_readings(name, State(state.slug, state.budget, tuple(prior)))
    one = len(designs) == 1
    return StateAnswer(
        words=pictures.design_words(designs[0]) if one else f"{len(designs)} designs",
        reason="",
        score=readings.score(prior, state.budget, designs),
    )


def _open_priors(state_set: StateSet) -> Priors:
    states = state_set.states.filter(open_prior__isnull=False)
    return {state.slug: state.open_prior or () for state in states}
