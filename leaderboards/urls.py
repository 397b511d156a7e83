"""The map of the boards' pages."""

from django.urls import path

from leaderboards import views

app_name = "leaderboards"
urlpatterns = [
    path("", views.board_list, name="list"),
    path("controls/", views.controls, name="controls"),
    path("controls.csv", views.controls_csv, name="controls-csv"),
    path("controls/records.csv", views.control_records_csv, name="control-records-csv"),
    path("<slug:slug>/", views.board, name="board"),
    path("<slug:slug>.csv", views.board_csv, name="csv"),
    path("<slug:slug>/<uuid:agent_id>/", views.entry, name="entry"),
]
