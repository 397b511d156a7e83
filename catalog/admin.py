"""Staff look at the catalogue and change nothing; who has the right to it sees what is hidden."""

import structlog
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from catalog import explorer, queries, state_explorer, truth
from catalog.models import (
    Action,
    Family,
    Release,
    ResearchState,
    Scenario,
    Source,
    StateSet,
    Task,
)

EXPORT_OUTCOMES = "catalog.export_outcomes"
# Django makes it with the table of priors.
VIEW_PRIORS = "catalog.view_stateprior"

log = structlog.get_logger(__name__)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Rows that only `manage.py load_catalog` and `load_scenarios` write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Family)
class FamilyAdmin(ReadOnlyAdmin):
    list_display = ["title", "slug", "position", "native_metric"]


@admin.register(Source)
class SourceAdmin(ReadOnlyAdmin):
    list_display = ["title", "slug", "family", "licence"]
    list_filter = ["family"]
    list_select_related = ["family"]
    search_fields = ["slug", "title"]


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ["slug", "title", "published_at"]


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ["slug", "version", "is_current", "source", "track", "disclosure", "release"]
    list_filter = ["is_current", "disclosure", "track", "provenance", "source__family"]
    list_select_related = ["source", "release"]
    search_fields = ["slug", "version", "question"]

    def get_urls(self) -> list[URLPattern]:
        """Add the effects of all tasks, sealed ones too, and their files."""
        view = self.admin_site.admin_view
        return [
            path("effects/", view(self.effects), name="catalog_effects"),
            path("effects/<slug:table>.<slug:suffix>", view(self.effects_file)),
            *super().get_urls(),
        ]

    def effects(self, request: HttpRequest) -> HttpResponse:
        """Show the explorer with the surfaces of all tasks."""
        _require_outcomes(request)
        context = explorer.show(queries.every_surface(truth.outcomes)) | {"is_staff_page": True}
        return render(request, "catalog/effects.html", context)

    def effects_file(self, request: HttpRequest, table: str, suffix: str) -> StreamingHttpResponse:
        """Send one table of all tasks as a file."""
        _require_outcomes(request)
        log.info("outcomes sent", user=request.user.pk, table=table)
        return explorer.send(
            lambda: queries.every_surface(truth.outcomes), table=table, suffix=suffix
        )


@admin.register(Scenario)
class ScenarioAdmin(ReadOnlyAdmin):
    list_display = ["slug", "title", "domain"]
    list_filter = ["domain"]
    search_fields = ["slug", "title", "question"]


@admin.register(Action)
class ActionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "text"]
    list_filter = ["scenario__domain"]
    search_fields = ["scenario__slug", "text"]


def _require_outcomes(request: HttpRequest) -> None:
    if not request.user.has_perm(EXPORT_OUTCOMES):
        raise PermissionDenied


@admin.register(StateSet)
class StateSetAdmin(ReadOnlyAdmin):
    list_display = ["slug", "title", "disclosure", "version", "published_at"]


@admin.register(ResearchState)
class ResearchStateAdmin(ReadOnlyAdmin):
    list_display = ["slug", "state_set", "budget", "disclosure", "map_link"]
    list_filter = ["state_set", "budget", "disclosure"]
    list_select_related = ["state_set"]
    search_fields = ["slug"]

    @admin.display(description="designs")
    def map_link(self, state: ResearchState) -> str:
        return format_html('<a href="{}">Map</a>', reverse("admin:catalog_map", args=[state.pk]))

    def get_urls(self) -> list[URLPattern]:
        """Add the map of any state, sealed ones too."""
        view = self.admin_site.admin_view(self.map)
        return [path("<slug:slug>/map/", view, name="catalog_map"), *super().get_urls()]

    def map(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Show the page of a state as if it were open."""
        if not request.user.has_perm(VIEW_PRIORS):
            raise PermissionDenied
        try:
            state = queries.find_state(slug)
        except queries.StateNotFound as error:
            raise Http404(str(error)) from error
        log.info("prior shown", user=request.user.pk, state=slug)
        prior = truth.state_priors(state.state_set)[slug]
        context = state_explorer.show(state, prior, request.GET) | {"is_staff_page": True}
        return render(request, "catalog/state.html", context)
