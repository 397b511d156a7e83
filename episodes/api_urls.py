"""The episodes' part of the API."""

from django.urls import path
from django.views.decorators.cache import never_cache

from episodes import api

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
]
