"""The map of the results of a study."""

from django.urls import path

from leaderboards import study_views

app_name = "study-results"
urlpatterns = [
    path("<slug:slug>/results/", study_views.results, name="results"),
    path("<slug:slug>/results.csv", study_views.results_csv, name="csv"),
    path("<slug:slug>/results/<slug:scenario>/", study_views.scenario, name="scenario"),
]
