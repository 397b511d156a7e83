"""The episodes' part of the API."""

from django.urls import path

from episodes import api

urlpatterns = [
    path("episodes/", api.EpisodeListView.as_view(), name="episode-list"),
    path("episodes/<uuid:episode_id>/", api.EpisodeView.as_view(), name="episode"),
    path(
        "episodes/<uuid:episode_id>/measurements/",
        api.MeasurementsView.as_view(),
        name="episode-measurements",
    ),
    path(
        "episodes/<uuid:episode_id>/prediction/",
        api.PredictionView.as_view(),
        name="episode-prediction",
    ),
]
