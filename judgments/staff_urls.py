"""Staff's side of the studies."""

from django.urls import path

from judgments.staff_views import studies

app_name = "study-desk"

urlpatterns = [
    path("", studies.list_page, name="list"),
]
