"""The numerical controls: what is still to be run, and what the records say together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

import scoring
from catalog import truth
from catalog.models import Disclosure, Release, Task, Track
from leaderboards.control_plan import (
    PLANS,
    Key,
    Plan,
    PlayedTask,
    Trajectory,
    n_seeds,
    trajectories,
)
from leaderboards.metrics import RECOVERY, Figure
from leaderboards.models import ControlRecord
from leaderboards.published_controls import PUBLISHED, PublishedControl
from scoring.intervals import family_macro
from scoring.surfaces import STRICT_TOLERANCES

_HEADLINE = 0.1
_SUMMED = ("effect_recovery", "native_recovery", "exact_choice", "strict")
_SETTING = ("method", "budget_credits", "seed", "spent_credits", "scoring_version")
_FLOATS = (
    "effect_recovery",
    "native_recovery",
    "effect_mae",
    "mean_absolute_effect",
    "interaction_mae",
    "grid_mae",
    "selection_regret",
    "utility_range",
)
_CHOICES = ("exact_choice", "near_choice")
# A control buys known masks: from its errors in full a sealed surface could be solved for.
_SEALED_DECIMALS = 3


@dataclass(frozen=True)
class ControlCell:
    """All records of one method at one budget of a track; without figures until all are there.

    Counts are of tasks; a method with several seeds counts their mean, so a count may be broken.
    """

    budget: int
    method: str
    n_records: int
    n_planned: int
    recovery_score: float | None = None
    native_recovery_score: float | None = None
    exact_count: float | None = None
    strict_counts: Mapping[str, float] | None = None
    published: PublishedControl | None = None

    @property
    def recovery(self) -> Figure:
        """The family-macro recovery with its spellings."""
        return Figure(RECOVERY, self.recovery_score)

    @property
    def native(self) -> Figure:
        """The same in native units."""
        return Figure(RECOVERY, self.native_recovery_score)

    @property
    def strict_count(self) -> float | None:
        """Tasks whose every effect error is within 10 % of the range."""
        return None if self.strict_counts is None else self.strict_counts[str(_HEADLINE)]


@dataclass(frozen=True)
class ControlTable:
    """The controls of one track of one release; a row a method, a cell a budget."""

    release: Release
    track: Track
    n_tasks: int
    budgets: Sequence[int]
    rows: Sequence[tuple[str, Sequence[ControlCell]]]

    @property
    def cells(self) -> list[ControlCell]:
        """All cells, by method, then budget."""
        return [cell for _, row in self.rows for cell in row]

    @property
    def n_records(self) -> int:
        """Records that are there."""
        return sum(cell.n_records for cell in self.cells)

    @property
    def n_planned(self) -> int:
        """Records of the whole plan."""
        return sum(cell.n_planned for cell in self.cells)

    @property
    def compared(self) -> list[ControlCell]:
        """The cells for which the paper gives a figure of its own tables."""
        return [cell for cell in self.cells if cell.published]


def pending_controls(slug: str | None = None) -> list[Trajectory]:
    """Return what gives the records of the plan that current tasks lack, by method.

    Raises
    ------
    catalog.truth.OutcomeMissing
        If a task's outcomes are not loaded whole.
    """
    present: dict[int, set[Key]] = defaultdict(set)
    stored = control_records().values_list("task", "method", "seed", "budget_credits")
    for task_id, method, seed, budget in stored:
        present[task_id].add((method, seed, budget))
    tasks = Task.objects.filter(is_current=True).select_related("source")
    missing = {}
    for task in tasks.filter(slug=slug) if slug else tasks:
        known = present[task.pk]
        if keys := [key for key in PLANS[task.track].record_keys() if key not in known]:
            surface = tuple(truth.surface(task).tolist())
            missing[PlayedTask(task.pk, surface, task.source.family_id)] = keys
    return trajectories(missing)


def control_records() -> QuerySet[ControlRecord]:
    """Return the records of current tasks under the current scoring version, in a total order."""
    records = ControlRecord.objects.filter(scoring_version=scoring.VERSION, task__is_current=True)
    return records.select_related("task").order_by("pk")


def control_tables() -> list[ControlTable]:
    """Return one table per release and track, the newest release first."""
    groups: dict[tuple[str, str], dict[tuple[str, int], list[Any]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in control_records().values_list(
        "task__release_id",
        "task__track",
        "method",
        "budget_credits",
        "task__source_id",
        "task__source__family_id",
        *_SUMMED,
        named=True,
    ):
        group = groups[row.task__release_id, row.task__track]
        group[row.method, row.budget_credits].append(row)
    n_tasks: dict[tuple[str, str], int] = defaultdict(int)
    for release, track in Task.objects.filter(is_current=True).values_list("release_id", "track"):
        n_tasks[release, track] += 1
    return [
        _table(release, track, n_tasks[release.pk, track], groups[release.pk, track])
        for release in Release.objects.all()
        for track in Track
        if n_tasks[release.pk, track]
    ]


def _table(
    release: Release, track: Track, n_tasks: int, rows: Mapping[tuple[str, int], list[Any]]
) -> ControlTable:
    plan: Plan = PLANS[track]
    return ControlTable(
        release=release,
        track=track,
        n_tasks=n_tasks,
        budgets=plan.budgets,
        rows=[
            (
                method,
                [
                    _cell(track, budget, method, rows.get((method, budget), []), n_tasks)
                    for budget in plan.budgets
                ],
            )
            for method in plan.methods
        ],
    )


def _cell(track: str, budget: int, method: str, rows: list[Any], n_tasks: int) -> ControlCell:
    n_planned = n_tasks * n_seeds(method)
    if len(rows) < n_planned:
        return ControlCell(budget, method, len(rows), n_planned)
    sources = [row.task__source_id for row in rows]
    families = [row.task__source__family_id for row in rows]

    def macro(values: list[float | None]) -> float | None:
        defined = [value for value in values if value is not None]
        return family_macro(defined, sources, families).mean if len(defined) == len(rows) else None

    return ControlCell(
        budget=budget,
        method=method,
        n_records=len(rows),
        n_planned=n_planned,
        recovery_score=macro([row.effect_recovery for row in rows]),
        native_recovery_score=macro([row.native_recovery for row in rows]),
        exact_count=sum(row.exact_choice for row in rows) / n_seeds(method),
        strict_counts={
            str(tolerance): sum(row.strict[str(tolerance)] for row in rows) / n_seeds(method)
            for tolerance in STRICT_TOLERANCES
        },
        published=PUBLISHED.get((track, budget, method)),
    )


def controls_table() -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the aggregates as text, for a CSV."""
    header = ["release", "track", "n_tasks", "method", "budget_credits", "n_records", "n_planned"]
    header += ["recovery_score", "native_recovery_score", "exact_count"]
    header += [f"strict_count_{tolerance}" for tolerance in STRICT_TOLERANCES]
    header += ["scoring_version"]
    return header, [
        [
            table.release.pk,
            table.track.value,
            str(table.n_tasks),
            cell.method,
            *map(str, (cell.budget, cell.n_records, cell.n_planned)),
            cell.recovery.full,
            cell.native.full,
            _text(cell.exact_count),
            *(_text((cell.strict_counts or {}).get(str(t))) for t in STRICT_TOLERANCES),
            scoring.VERSION,
        ]
        for table in control_tables()
        for cell in table.cells
    ]


