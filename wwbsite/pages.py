"""Pages that belong to no app: home, methods, API guide, privacy, health."""

from typing import Any

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

import scoring


def site_context(_request: HttpRequest) -> dict[str, Any]:
    """Return what the shell of every page shows."""
    return {"scoring_version": scoring.VERSION}


def home(request: HttpRequest) -> HttpResponse:
    """Show what is measured and lead the four kinds of people on."""
    return render(request, "site/home.html")


def healthz(_request: HttpRequest) -> HttpResponse:
    """Answer whether web and database work, for supervisors."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")
