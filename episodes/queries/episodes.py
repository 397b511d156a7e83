"""Episodes as their agent sees them."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from episodes.models import Agent, Episode
from episodes.states import EpisodeState, current_state


class EpisodeNotFound(Exception):
    """There is no such episode, or it is another agent's: the caller cannot tell which."""

    code = "not_found"

    def __init__(self) -> None:
        super().__init__("There is no such episode.")
        self.details: dict[str, object] = {}


def episodes_of(agent: Agent) -> QuerySet[Episode]:
    """Return the agent's episodes, newest first, with what a reply about them needs."""
    return (
        Episode.objects.filter(agent=agent)
        .select_related("task")
        .prefetch_related("measurements")
        .order_by("-created_at", "id")
    )


def find_episode(*, agent: Agent, episode_id: UUID) -> Episode:
    """Return the agent's episode.

    Raises
    ------
    EpisodeNotFound
        If the agent has no such episode.
    """
    episode = episodes_of(agent).filter(pk=episode_id).first()
    if episode is None:
        raise EpisodeNotFound
    return episode


def observations(episode: Episode) -> dict[str, float]:
    """Return what the agent has seen, {mask: utility}: anchors first, then purchases in order."""
    bought = {measurement.mask: measurement.utility for measurement in episode.measurements.all()}
    return {**episode.task.anchors, **bought}


def state_of(episode: Episode, *, now: datetime) -> EpisodeState:
    """Return the state as of `now`; every door asks this, never the column."""
    return current_state(EpisodeState(episode.state), deadline_at=episode.deadline_at, now=now)
