"""The boards' part of the API, and the score that closes an episode's."""

from django.urls import path
from django.views.decorators.cache import never_cache

from leaderboards import api

urlpatterns = [
    path("boards/", api.BoardListView.as_view(), name="board-list"),
    path("boards/<slug:slug>/", api.BoardView.as_view(), name="board"),
    path("controls/", api.ControlListView.as_view(), name="controls"),
    path("controls/records/", api.ControlRecordListView.as_view(), name="control-records"),
    path(
        "episodes/<uuid:episode_id>/score/",
        never_cache(api.ScoreView.as_view()),
        name="episode-score",
    ),
]
