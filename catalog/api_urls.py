"""The catalogue's part of the API."""

from django.urls import path

from catalog import api

urlpatterns = [
    path("tasks/", api.TaskListView.as_view(), name="task-list"),
    path("tasks/<slug:slug>/", api.TaskView.as_view(), name="task"),
    path("states/", api.StateListView.as_view(), name="state-list"),
    path("states/<slug:slug>/", api.StateView.as_view(), name="state"),
]
