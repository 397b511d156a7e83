"""What every entry of a board of research states reaches. Plain values in, plain values out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from catalog.state_texts import POLICY_TITLES
from leaderboards.standings import PERSON, WITHDRAWN
from scoring import readings
from scoring.costs import Design
from scoring.intervals import TIE_DECIMALS, bootstrap_mean
from scoring.policies import POLICIES, policy_readings
from scoring.readings import Action, ReadingScore, reading_set, top_prior
from scoring.responses import NAME_FIELDS, PASSED_FIELDS, Interface, score_response
from scoring.separation import overlap_ranks

ANY_ACTION_NAME = "any_action_name"
TOP_PRIOR_TARGET = "top_prior_target"
BASELINE_TITLES = {
    **POLICY_TITLES,
    ANY_ACTION_NAME: "Any action name, as the executor reads it",
    TOP_PRIOR_TARGET: "Likeliest mechanism as target, as the executor reads it",
}
NO_VALID_ANSWER = "no valid answer"
# Means over fewer sealed states would tell what single answers are worth.
MIN_SEALED_STATES = 8
FEW_ANSWERS = (
    f"numbers follow when every state is answered, at least {MIN_SEALED_STATES} of them validly"
)
SEED = 3
N_DRAWS = 5000


@dataclass(frozen=True)
class State:
    """What scoring an answer needs of a state."""

    slug: str
    budget: int
    prior: tuple[float, ...]


@dataclass(frozen=True)
class Participant:
    """An agent with its raw responses by state."""

    agent_id: UUID
    is_person: bool
    is_active: bool
    responses: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class StateRecords:
    """Everything that goes into one computation of a board of states."""

    interface: Interface
    input_digest: str
    facts_until: datetime
    n_open_states: int
    states: Sequence[State]
    participants: Sequence[Participant]

    @property
    def has_sealed_states(self) -> bool:
        """Whether single scores must not be told."""
        return self.n_open_states < len(self.states)

    @property
    def n_proposals(self) -> int:
        """Number of responses, invalid ones too."""
        return sum(len(of) for one in self.participants for of in one.responses.values())


@dataclass(frozen=True)
class StatePlace:
    """One entry: an agent, or a baseline by its name. Shares are of the best affordable design.

    Without numbers, it has no rank either: they would tell of single sealed states.
    """

    agent_id: UUID | None
    baseline: str
    efficiency_score: float | None
    efficiency_low: float | None
    efficiency_high: float | None
    valid_efficiency_score: float | None
    rate_score: float | None
    n_valid: int
    n_proposals: int
    n_answered_states: int
    unranked_reason: str = ""
    rank: int | None = None


def place_state_entries(records: StateRecords) -> list[StatePlace]:
    """Return the baselines, in their order, then one place a participant."""
    baselines = [_baseline(name, records) for name in baseline_names(records.interface)]
    places = [_place(one, records) for one in records.participants]
    ranked = [
        _tied(place.efficiency_score)
        for place in places
        if place.efficiency_score is not None and not place.unranked_reason
    ]
    return [*baselines, *(_with_rank(place, ranked) for place in places)]


def rank_ranges(
    intervals: Sequence[tuple[float | None, float | None]],
) -> list[tuple[int | None, int | None]]:
    """Return the ranks that the intervals of the ranked entries leave possible."""
    bounds = [[math.nan if bound is None else bound for bound in one] for one in intervals]
    best, worst = overlap_ranks([low for low, _ in bounds], [high for _, high in bounds])
    return [(_whole(low), _whole(high)) for low, high in zip(best, worst, strict=True)]


def baseline_names(interface: Interface) -> tuple[str, ...]:
    """Return what a board of the interface is held against."""
    fields = PASSED_FIELDS[interface]
    if fields is NAME_FIELDS:
        return (*POLICIES, ANY_ACTION_NAME)
    return (*POLICIES, TOP_PRIOR_TARGET) if interface is Interface.TARGET else POLICIES


def _baseline(name: str, records: StateRecords) -> StatePlace:
    by_state = [
        [readings.score(state.prior, state.budget, baseline_readings(name, state))]
        for state in records.states
    ]
    place = _summary(by_state, agent_id=None, baseline=name)
    tells_too_much = records.has_sealed_states and _n_valid_states(by_state) < MIN_SEALED_STATES
    return _without_numbers(place) if tells_too_much else place


def baseline_readings(name: str, state: State) -> tuple[Design, ...]:
    """Return the reading set of a baseline in one state."""
    if name == ANY_ACTION_NAME:
        return reading_set(Action())
    if name == TOP_PRIOR_TARGET:
        return reading_set(Action(target=top_prior(state.prior)))
    return policy_readings(name, state.prior, state.budget)


def _place(participant: Participant, records: StateRecords) -> StatePlace:
    by_state = [
        [
            score_response(state.prior, state.budget, records.interface, response)
            for response in participant.responses.get(state.slug, ())
        ]
        for state in records.states
    ]
    n_valid = sum(score.n_readings > 0 for scores in by_state for score in scores)
    reason = _unranked_reason(participant, n_valid)
    if records.has_sealed_states:
        counted = _whole_rounds(by_state)
        if _n_valid_states(counted) < MIN_SEALED_STATES:
            place = _summary(by_state, agent_id=participant.agent_id, unranked_reason=reason)
            return _without_numbers(place, unranked_reason=reason or FEW_ANSWERS)
        by_state = counted
    return _summary(by_state, agent_id=participant.agent_id, unranked_reason=reason)


def _whole_rounds(by_state: Sequence[list[ReadingScore]]) -> list[list[ReadingScore]]:
    """Return the first answers to every state, as many as each of them has.

    The difference that one more answer makes to a mean is what this answer is worth.
    """
    n_rounds = min(map(len, by_state))
    return [scores[:n_rounds] for scores in by_state]


def _n_valid_states(by_state: Sequence[Sequence[ReadingScore]]) -> int:
    return sum(any(score.n_readings for score in scores) for scores in by_state)


def _without_numbers(place: StatePlace, *, unranked_reason: str = "") -> StatePlace:
    return replace(
        place,
        efficiency_score=None,
        efficiency_low=None,
        efficiency_high=None,
        valid_efficiency_score=None,
        rate_score=None,
        unranked_reason=unranked_reason,
    )


def _unranked_reason(participant: Participant, n_valid: int) -> str:
    if not participant.is_active:
        return WITHDRAWN
    if participant.is_person:
        return PERSON
    return "" if n_valid else NO_VALID_ANSWER


def _summary(
    by_state: Sequence[Sequence[ReadingScore]],
    *,
    agent_id: UUID | None,
    baseline: str = "",
    unranked_reason: str = "",
) -> StatePlace:
    # A state without an answer counts 0, like an invalid answer.
    values = [_mean_efficiency(scores) if scores else 0.0 for scores in by_state]
    interval = bootstrap_mean(values, draws=N_DRAWS, seed=SEED)
    rates = [_mean([score.rate for score in scores]) or 0.0 for scores in by_state]
    valid = [[score for score in scores if score.n_readings] for scores in by_state]
    return StatePlace(
        agent_id=agent_id,
        baseline=baseline,
        efficiency_score=interval.estimate,
        efficiency_low=_defined(interval.lower),
        efficiency_high=_defined(interval.upper),
        valid_efficiency_score=_mean([_mean_efficiency(scores) for scores in valid if scores]),
        rate_score=math.fsum(rates) / len(rates),
        n_valid=sum(map(len, valid)),
        n_proposals=sum(map(len, by_state)),
        n_answered_states=sum(bool(scores) for scores in by_state),
        unranked_reason=unranked_reason,
    )


def _mean_efficiency(scores: Sequence[ReadingScore]) -> float:
    return math.fsum(score.efficiency for score in scores) / len(scores)


def _with_rank(place: StatePlace, ranked: Sequence[float]) -> StatePlace:
    if place.unranked_reason or place.efficiency_score is None:
        return place
    score = _tied(place.efficiency_score)
    return replace(place, rank=1 + sum(value > score for value in ranked))


def _tied(value: float) -> float:
    return round(value, TIE_DECIMALS)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _whole(rank: float) -> int | None:
    return None if math.isnan(rank) else int(rank)
