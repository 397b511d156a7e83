"""The map of the catalogue's pages."""

from django.urls import path

from catalog import views

app_name = "catalog"
urlpatterns = [
    path("", views.task_list, name="list"),
    path("effects/", views.effects, name="effects"),
    path("effects/<slug:table>.<slug:suffix>", views.effects_file, name="effects-file"),
    path("<slug:slug>/", views.task_page, name="task"),
    path("<slug:slug>/<slug:version>/", views.task_page, name="version"),
]
