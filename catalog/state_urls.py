"""The map of the research states' pages."""

from django.urls import path

from catalog import views

app_name = "states"
urlpatterns = [
    path("", views.state_list, name="list"),
    path("<slug:slug>/", views.state_page, name="state"),
]
