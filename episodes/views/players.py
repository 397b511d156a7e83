"""The page that shows how far the numerical players are."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from episodes.queries.players import Panel, list_panels, panel_progress

_PAGE, _PROGRESS = "episodes/players.html", "episodes/_players_progress.html"


@never_cache
@require_safe
def players(request: HttpRequest) -> HttpResponse:
    """Show one panel, the newest unless the address names another; htmx asks for its table only."""
    panels = list_panels()
    asked = request.GET.get("panel")
    if not panels and asked is None:
        return render(request, _PAGE)
    progress = panel_progress(_find(panels, asked))
    context = {
        "panels": panels,
        "progress": progress,
        # In words, so that a long name can break between them.
        "columns": [method.split("_") for method in progress.methods],
    }
    polls = request.headers.get("HX-Request") == "true"
    return render(request, _PROGRESS if polls else _PAGE, context)


def _find(panels: list[Panel], key: str | None) -> Panel:
    """Return the panel of that key, the newest without one.

    Raises
    ------
    Http404
        If nothing was asked for under that key.
    """
    if key is None:
        return panels[0]
    for panel in panels:
        if panel.key == key:
            return panel
    raise Http404("No players were asked for under this budget and view.")
