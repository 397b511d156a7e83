"""Episodes as people see them on pages: their own, and closed ones of everybody."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from episodes.models import Agent, AgentKind, Episode
from episodes.queries.episodes import EpisodeNotFound
from episodes.states import EpisodeState


def find_person(agent_id: str) -> Agent | None:
    """Return the person of a browser session."""
    return Agent.objects.filter(id=agent_id, kind=AgentKind.PERSON, is_active=True).first()


def closed_episodes() -> QuerySet[Episode]:
    """Return every closed episode, the newest first, with its agent and task."""
    return (
        Episode.objects.exclude(state=EpisodeState.OPEN)
        .select_related("agent", "task__source__family")
        .order_by("-closed_at", "id")
    )


def find_visible_episode(*, episode_id: UUID, person: Agent | None, now: datetime) -> Episode:
    """Return an episode that this person may look at: an own one, or any closed one.

    Raises
    ------
    EpisodeNotFound
        If there is none, or it is another agent's and still open.
    """
    closed = ~Q(state=EpisodeState.OPEN) | Q(deadline_at__lte=now)
    visible = closed if person is None else closed | Q(agent=person)
    episode = (
        Episode.objects.filter(visible, pk=episode_id)
        .select_related("agent", "task__source__family")
        .prefetch_related("measurements")
        .first()
    )
    if episode is None:
        raise EpisodeNotFound
    return episode
