"""A numerical player at work: it sees what the ledger returns, like any agent, and nothing else."""

from collections.abc import Callable
from datetime import datetime

from episodes.actions import jobs, ledger
from episodes.actions.jobs import Claim
from episodes.models import Episode, PlayerJob
from episodes.queries.episodes import observations
from episodes.states import EpisodeState
from scoring import controls, masks


def play_job(*, claim: Claim, clock: Callable[[], datetime]) -> None:
    """Play the claimed job's episode to its end, from wherever an earlier attempt left it.

    Each purchase follows from the observations before it, and its key from their number: an
    attempt that repeats a purchase of another one is answered from the ledger and charged nothing.

    Raises
    ------
    LeaseLost
        If a newer attempt, or the sweep, has taken the job.
    EpisodeClosed
        If the episode ended without a table, as by its deadline.
    """
    episode = jobs.open_episode(claim=claim, now=clock())
    if episode.state != EpisodeState.SUBMITTED:
        _deliver(claim, episode, clock)
    jobs.finish_job(claim=claim, now=clock())


def _deliver(claim: Claim, episode: Episode, clock: Callable[[], datetime]) -> None:
    job = PlayerJob.objects.select_related("task__source", "episode__agent").get(id=claim.job_id)
    agent, d = episode.agent, job.task.n_factors
    player = controls.start(
        job.method, d, job.budget_credits, seed=job.seed, family=job.task.source.family_id
    )
    observed = observations(episode)
    while (mask := player.next_purchase(observed)) is not None:
        jobs.renew_lease(claim=claim, now=clock())
        bought = ledger.buy_measurements(
            agent=agent,
            episode_id=episode.id,
            masks=[mask],
            idempotency_key=f"{job.id}:{len(observed) - 1}",
            now=clock(),
        )
        observed |= bought.observations
    table = dict(zip(masks.all_masks(d), player.predict(observed).tolist(), strict=True))
    jobs.renew_lease(claim=claim, now=clock())
    ledger.submit_prediction(agent=agent, episode_id=episode.id, predictions=table, now=clock())
