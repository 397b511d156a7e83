"""Pages of boards: the list, one board, and what stands behind one entry."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards import queries
from leaderboards.exports import write_csv
from leaderboards.forms import BoardForm, columns, read_rival


@require_safe
def board_list(request: HttpRequest) -> HttpResponse:
    """Show every board with its top entry, and the way to the results of studies."""
    context = {
        "readings": queries.read_boards(queries.published_boards()),
        "studies": queries.published_studies(),
    }
    return render(request, "leaderboards/list.html", context)


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one board."""
    search, order = BoardForm(request.GET).read()
    try:
        reading = queries.read_board(slug, search=search, order=order)
    except queries.BoardNotFound as error:
        raise Http404(str(error)) from error
    context = {
        "reading": reading,
        "columns": columns(order),
        "search": search,
        "order": order,
        "n_open_episodes": queries.count_open_episodes(reading.board),
        "n_open_tasks": queries.count_open_tasks(reading.board),
    }
    return render(request, "leaderboards/board.html", context)


@require_safe
def board_csv(_request: HttpRequest, slug: str) -> HttpResponse:
    """Send one board as a table with every digit."""
    try:
        reading = queries.read_board(slug)
    except queries.BoardNotFound as error:
        raise Http404(str(error)) from error
    return _csv(slug, *queries.board_table(reading))


@require_safe
def state_board_list(request: HttpRequest) -> HttpResponse:
    """Show every board of research states."""
    readings = [
        queries.StateBoardReading(board, board.current)
        for board in queries.published_state_boards()
        if board.current
    ]
    return render(request, "leaderboards/state_boards.html", {"readings": readings})


@require_safe
def state_board(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one board of research states."""
    return render(request, "leaderboards/state_board.html", {"reading": _find_state_board(slug)})


@require_safe
def state_board_csv(_request: HttpRequest, slug: str) -> HttpResponse:
    """Send one board of research states as a table with every digit."""
    return _csv(slug, *queries.state_board_table(_find_state_board(slug)))


@require_safe
def state_entry(request: HttpRequest, slug: str, agent_id: UUID) -> HttpResponse:
    """Show every answer behind an agent's numbers, and its score where the state is open."""
    try:
        found = queries.read_state_entry(slug, agent_id=agent_id)
    except queries.BoardNotFound as error:
        raise Http404(str(error)) from error
    return render(request, "leaderboards/state_entry.html", {"found": found})


@require_safe
def state_baseline(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show what a baseline runs in every open state."""
    try:
        found = queries.read_baseline(slug, name=name)
    except queries.BoardNotFound as error:
        raise Http404(str(error)) from error
    return render(request, "leaderboards/state_entry.html", {"found": found})


def _find_state_board(slug: str) -> queries.StateBoardReading:
    try:
        return queries.find_state_board(slug)
    except queries.BoardNotFound as error:
        raise Http404(str(error)) from error


@require_safe
def controls(request: HttpRequest) -> HttpResponse:
    """Show what the numerical controls reach, by track, method and budget."""
    return render(request, "leaderboards/controls.html", {"tables": queries.control_tables()})


@require_safe
def controls_csv(_request: HttpRequest) -> HttpResponse:
    """Send the controls' means and counts with every digit."""
    return _csv("controls", *queries.controls_table())


@require_safe
def control_records_csv(_request: HttpRequest) -> HttpResponse:
    """Send every control record with every digit."""
    return _csv("control-records", *queries.records_table())


def _csv(name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> HttpResponse:
    response = HttpResponse(write_csv(header, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@require_safe
def entry(request: HttpRequest, slug: str, agent_id: UUID) -> HttpResponse:
    """Show the episodes, rules and digest behind an entry's numbers."""
    try:
        reading, found = queries.read_entry(slug, agent_id=agent_id)
    except queries.BoardNotFound as error:
        raise Http404(str(error)) from error
    rivals = queries.list_rivals(reading, agent_id=agent_id)
    rival = read_rival(request.GET, rivals)
    context = {
        "reading": reading,
        "entry": found,
        "rivals": rivals,
        "rival": rival,
        "comparison": queries.compare_entries(reading, agent_id=agent_id, rival=rival)
        if rival
        else None,
        "trials": queries.list_trials(reading, agent_id=agent_id),
    }
    return render(request, "leaderboards/entry.html", context)
