"""The pages of what agents do. Grading belongs to a later package: its reader is handed in."""

from django.urls import URLPattern, path

from episodes.reports import LoadReport
from episodes.views import episodes, players, proposals

app_name = "episodes"


def patterns(load_report: LoadReport) -> tuple[list[URLPattern], str]:
    """Return the URL patterns with their namespace, for include()."""
    return [
        path("episodes/", episodes.episode_list, name="list"),
        path("episodes/start/", episodes.start, name="start"),
        path(
            "episodes/<uuid:episode_id>/",
            episodes.detail,
            {"load_report": load_report},
            name="detail",
        ),
        path("episodes/<uuid:episode_id>/measure/", episodes.measure, name="measure"),
        path("episodes/<uuid:episode_id>/fill/", episodes.fill, name="fill"),
        path("episodes/<uuid:episode_id>/predict/", episodes.predict, name="predict"),
        path("states/<slug:slug>/answer/", proposals.propose, name="propose"),
        path("proposals/<uuid:proposal_id>/", proposals.proposal, name="proposal"),
        path("players/", players.players, name="players"),
    ], app_name
