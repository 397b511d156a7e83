"""Staff's side of the studies."""

from django.urls import path

from judgments.staff_views import exporting, studies

app_name = "study-desk"

urlpatterns = [
    path("", studies.list_page, name="list"),
    path("<slug:slug>/export/", exporting.export_page, name="export"),
    path("<slug:slug>/export/dictionary/", exporting.dictionary_page, name="export-dictionary"),
]
