"""Pages that belong to no app: home, methods, API guide, study notice, privacy, errors, health."""

import tomllib
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

import scoring
from catalog.models import Release

SITE_VERSION: str = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text("utf-8"))[
    "project"
]["version"]
# What the shell shows may be this old; it spares every page a query.
SHELL_CACHE_SECONDS = 60


def _current_release() -> str:
    """Return the slug of the newest release, or "" before the catalogue is loaded."""
    return cache.get_or_set(
        "shell-release",
        lambda: Release.objects.values_list("slug", flat=True).first() or "",
        SHELL_CACHE_SECONDS,
    )


def site_context(request: HttpRequest) -> dict[str, Any]:
    """Return what the shell of every page shows; the release is looked up only if it is shown."""
    match = request.resolver_match
    return {
        "section": (match.namespace or match.url_name) if match else "",
        "site_version": SITE_VERSION,
        "scoring_version": scoring.VERSION,
        "release": _current_release,
    }


def home(request: HttpRequest) -> HttpResponse:
    """Show what is measured and lead the four kinds of people on."""
    return render(request, "site/home.html")


def healthz(_request: HttpRequest) -> HttpResponse:
    """Answer whether web and database work, for supervisors."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")
