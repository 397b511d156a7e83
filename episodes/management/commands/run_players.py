"""`manage.py run_players --budget 8`: let the numerical players play the tasks."""

import time
from argparse import ArgumentParser
from collections.abc import Sequence

from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from catalog.models import Task
from episodes.actions.players import BudgetTooLarge, PlayerNameTaken, enqueue_players
from episodes.models import View
from episodes.queries.players import Panel, panel_progress
from scoring.controls import METHODS

_PING_SECONDS = 5.0
_POLL_SECONDS = 1.0
_MAX_SEEDS = 1000  # each is a job a task


class Command(BaseCommand):
    """Enqueue players; what was asked already is not repeated, what was lost runs again."""

    help = "Enqueue the numerical players: every method on every current task, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--budget", type=int, required=True, help="credits per episode")
        parser.add_argument(
            "--task", action="append", dest="slugs", metavar="SLUG", help="this task only"
        )
        parser.add_argument(
            "--method", action="append", dest="methods", choices=METHODS, help="this method only"
        )
        parser.add_argument("--seeds", type=int, default=20, help="orders of random_degree2")
        parser.add_argument("--view", choices=View.values, default=View.FULL)
        parser.add_argument("--wait", action="store_true", help="until every job has ended")

    def handle(
        self,
        *args: object,
        budget: int,
        slugs: list[str] | None,
        methods: list[str] | None,
        seeds: int,
        view: str,
        wait: bool,
        **options: object,
    ) -> None:
        if budget < 0 or not 1 <= seeds <= _MAX_SEEDS:
            raise CommandError(f"--budget must be at least 0 and --seeds from 1 to {_MAX_SEEDS}.")
        panel = Panel(budget, view)
        try:
            enqueued = enqueue_players(
                budget=budget,
                tasks=_current_tasks(slugs),
                methods=methods or METHODS,
                seeds=range(seeds),
                view=View(view),
                now=timezone.now(),
            )
        except (BudgetTooLarge, PlayerNameTaken) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{enqueued.n_new} jobs queued, {enqueued.n_again} queued again after a loss, "
            f"{enqueued.n_present} there already."
        )
        address = f"{settings.SITE_URL}{reverse('episodes:players')}?panel={panel.key}"
        self.stdout.write(f"Progress: {address}")
        if wait:
            self._wait(panel)

    def _wait(self, panel: Panel) -> None:
        """Show the counts as they change; fail if a job was lost."""
        shown, checked = "", False
        while True:
            total = panel_progress(panel).total
            line = (
                f"{total.n_done} done, {total.n_running} running, {total.n_queued} queued, "
                f"{total.n_lost} lost"
            )
            if line != shown:
                self.stdout.write(line)
                shown = line
            if total.is_over:
                break
            if not checked:
                _require_worker()
                checked = True
            time.sleep(_POLL_SECONDS)
        if total.n_lost:
            raise CommandError(f"{total.n_lost} jobs were lost; the progress page says why.")


def _require_worker() -> None:
    """Refuse to wait for nobody: without the site there is a database, but no worker."""
    if not current_app.control.ping(timeout=_PING_SECONDS, limit=1):
        raise CommandError(
            "No worker answers, so the jobs wait in the queue: they run when the site does "
            "(`make run`)."
        )


def _current_tasks(slugs: Sequence[str] | None) -> list[Task]:
    """Return the current tasks, or those asked for."""
    tasks = Task.objects.filter(is_current=True).select_related("source")
    if slugs is None:
        return list(tasks)
    found = {task.slug: task for task in tasks.filter(slug__in=slugs)}
    if missing := [slug for slug in slugs if slug not in found]:
        raise CommandError(f"There is no current task {', '.join(missing)}.")
    return list(found.values())
