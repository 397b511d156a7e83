"""Staff look at boards of states; who may see priors sees what every answer is worth."""

from uuid import UUID

import structlog
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from catalog.admin import VIEW_PRIORS, ReadOnlyAdmin
from leaderboards import queries
from leaderboards.models import StateBoard

log = structlog.get_logger(__name__)


@admin.register(StateBoard)
class StateBoardAdmin(ReadOnlyAdmin):
    """Boards lead to their entries, and these to every answer, of sealed states too."""

    list_display = ["slug", "state_set", "interface", "entries_link"]
    list_filter = ["state_set", "interface"]
    list_select_related = ["state_set", "current"]
    search_fields = ["slug"]

    @admin.display(description="answers")
    def entries_link(self, board: StateBoard) -> str:
        if board.current is None:
            return "not computed yet"
        address = reverse("admin:leaderboards_state_entries", args=[board.pk])
        return format_html('<a href="{}">Entries</a>', address)

    def get_urls(self) -> list[URLPattern]:
        """Add the entries of a board, and the answers of an entry."""
        guarded = self.admin_site.admin_view
        return [
            path("<slug:slug>/entries/", guarded(self.entries), name="leaderboards_state_entries"),
            path(
                "<slug:slug>/entries/<uuid:agent_id>/",
                guarded(self.answers),
                name="leaderboards_state_answers",
            ),
            *super().get_urls(),
        ]

    def entries(self, request: HttpRequest, slug: str) -> HttpResponse:
        """Show the board; names lead to their answers."""
        _check_permission(request)
        try:
            reading = queries.find_state_board(slug)
        except queries.BoardNotFound as error:
            raise Http404(str(error)) from error
        context = {"reading": reading, "is_staff_page": True}
        return render(request, "leaderboards/state_board.html", context)

    def answers(self, request: HttpRequest, slug: str, agent_id: UUID) -> HttpResponse:
        """Show every answer with its words and score."""
        _check_permission(request)
        try:
            found = queries.read_sealed_entry(slug, agent_id=agent_id)
        except queries.BoardNotFound as error:
            raise Http404(str(error)) from error
        log.info("sealed_scores_shown", user=request.user.pk, board=slug, agent=str(agent_id))
        context = {"found": found, "is_staff_page": True}
        return render(request, "leaderboards/state_entry.html", context)


def _check_permission(request: HttpRequest) -> None:
    if not request.user.has_perm(VIEW_PRIORS):
        raise PermissionDenied
