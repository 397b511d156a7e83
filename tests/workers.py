"""Real Celery workers on a test's own tables."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.db.models import Count

from episodes.models import Episode, PlayerJob

PATIENCE_SECONDS = 120
EVERY_QUEUE = "players,default,sweep"


def environment_of_test(**changes: str) -> dict[str, str]:
    """Return what another process needs to work on this test's tables."""
    address = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    return os.environ | {"DATABASE_URL": address.geturl()} | changes


@contextmanager
def worker(
    environment: dict[str, str], tmp_path: Path, *, queues: str = EVERY_QUEUE, clock: bool = True
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker of two processes, with the clock; killed at the end with all of them."""
    options = ["-Q", queues, "-c", "2", "--without-gossip", "--without-mingle"]
    beat = ["-B", "-s", str(tmp_path / "clock")] if clock else []
    with log_of(tmp_path).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "wwbsite.celery", "worker", *options, *beat],
            env=environment,
            cwd=settings.BASE_DIR,
            stdout=log,
            stderr=log,
            process_group=0,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def log_of(tmp_path: Path) -> Path:
    """Return where the workers of a test write."""
    return tmp_path / "worker.log"


def wait_until(holds: Callable[[], object], what: Callable[[], object]) -> None:
    """Return once `holds`; fail with `what` when patience ends."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < give_up_at, f"waited in vain: {what()}"
        time.sleep(0.01)


def wait_for_jobs(n_jobs: int, **state: object) -> None:
    """Return once that many jobs stand so."""

    def states() -> dict[str, int]:
        return dict(PlayerJob.objects.values_list("state").annotate(Count("id")))

    wait_until(lambda: PlayerJob.objects.filter(**state).count() >= n_jobs, states)


def assert_every_episode_ended_once() -> None:
    """Each job has one submitted episode, whose credits are its purchases and measurements."""
    n_jobs = PlayerJob.objects.count()
    ended = PlayerJob.objects.filter(state="done", episode__state="submitted", run=1)
    assert ended.count() == Episode.objects.count() == n_jobs
    for episode in Episode.objects.prefetch_related("measurements", "purchases"):
        spent = episode.spent_credits
        assert [bought.position for bought in episode.measurements.all()] == [*range(1, spent + 1)]
        assert [bought.charged_credits for bought in episode.purchases.all()] == [1] * spent
