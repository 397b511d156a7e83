"""The effects explorer: what a door shows and sends of the surfaces that it may read."""

from collections.abc import Callable, Iterable
from typing import Any

from django.http import Http404, StreamingHttpResponse

from catalog import pictures, queries
from catalog.effect_tables import RELEASE_STRUCTURE, TABLES, TaskSurface
from catalog.models import ReleaseStructure
from catalog.pictures.effects import FLOOR_WORDS
from catalog.tabular_files import FORMATS
from catalog.two_switch import BUDGET_CREDITS, METHOD, SMALL_RECOVERY, find_example

DOWNLOADS = (*TABLES, RELEASE_STRUCTURE)
THIN_SPACE = "\N{THIN SPACE}"
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
# The floor at which an effect has a sign at all is no share of the range.
FLOORS = ("1e-12", *FLOOR_WORDS[1:])


def show(surfaces: Iterable[TaskSurface]) -> dict[str, Any]:
    """Return the context of the explorer page."""
    every = {surface.task: surface for surface in surfaces}
    summaries = {slug: surface.summary() for slug, surface in every.items()}
    structures = {slug: surface.structure() for slug, surface in every.items()}
    examples = {
        slug: example for slug, surface in every.items() if (example := find_example(surface))
    }
    context: dict[str, Any] = {
        "surfaces": every,
        "tasks": [
            (task, structures.get(task.slug))
            for task in queries.current_tasks().select_related("scale", "source__family")
        ],
        "releases": [
            (
                found.release,
                counts(found),
                percent(found.median_higher_order_share),
                reversals(found),
            )
            for found in queries.release_structures()
        ],
        "floors": FLOORS,
        "examples": sorted(examples.items(), key=lambda item: item[1].recovery),
        "method": METHOD,
        "budget": BUDGET_CREDITS,
        "small_recovery": SMALL_RECOVERY,
        "downloads": DOWNLOADS,
        "formats": FORMATS,
    }
    if every:
        context |= {
            "effects": pictures.task_effects_picture(summaries),
            "interactions": pictures.task_interactions_picture(summaries),
            "orders": pictures.orders_picture(structures),
        }
    return context


def percent(share: float | None) -> str:
    """Return a share with one decimal; what is undefined has no words."""
    return "" if share is None else f"{100 * share:.1f}{NO_BREAK_SPACE}%"


def counts(found: ReleaseStructure) -> list[tuple[str, str]]:
    """Return what a release holds, as printed number and words."""
    return [
        (f"{number:,}".replace(",", THIN_SPACE), words)
        for number, words in (
            (found.n_tasks, "tasks"),
            (found.n_records, "records"),
            (found.n_effects, "conditional effects"),
            (found.n_interactions, "mean pair interactions"),
        )
    ]


def reversals(found: ReleaseStructure) -> pictures.Table:
    """Return how many tasks and factors of a release reverse at each floor."""
    return pictures.Table(
        header=("Both signs above", "Tasks", "Share", "Factors", "Share"),
        rows=tuple(
            (
                floor,
                f"{n_tasks} of {found.n_tasks}",
                percent(n_tasks / found.n_tasks),
                f"{n_factors} of {found.n_factors}",
                percent(n_factors / found.n_factors),
            )
            # Of a release of few tasks nothing is stored, and there is no row.
            for floor, n_tasks, n_factors in zip(
                FLOORS, found.n_reversing, found.n_factors_reversing, strict=False
            )
        ),
    )


def send(
    surfaces: Callable[[], Iterable[TaskSurface]], *, table: str, suffix: str
) -> StreamingHttpResponse:
    """Return one table as a file, a block of rows at a time.

    Raises
    ------
    Http404
        If there is no such table or format.
    """
    found = {
        known.name: (known, rows) for known, rows in queries.flat_tables(surfaces).items()
    }.get(table)
    if found is None or suffix not in FORMATS:
        raise Http404(f"There is no table {table} as {suffix}.")
    known, rows = found
    return StreamingHttpResponse(
        FORMATS[suffix].encode(known, rows()),
        content_type=FORMATS[suffix].media_type,
        headers={"Content-Disposition": f'attachment; filename="{table}.{suffix}"'},
    )
