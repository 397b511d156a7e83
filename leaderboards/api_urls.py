"""The boards' part of the API, and the score that closes an episode's."""

from django.urls import path
from django.views.decorators.cache import never_cache

from leaderboards import api, state_boards_api, study_results_api

urlpatterns = [
    path("boards/", api.BoardListView.as_view(), name="board-list"),
    path("boards/<slug:slug>/", api.BoardView.as_view(), name="board"),
    path("state-boards/", state_boards_api.StateBoardListView.as_view(), name="state-board-list"),
    path(
        "state-boards/<slug:slug>/", state_boards_api.StateBoardView.as_view(), name="state-board"
    ),
    path(
        "study-results/", study_results_api.StudyResultsListView.as_view(), name="study-result-list"
    ),
    path(
        "study-results/<slug:slug>/",
        study_results_api.StudyResultsView.as_view(),
        name="study-results",
    ),
    path("controls/", api.ControlListView.as_view(), name="controls"),
    path("controls/records/", api.ControlRecordListView.as_view(), name="control-records"),
    path(
        "episodes/<uuid:episode_id>/score/",
        never_cache(api.ScoreView.as_view()),
        name="episode-score",
    ),
]
