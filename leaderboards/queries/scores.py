"""Grades of single episodes, from the ledger and the hidden outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

import scoring
from catalog import truth
from catalog.models import Task
from episodes.models import Agent, Episode
from episodes.queries.episodes import find_episode, observations, state_of
from episodes.states import EpisodeState
from leaderboards.models import EpisodeScore
from scoring.masks import Floats, all_masks
from scoring.surfaces import SurfaceScore, grade, grade_all, overwrite_measured


class EpisodeOpen(Exception):
    """The episode has no score before it is closed."""

    code = "episode_open"

    def __init__(self, deadline_at: datetime) -> None:
        super().__init__("This episode is open: it is scored when it is closed.")
        self.details = {"deadline_at": deadline_at}


@dataclass(frozen=True)
class ClosedEpisode:
    """A closed episode with its grade; without a delivered table it has a cause instead."""

    episode: Episode
    state: EpisodeState
    cause: str
    score: SurfaceScore | None


def delivered_table(episode: Episode) -> Floats:
    """Return the table of a submitted episode, shape (2^d,), its measured cells as observed."""
    table = [episode.prediction.table[mask] for mask in all_masks(episode.task.n_factors)]
    return overwrite_measured(table, observations(episode))


def grade_episode(episode: Episode) -> SurfaceScore:
    """Return the grade of a submitted episode.

    Raises
    ------
    catalog.truth.OutcomeMissing
        If the task's outcomes are not loaded whole.
    """
    return grade(truth.surface(episode.task), delivered_table(episode))


def load_score(episode: Episode) -> SurfaceScore | None:
    """Return the grade of an episode; None if it delivered nothing.

    Raises
    ------
    catalog.truth.OutcomeMissing
        If the task's outcomes are not loaded whole.
    """
    return grade_episode(episode) if episode.state == EpisodeState.SUBMITTED else None


def read_score(*, agent: Agent, episode_id: UUID, now: datetime) -> ClosedEpisode:
    """Return an agent's own closed episode with its grade.

    Raises
    ------
    episodes.queries.episodes.EpisodeNotFound
        If the agent has no such episode.
    EpisodeOpen
        If it is not closed as of `now`.
    """
    episode = find_episode(agent=agent, episode_id=episode_id)
    state = state_of(episode, now=now)
    if state is EpisodeState.OPEN:
        raise EpisodeOpen(episode.deadline_at)
    # The clock writes an expiry a little later than it happens.
    overdue = "limit:deadline" if state is EpisodeState.EXPIRED else ""
    return ClosedEpisode(episode, state, episode.cause or overdue, load_score(episode))


def unscored_episodes(*, n_at_once: int) -> Iterator[list[tuple[Episode, SurfaceScore]]]:
    """Yield the delivered episodes without a score under this version, with their grades.

    They come in lists of one task's, at most `n_at_once` long, so that no more are held at a time
    however many trials a task has.
    """
    scored = EpisodeScore.objects.filter(episode=OuterRef("pk"), scoring_version=scoring.VERSION)
    delivered = Episode.objects.filter(~Exists(scored), state=EpisodeState.SUBMITTED)
    for task in Task.objects.filter(pk__in=delivered.values("task")).order_by("pk"):
        surface = truth.surface(task)
        of_task = delivered.filter(task=task).select_related("task", "prediction")
        following = of_task.prefetch_related("measurements").order_by("pk")
        while episodes := list(following[:n_at_once]):
            scores = grade_all(surface, [delivered_table(each) for each in episodes])
            yield list(zip(episodes, scores, strict=True))
            following = following.filter(pk__gt=episodes[-1].pk)
