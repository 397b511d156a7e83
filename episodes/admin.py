"""Staff hand out and revoke keys; what agents did they can only look at."""

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.cache import never_cache

from catalog.admin import ReadOnlyAdmin
from episodes.actions.agents import AgentRefused, IssuedKey, issue_key, revoke_key
from episodes.actions.players import enqueue_players
from episodes.models import (
    Agent,
    AgentKey,
    Episode,
    Measurement,
    PlayerJob,
    Prediction,
    Purchase,
    Scope,
    View,
)
from episodes.states import JobState

_UTILITIES = "episodes.view_utilities"


class IssueKeyForm(forms.Form):
    """A key's name, scopes and days."""

    name = forms.CharField(max_length=80)
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=Scope.values, widget=forms.CheckboxSelectMultiple
    )
    days = forms.IntegerField(initial=365, min_value=1)


@admin.register(Agent)
class AgentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Agents are made by `manage.py create_agent`; here they get keys or are switched off."""

    list_display = ["name", "kind", "is_active", "created_at", "issue_key_link"]
    list_filter = ["kind", "is_active"]
    search_fields = ["name"]
    fields = ["name", "kind", "description", "is_active", "created_at", "issue_key_link"]
    readonly_fields = ["name", "kind", "created_at", "issue_key_link"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        return False

    @admin.display(description="new key")
    def issue_key_link(self, agent: Agent) -> str:
        address = reverse("admin:episodes_agent_issue_key", args=[agent.pk])
        return format_html('<a href="{}">Issue a key</a>', address)

    def get_urls(self) -> list[URLPattern]:
        issue = self.admin_site.admin_view(never_cache(self.issue_key_view))
        name = "episodes_agent_issue_key"
        return [path("<uuid:agent_id>/issue-key/", issue, name=name), *super().get_urls()]

    def issue_key_view(self, request: HttpRequest, agent_id: str) -> HttpResponse:
        """Issue a key and show it in this one reply: not in a message, which would be stored."""
        if not request.user.has_perm("episodes.add_agentkey"):
            raise PermissionDenied
        agent = get_object_or_404(Agent, pk=agent_id)
        form = IssueKeyForm(request.POST or None)
        issued = _issue(agent, form) if form.is_valid() else None
        context = {
            **self.admin_site.each_context(request),
            "title": f"Issue a key to {agent}",
            "opts": self.opts,
            "agent": agent,
            "form": form,
            "issued": issued,
        }
        return TemplateResponse(request, "admin/episodes/agent/issue_key.html", context)


def _issue(agent: Agent, form: IssueKeyForm) -> IssuedKey | None:
    try:
        return issue_key(agent=agent, now=timezone.now(), **form.cleaned_data)
    except AgentRefused as error:
        form.add_error(None, str(error))
        return None


@admin.register(AgentKey)
class AgentKeyAdmin(ReadOnlyAdmin):
    """Keys without their secrets."""

    list_display = ["prefix", "agent", "name", "scopes", "expires_at", "revoked_at", "last_used_at"]
    list_filter = ["revoked_at"]
    list_select_related = ["agent"]
    search_fields = ["agent__name", "name", "prefix"]
    exclude = ["digest"]
    actions = ["revoke"]

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("episodes.change_agentkey")

    @admin.action(description="Revoke the selected keys", permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: "QuerySet[AgentKey]") -> None:
        now = timezone.now()
        for key in keys:
            revoke_key(key=key, now=now)
        self.message_user(request, f"{len(keys)} keys revoked.", messages.SUCCESS)


@admin.register(Episode)
class EpisodeAdmin(ReadOnlyAdmin):
    list_display = ["id", "agent", "task", "budget_credits", "spent_credits", "state", "created_at"]
    list_filter = ["state", "view", "budget_credits", "agent__kind"]
    list_select_related = ["agent", "task"]
    search_fields = ["id", "agent__name", "task__slug"]


@admin.register(Purchase)
class PurchaseAdmin(ReadOnlyAdmin):
    list_display = ["id", "episode", "masks", "charged_credits", "remaining_credits", "created_at"]
    search_fields = ["episode__id"]


class WithUtilitiesAdmin(ReadOnlyAdmin):
    """Rows that hold utilities: only for those who may see what sealed tasks hide."""

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm(_UTILITIES)


@admin.register(Measurement)
class MeasurementAdmin(WithUtilitiesAdmin):
    list_display = ["episode", "position", "mask", "utility"]
    search_fields = ["episode__id"]


@admin.register(Prediction)
class PredictionAdmin(WithUtilitiesAdmin):
    list_display = ["episode", "submitted_at"]
    search_fields = ["episode__id"]


@admin.register(PlayerJob)
class PlayerJobAdmin(ReadOnlyAdmin):
    """Jobs with the cause of their last failure; a lost one can be asked for again."""

    list_display = ["id", "method", "seed", "task", "budget_credits", "run", "state", "cause"]
    list_filter = ["state", "method", "budget_credits", "view"]
    list_select_related = ["task"]
    search_fields = ["id", "task__slug"]
    actions = ["run_again"]

    def has_run_again_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("episodes.add_playerjob")

    @admin.action(description="Run the selected lost jobs again", permissions=["run_again"])
    def run_again(self, request: HttpRequest, jobs: "QuerySet[PlayerJob]") -> None:
        now = timezone.now()
        n_again = sum(
            enqueue_players(
                budget=job.budget_credits,
                tasks=[job.task],
                methods=[job.method],
                seeds=[job.seed],
                view=View(job.view),
                now=now,
            ).n_again
            for job in jobs.filter(state=JobState.LOST).select_related("task__source")
        )
        self.message_user(request, f"{n_again} lost jobs run again.", messages.SUCCESS)
