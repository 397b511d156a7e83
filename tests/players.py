"""Rows and steps that the tests of the numerical players start from."""

from datetime import datetime

from catalog.models import Task
from episodes.actions.jobs import Claim, claim_job
from episodes.models import Agent, AgentKind, PlayerJob
from tests.builders import NOW


def make_job(
    task: Task, *, method: str = "design_degree1", budget: int = 8, run: int = 1
) -> PlayerJob:
    """Return a queued job that has no message yet, with the agent that plays it."""
    Agent.objects.get_or_create(name=method, defaults={"kind": AgentKind.PLAYER, "created_at": NOW})
    return PlayerJob.objects.create(
        method=method, task=task, budget_credits=budget, run=run, created_at=NOW
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
