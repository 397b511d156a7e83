"""The episodes' part of the API."""

from django.urls import path
from django.views.decorators.cache import never_cache

from episodes import api, proposals_api

urlpatterns = [
    path("episodes/", never_cache(api.EpisodeListView.as_view()), name="episode-list"),
    path("episodes/<uuid:episode_id>/", never_cache(api.EpisodeView.as_view()), name="episode"),
    path(
        "episodes/<uuid:episode_id>/measurements/",
        never_cache(api.MeasurementsView.as_view()),
        name="episode-measurements",
    ),
    path(
        "episodes/<uuid:episode_id>/prediction/",
        never_cache(api.PredictionView.as_view()),
        name="episode-prediction",
    ),
    path("proposals/", never_cache(proposals_api.ProposalListView.as_view()), name="proposal-list"),
    path(
        "proposals/<uuid:proposal_id>/",
        never_cache(proposals_api.ProposalView.as_view()),
        name="proposal",
    ),
]
