"""Rows and steps that the tests of the numerical players start from."""

from datetime import datetime
from itertools import islice

from catalog.models import Task
from episodes.actions import ledger
from episodes.actions.jobs import Claim, claim_job, open_episode
from episodes.models import Agent, AgentKind, Episode, PlayerJob
from scoring.controls import run_control
from tests.builders import NOW, default_truth


def make_job(
    task: Task, *, method: str = "design_degree1", budget: int = 8, seed: int = 0, run: int = 1
) -> PlayerJob:
    """Return a queued job that has no message yet, with the agent that plays it."""
    Agent.objects.get_or_create(name=method, defaults={"kind": AgentKind.PLAYER, "created_at": NOW})
    return PlayerJob.objects.create(
        method=method, task=task, budget_credits=budget, seed=seed, run=run, created_at=NOW
    )


def claim(job: PlayerJob, *, now: datetime = NOW) -> Claim:
    """Return a claim on a queued job."""
    claimed = claim_job(job_id=job.id, now=now)
    assert claimed is not None
    return claimed


def give_to_newer_attempt(job: PlayerJob) -> Claim:
    """Take a running job from its worker, as the sweep does, and claim it anew."""
    PlayerJob.objects.filter(id=job.id).update(state="queued", lease_until=None)
    return claim(job)


def buy_as_attempt(
    job: PlayerJob, attempt: Claim, n_purchases: int, *, now: datetime = NOW
) -> Episode:
    """Leave the episode of a default task as a worker does that is killed after some purchases."""
    episode = open_episode(claim=attempt, now=now)
    run = run_control(job.method, default_truth(), job.budget_credits, seed=job.seed)
    for number, mask in enumerate(islice(run.purchased, n_purchases), start=1):
        ledger.buy_measurements(
            agent=episode.agent,
            episode_id=episode.id,
            masks=[mask],
            idempotency_key=f"{job.id}:{number}",
            now=now,
        )
    return episode
