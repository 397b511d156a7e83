"""The map of the boards' pages."""

from django.urls import path

from leaderboards import views

app_name = "leaderboards"
urlpatterns = [
    path("", views.board_list, name="list"),
    path("<slug:slug>/", views.board, name="board"),
    path("<slug:slug>.csv", views.board_csv, name="csv"),
    path("<slug:slug>/<uuid:agent_id>/", views.entry, name="entry"),
]
