"""The map of the boards' pages."""

from django.urls import path

from leaderboards import views

app_name = "leaderboards"
urlpatterns = [
    path("", views.board_list, name="list"),
    path("controls/", views.controls, name="controls"),
    path("controls.csv", views.controls_csv, name="controls-csv"),
    path("controls/records.csv", views.control_records_csv, name="control-records-csv"),
    path("states/", views.state_board_list, name="state-boards"),
    path("states/<slug:slug>/", views.state_board, name="state-board"),
    path("states/<slug:slug>.csv", views.state_board_csv, name="state-board-csv"),
    path("states/<slug:slug>/<uuid:agent_id>/", views.state_entry, name="state-entry"),
    path("states/<slug:slug>/<slug:name>/", views.state_baseline, name="state-baseline"),
    path("<slug:slug>/", views.board, name="board"),
    path("<slug:slug>.csv", views.board_csv, name="csv"),
    path("<slug:slug>/<uuid:agent_id>/", views.entry, name="entry"),
]
