"""Pages that belong to no app: home, methods, API, study notice, privacy, errors, health."""

from datetime import datetime
from functools import cache as once
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import InterfaceError, OperationalError, connection
from django.db.models import Count, F, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from drf_spectacular.generators import SchemaGenerator
from redis.exceptions import RedisError

import scoring
from catalog.models import Family, Release, Task
from episodes.models import Episode
from judgments.queries.desk import open_studies
from leaderboards.models import Standing
from leaderboards.queries import published_studies
from leaderboards.queries.boards import featured_board
from wwbsite import api_reference
from wwbsite.start_faults import require_broker

# The shell's release and the home page's numbers may be this old: it spares every page a query.
CACHE_SECONDS = 60
# While the database is away: it starts in seconds, and recovers from a crash in some more.
RETRY_SECONDS = 30


def site_context(request: HttpRequest) -> dict[str, Any]:
    """Return what the shell of every page shows; the release is looked up only if it is shown."""
    match = request.resolver_match
    return {
        "section": (match.namespace or match.url_name) if match else "",
        "release": _current_release,
        **_shell_without_database(),
    }


def _shell_without_database() -> dict[str, Any]:
    return {
        "site_version": settings.SITE_VERSION,
        "scoring_version": scoring.VERSION,
        "request_id": structlog.contextvars.get_contextvars().get("request_id", ""),
    }


def _current_release() -> str:
    """Return the slug of the newest release, or "" before the catalogue is loaded."""
    newest = Release.objects.values_list("slug", flat=True)
    return cache.get_or_set("shell-release", lambda: newest.first() or "", CACHE_SECONDS) or ""


def home(request: HttpRequest) -> HttpResponse:
    """Show what is measured and lead the four kinds of people on."""
    context = {
        "figures": cache.get_or_set("home-figures", _figures, CACHE_SECONDS),
        "featured": featured_board(),
    }
    return render(request, "site/home.html", context)


def _figures() -> list[dict[str, Any]]:
    """Return the three numbers of the home page, each with the time of its newest fact."""
    tasks = Task.objects.filter(is_current=True).aggregate(
        number=Count("pk"), as_of=Max("published_at")
    )
    episodes = Episode.objects.filter(closed_at__isnull=False).aggregate(
        number=Count("pk"), as_of=Max("closed_at")
    )
    entries = Standing.objects.filter(
        computation=F("computation__board__current"),
        rank__isnull=False,
    ).aggregate(
        number=Count("agent", distinct=True),
        as_of=Max("computation__facts_until"),
    )
    return [
        _figure(tasks, "task", "tasks"),
        _figure(episodes, "closed episode", "closed episodes"),
        _figure(entries, "ranked entry", "ranked entries"),
    ]


def _figure(counted: dict[str, Any], singular: str, plural: str) -> dict[str, Any]:
    number: int = counted["number"]
    as_of: datetime | None = counted["as_of"]
    return {"number": number, "label": singular if number == 1 else plural, "as_of": as_of}


def methods(request: HttpRequest) -> HttpResponse:
    """Define every number of the site, with formulas."""
    return render(request, "site/methods.html", {"families": Family.objects.all()})


def study(request: HttpRequest) -> HttpResponse:
    """Lead to the studies that are open and to results, or say that there are none."""
    page = {"studies": open_studies("en"), "published": published_studies()}
    return render(request, "site/study.html", page)


def privacy(request: HttpRequest) -> HttpResponse:
    """Say what is stored about whom."""
    return render(request, "site/privacy.html")


def api_guide(request: HttpRequest) -> HttpResponse:
    """Show one whole episode as a program that runs as printed."""
    context = {
        "site_url": request.build_absolute_uri("/").rstrip("/"),
        "rates": settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"],
        "episode_seconds": settings.EPISODE_SECONDS,
        "body_bytes": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    }
    return render(request, "site/api_guide.html", context)


@once
def _api_operations() -> tuple[api_reference.Operation, ...]:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return api_reference.operations(document)


def api_docs(request: HttpRequest) -> HttpResponse:
    """Print the OpenAPI document as a page."""
    return render(request, "site/api_reference.html", {"operations": _api_operations()})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django refused to parse."""
    return _fault_page("400.html", status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer after a fault of ours, without the database, which may be what failed."""
    return _fault_page("500.html", status=500)


def database_away(request: HttpRequest) -> HttpResponse:
    """Answer while there is no database."""
    return _fault_page("503.html", status=503)


def method_not_allowed_words() -> str:
    """Return the page for an address of a form that was opened, or of a page that was posted to."""
    return render_to_string("405.html", _shell_without_database())


def _fault_page(template: str, *, status: int) -> HttpResponse:
    return HttpResponse(render_to_string(template, _shell_without_database()), status=status)


def healthz(_request: HttpRequest) -> HttpResponse:
    """Answer whether web and database work, for supervisors.

    Without the broker they do work: a new start of web would not bring it back.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (InterfaceError, OperationalError):
        headers = {"Retry-After": str(RETRY_SECONDS)}
        return HttpResponse("database away", "text/plain", status=503, headers=headers)
    return HttpResponse(f"ok{_lacks_broker()}", content_type="text/plain")


def _lacks_broker() -> str:
    try:
        require_broker()
    except RedisError:
        return ", without the broker: jobs wait and rates go uncounted"
    return ""
