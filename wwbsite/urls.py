"""The map of URLs."""

from django.contrib import admin
from django.urls import path

from wwbsite import pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("healthz", pages.healthz, name="healthz"),
    path("admin/", admin.site.urls),
]
