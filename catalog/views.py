"""Pages of the catalogue: the list with its filters, one page a task version, the effects."""

from typing import Any

import django_filters
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog import explorer, pictures, queries
from catalog.effect_tables import TABLES
from catalog.models import Disclosure, Family, Source, Task
from catalog.tabular_files import FORMATS

# Offered to people; the API takes any budget up to 2^d - 2.
BUDGETS = (4, 8, 16, 20, 32)
USUAL_BUDGET = 8


class TotalOrder(django_filters.OrderingFilter):  # type: ignore[misc]  # it has no types
    """An order in which tasks that are equal in it follow their slugs."""

    def filter(self, qs: QuerySet[Task], value: list[str] | None) -> QuerySet[Task]:
        ordered: QuerySet[Task] = super().filter(qs, value)
        return ordered.order_by(*ordered.query.order_by, "slug") if value else ordered


class TaskFilter(django_filters.FilterSet):  # type: ignore[misc]  # it has no types
    """The filters and the order of the list, all in the address."""

    q = django_filters.CharFilter(method="search", label="Search")
    family = django_filters.ModelChoiceFilter(
        field_name="source__family", queryset=Family.objects.all(), empty_label="All families"
    )
    factors = django_filters.ChoiceFilter(
        field_name="n_factors",
        choices=[(4, "Four"), (6, "Six")],
        empty_label="Any number",
    )
    source = django_filters.ModelChoiceFilter(
        queryset=Source.objects.select_related("family"), empty_label="All sources"
    )
    disclosure = django_filters.ChoiceFilter(choices=Disclosure, empty_label="Open and sealed")
    order = TotalOrder(
        fields={
            "slug": "task",
            "source__family__position": "family",
            "n_factors": "factors",
            "source__title": "source",
            "disclosure": "disclosure",
        },
    )

    class Meta:
        model = Task
        fields: list[str] = []

    def search(self, tasks: QuerySet[Task], _name: str, words: str) -> QuerySet[Task]:
        """Keep the tasks that contain every word in slug, title or question."""
        for word in words.split():
            tasks = tasks.filter(
                Q(slug__icontains=word)
                | Q(source__title__icontains=word)
                | Q(question__icontains=word)
            )
        return tasks


@require_safe
def task_list(request: HttpRequest) -> HttpResponse:
    """Show the current tasks that pass the filters of the address."""
    everything = queries.current_tasks()
    filtered = TaskFilter(request.GET, everything)
    tasks = list(filtered.qs)
    return render(
        request,
        "catalog/list.html",
        {
            "form": filtered.form,
            "tasks": tasks,
            "n_all": everything.count(),
            "n_records": sum(task.n_masks for task in tasks),
            "order": request.GET.get("order", ""),
            "is_filtered": any(request.GET.get(name) for name in TaskFilter.base_filters),
        },
    )


@require_safe
def task_page(request: HttpRequest, slug: str, version: str | None = None) -> HttpResponse:
    """Show one version of a task, the current one unless the address names another."""
    versions = queries.task_versions(slug)
    found = [task for task in versions if version is None or task.version == version]
    if not found:
        raise Http404(f"There is no task {slug} of that version.")
    task = found[0]
    context: dict[str, Any] = {
        "task": task,
        "versions": versions,
        "budgets": [budget for budget in BUDGETS if budget <= task.n_masks - 2],
        "usual_budget": USUAL_BUDGET,
        "n_hidden": task.n_masks - len(task.anchors),
    }
    return render(request, "catalog/task.html", context | _pictures(task))


@require_safe
def effects(request: HttpRequest) -> HttpResponse:
    """Show effects, interactions and structure of the open tasks, and counts over all."""
    return render(request, "catalog/effects.html", explorer.show(queries.open_surfaces()))


@require_safe
def effects_file(request: HttpRequest, table: str, suffix: str) -> StreamingHttpResponse:
    """Send one table of the open tasks, or of the one that the address names, as a file."""
    slug = request.GET.get("task")
    if slug is not None and not any(one.task == slug for one in queries.open_surfaces()):
        raise Http404("There is no open task of this name.")
    return explorer.send(
        lambda: (one for one in queries.open_surfaces() if slug in (None, one.task)),
        table=table,
        suffix=suffix,
    )


def _pictures(task: Task) -> dict[str, Any]:
    """Return the pictures that the task's disclosure allows."""
    letters = [factor["letter"] for factor in task.factors]
    surface = queries.open_surface(task)
    if surface is None:
        title = f"What is known of {task.slug} before the first measurement"
        return {"surface": pictures.surface_picture(letters, task.anchors, title=title)}
    summary = surface.summary()
    return {
        "summary": summary,
        "structure": surface.structure(),
        "downloads": tuple(TABLES) if task.is_current else (),
        "formats": FORMATS,
        "best_utility": surface.utilities[summary.best],
        "worst_utility": surface.utilities[summary.worst],
        "surface": pictures.surface_picture(
            letters, surface.utilities, title=f"Response surface of {task.slug}"
        ),
        "effects": pictures.effects_picture(
            summary.factors, surface.factors, title="Effect of each factor on every background"
        ),
        "effect_table": pictures.effect_table(summary.factors),
        "interactions": pictures.interactions_picture(
            letters, summary.pairs, title="Mean interaction of each pair of factors"
        ),
    }
