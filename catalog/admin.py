"""Staff look at the catalogue and change nothing; what is hidden has no page here at all."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from catalog.models import Action, Family, Release, Scenario, Source, Task


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