def served_record(record: ControlRecord) -> dict[str, Any]:
    """Return what anybody may read of a record: scores, those of sealed tasks rounded."""
    is_open = record.task.disclosure == Disclosure.OPEN
    floats = {name: getattr(record, name) for name in _FLOATS}
    return {
        "task": record.task.slug,
        "version": record.task.version,
        **{name: getattr(record, name) for name in _SETTING},
        **(floats if is_open else {name: _rounded(value) for name, value in floats.items()}),
        **{name: getattr(record, name) for name in _CHOICES},
        "strict": record.strict,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _SEALED_DECIMALS)


def records_table() -> tuple[list[str], Iterator[list[str]]]:
    """Return header and rows of the served records as text, for a CSV."""
    header = ["task", "version", *_SETTING, *_FLOATS, *_CHOICES]
    header += [f"strict_{tolerance}" for tolerance in STRICT_TOLERANCES]
    return header, (_record_row(served_record(record)) for record in control_records().iterator())


def _record_row(served: dict[str, Any]) -> list[str]:
    strict = served.pop("strict")
    return [
        *(_text(value) for value in served.values()),
        *(_text(strict[str(tolerance)]) for tolerance in STRICT_TOLERANCES),
    ]


def _text(value: object) -> str:
    """Write floats with every digit, booleans in lower case, nothing for None."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
