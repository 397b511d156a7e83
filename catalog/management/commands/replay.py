"""Recompute the native tables and compare them with the committed ones."""

import json
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.workflows.conditions import CONDITIONS, Condition, UnknownTask, find_condition
from catalog.workflows.environment import environment, single_threaded
from catalog.workflows.replay import Record, replay
from catalog.workflows.source_files import ChangedFile, UnknownFile
from catalog.workflows.tables import (
    Comparison,
    MissingTable,
    compare,
    has_table,
    read_table,
    table_of,
    write_table,
)


@dataclass(frozen=True)
class Replayed:
    """The records of one condition, and what they were computed on."""

    records: list[Record]
    ran_on: dict[str, Any]


def n_processes(text: str) -> int:
    """Return the number of processes: one or more."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be at least 1")
    return number


class Command(BaseCommand):
    """Prints equal or different per record; exits with 1 on a difference that is not known."""

    help = "Recompute the native tables and compare every record with the committed one."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare what is replayed, by how many processes, and what is written."""
        parser.add_argument("--task", metavar="SLUG", help="one task only")
        parser.add_argument("--jobs", type=n_processes, default=1, help="processes (default 1)")
        parser.add_argument(
            "--report", type=Path, metavar="FILE", help="write every record as JSON lines"
        )
        parser.add_argument("--write", action="store_true", help="write tables that are missing")
        parser.add_argument("--force", action="store_true", help="write tables over other ones")

    def handle(
        self,
        *args: object,
        task: str | None,
        jobs: int,
        report: Path | None,
        write: bool,
        force: bool,
        **options: object,
    ) -> None:
        """Replay the chosen conditions, then say how many records are equal."""
        try:
            conditions = list(CONDITIONS.values()) if task is None else [find_condition(task)]
            self._print_environment()
            if report:
                report.write_text("", encoding="utf-8")
            verdicts: Counter[str] = Counter()
            for n_done, replayed in enumerate(computed(conditions, jobs), start=1):
                slug = replayed.records[0].task
                if force or (write and not has_table(slug)):
                    write_table(table_of(slug, replayed.records))
                compared = list(self._print_comparison(replayed.records))
                verdicts.update(comparison.verdict for _, comparison in compared)
                if report:
                    append_lines(report, compared, replayed.ran_on)
                self.stdout.write(f"{slug}: task {n_done} of {len(conditions)} done")
        except (OSError, UnknownTask, UnknownFile, MissingTable, ChangedFile) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{verdicts['equal']} of {verdicts.total()} records equal")
        if verdicts["fragile"]:
            self.stdout.write(f"{verdicts['fragile']} known fragile cells differ on this processor")
        if verdicts["different"]:
            raise CommandError(
                f"{verdicts['different']} records differ from the committed tables; "
                "--force replaces these"
            )

    def _print_environment(self) -> None:
        with single_threaded():
            ran_on = environment()
        self.stdout.write(f"cpu {ran_on['cpu']}")
        for facts in (ran_on["versions"], *ran_on["thread_pools"]):
            self.stdout.write(", ".join(f"{name} {value}" for name, value in facts.items()))

    def _print_comparison(self, records: list[Record]) -> Iterator[tuple[Record, Comparison]]:
        table = read_table(records[0].task)
        for record in records:
            comparison = compare(record, table)
            self.stdout.write(
                f"{record.task} {record.mask} native {record.native_value:.6g}"
                f" utility {record.utility:.6f} {record.prediction_sha256[:12]}"
                f" {record.seconds:.3f} s {comparison}"
            )
            yield record, comparison


def computed(conditions: list[Condition], n_jobs: int) -> Iterator[Replayed]:
    """Yield the records of each condition when they are there, from one or more processes."""
    slugs = [condition.slug for condition in conditions]
    if n_jobs == 1:
        yield from map(records_of, slugs)
        return
    # Fresh processes: a forked one would inherit the thread pools of this one in unknown state.
    with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(records_of, slug) for slug in slugs]):
            yield future.result()


def records_of(slug: str) -> Replayed:
    """Replay one condition by its slug: what a process is handed."""
    records = list(replay(find_condition(slug)))
    with single_threaded():
        return Replayed(records, environment())


def append_lines(
    report: Path, compared: list[tuple[Record, Comparison]], ran_on: dict[str, Any]
) -> None:
    """Write one JSON object a record: outcome, seconds, verdict, and what it was computed on."""
    with report.open("a", encoding="utf-8") as lines:
        for record, comparison in compared:
            verdict = {"verdict": comparison.verdict, "reasons": comparison.reasons}
            lines.write(f"{json.dumps(vars(record) | verdict | ran_on)}\n")
