"""Closed episodes with a recovery that can be read off their table."""

from datetime import timedelta

from catalog.models import Task, Track
from episodes.models import Agent, Episode, PlayerJob, Prediction
from episodes.states import EpisodeState
from scoring.masks import all_masks
from tests.builders import NOW, make_family, make_source, make_task

# Effects 0.5 and 0.75 of A, 0.25 and 0.5 of B: mean absolute effect A = 0.5.
TRUTH = [0.0, 0.25, 0.5, 1.0]
BUDGET = 0


def table_with(recovery: float) -> list[float]:
    """Return a table of TRUTH with this recovery, from 0 to 1.

    The anchors 00 and 11 are overwritten. An error e at mask 01 is in two of four effects, so
    E = e/2 and the recovery is 1 - (e/2)/0.5 = 1 - e; an error at mask 10 adds to it.
    """
    error = 1 - recovery
    at_01 = min(error, 0.75)
    return [0.0, 0.25 + at_01, 0.5 + (error - at_01), 1.0]


def make_tasks(families: dict[str, list[str]], *, track: Track = Track.FOUR_FACTOR) -> list[Task]:
    """Return one task with TRUTH per source: {family: [source, ...]}."""
    return [
        make_task(
            name, truth=TRUTH, source=make_source(name, family=make_family(family)), track=track
        )
        for family, names in families.items()
        for name in names
    ]


def close_episode(
    agent: Agent,
    task: Task,
    recovery: float | None = None,
    *,
    state: EpisodeState = EpisodeState.SUBMITTED,
    cause: str = "",
    minute: int = 0,
    budget: int = BUDGET,
) -> Episode:
    """Return a closed episode; with a recovery it delivered a table that has it."""
    created_at = NOW + timedelta(minutes=minute)
    closed_at = created_at + timedelta(seconds=30)
    episode = Episode.objects.create(
        agent=agent,
        task=task,
        budget_credits=budget,
        state=state,
        cause=cause,
        created_at=created_at,
        deadline_at=created_at + timedelta(minutes=30),
        closed_at=closed_at,
    )
    if recovery is not None:
        table = dict(zip(all_masks(2), table_with(recovery), strict=True))
        Prediction.objects.create(episode=episode, table=table, submitted_at=closed_at)
    return episode


def expire(agent: Agent, task: Task, *, minute: int = 0) -> Episode:
    """Return an episode that delivered nothing by its deadline."""
    return close_episode(
        agent, task, state=EpisodeState.EXPIRED, cause="limit:deadline", minute=minute
    )


def lose(agent: Agent, task: Task, *, minute: int = 0) -> Episode:
    """Return an episode that we lost."""
    return close_episode(agent, task, state=EpisodeState.LOST, cause="worker", minute=minute)


def play_as_job(episode: Episode, *, seed: int) -> PlayerJob:
    """Say that a player's job with this seed played the episode."""
    n_runs = PlayerJob.objects.filter(seed=seed, task=episode.task).count()
    return PlayerJob.objects.create(
        method="random_degree2",
        seed=seed,
        task=episode.task,
        budget_credits=episode.budget_credits,
        run=n_runs + 1,
        state="lost" if episode.state == EpisodeState.LOST else "done",
        episode=episode,
        created_at=episode.created_at,
    )
