"""The map of the catalogue's pages."""

from django.urls import path

from catalog import views

app_name = "catalog"
urlpatterns = [
    path("", views.task_list, name="list"),
    path("<slug:slug>/", views.task_page, name="task"),
    path("<slug:slug>/<slug:version>/", views.task_page, name="version"),
]
