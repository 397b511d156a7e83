"""The material of the studies, for staff."""

from django.urls import path

from judgments.staff_views import scenarios

app_name = "scenario-desk"

urlpatterns = [
    path("", scenarios.list_page, name="list"),
    path("<slug:slug>/", scenarios.scenario_page, name="scenario"),
]
