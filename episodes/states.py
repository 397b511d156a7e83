"""What may follow what: the states of an episode and of a job, as tables."""

from datetime import datetime
from enum import StrEnum


class EpisodeState(StrEnum):
    """Where an episode stands. Every state but OPEN is final."""

    OPEN = "open"
    SUBMITTED = "submitted"  # a table was delivered before the deadline
    EXPIRED = "expired"  # no table by the deadline: the agent's miss, counts 0
    LOST = "lost"  # our fault: blocks publication until it is run again


class JobState(StrEnum):
    """Where a player's job stands. DONE and LOST are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    LOST = "lost"


EPISODE_FOLLOWS: dict[EpisodeState, frozenset[EpisodeState]] = {
    EpisodeState.OPEN: frozenset({EpisodeState.SUBMITTED, EpisodeState.EXPIRED, EpisodeState.LOST}),
    EpisodeState.SUBMITTED: frozenset(),
    EpisodeState.EXPIRED: frozenset(),
    EpisodeState.LOST: frozenset(),
}

JOB_FOLLOWS: dict[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.LOST}),
    JobState.RUNNING: frozenset({JobState.QUEUED, JobState.DONE, JobState.LOST}),
    JobState.DONE: frozenset(),
    JobState.LOST: frozenset(),
}


class EpisodeClosed(Exception):
    """The episode takes no more purchases or predictions."""

    code = "episode_closed"

    def __init__(self, state: EpisodeState) -> None:
        super().__init__(f"This episode is {state}; it takes no more purchases or predictions.")
        self.details = {"state": str(state)}


def current_state(state: EpisodeState, *, deadline_at: datetime, now: datetime) -> EpisodeState:
    """Return the state as of `now`: an open episode past its deadline has expired already.

    The clock writes the expiry a little later; no door may act on the older word.
    """
    if state is EpisodeState.OPEN and now >= deadline_at:
        return EpisodeState.EXPIRED
    return state


def require_open(state: EpisodeState, *, deadline_at: datetime, now: datetime) -> None:
    """Pass if the episode takes actions as of `now`.

    Raises
    ------
    EpisodeClosed
        In every other state.
    """
    state = current_state(state, deadline_at=deadline_at, now=now)
    if state is not EpisodeState.OPEN:
        raise EpisodeClosed(state)
