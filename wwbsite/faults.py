"""Answers where no door answers: JSON below /api/, a page elsewhere."""

import sys
from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.csrf import csrf_failure
from django.views.decorators.csrf import csrf_exempt

from judgments.entering import form_expired
from wwbsite import pages
from wwbsite.api import error_body


@csrf_exempt
def unknown_path(request: HttpRequest) -> JsonResponse:
    """Answer for every path below /api/ that is no door."""
    message = "There is nothing at this path. Paths of the API end with a slash."
    return JsonResponse(error_body("not_found", message), status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django refused before it reached a door (handler400)."""
    if not request.path.startswith("/api/"):
        return pages.bad_request(request, exception)
    return JsonResponse(error_body("bad_request", "The request is not valid."), status=400)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose token does not fit; on the path of a study in its language."""
    match = request.resolver_match
    if match and match.namespace == "judgments":
        return form_expired(request, slug=match.kwargs["slug"])
    return csrf_failure(request, reason=reason)


def refuse_unreadable(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse what Django would read as another request than was sent (middleware)."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "HTTP_TRANSFER_ENCODING" in request.META:
            return length_required(request)
        if request.path.startswith("/admin/") and _has_nul(request):
            return pages.bad_request(request, BadRequest())
        return get_response(request)

    return middleware


def _has_nul(request: HttpRequest) -> bool:
    """Tell whether path or query hold what no column can; our own doors refuse it themselves."""
    return "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", "")


def length_required(request: HttpRequest) -> HttpResponse:
    """Answer a body that came in chunks: Django would take it for an empty one."""
    if not request.path.startswith("/api/"):
        return HttpResponse(status=411)
    message = "Send the body with a Content-Length, not in chunks."
    return JsonResponse(error_body("length_required", message), status=411)


def explain_refused_method(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give Django's empty answer to a wrong method the words of a page (middleware)."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code == 405 and not response.content:
            response.content = pages.method_not_allowed_words()
        return response

    return middleware


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer where we failed (handler500, called while the exception is handled)."""
    if _is_database_away(sys.exc_info()[1]):
        return database_away(request)
    if not request.path.startswith("/api/"):
        return pages.server_error(request)
    message = "The fault is ours. Repeat the request, with the same Idempotency-Key if it had one."
    return JsonResponse(error_body("server_error", message), status=500)


# Postgres is going down, was killed, comes up, or takes nobody else; broken connections (08).
_AWAY = ("57P01", "57P02", "57P03", "53300", "08")


def _is_database_away(error: BaseException | None) -> bool:
    """Tell whether there is no connection, not whether a statement failed on one that stands."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state: str | None = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_AWAY)


def database_away(request: HttpRequest) -> HttpResponse:
    """Answer while there is no database."""
    answer: HttpResponse
    if request.path.startswith("/api/"):
        message = (
            "The database does not answer. Repeat the request later, with the same "
            "Idempotency-Key if it had one."
        )
        answer = JsonResponse(error_body("database_away", message), status=503)
    else:
        answer = pages.database_away(request)
    answer["Retry-After"] = str(pages.RETRY_SECONDS)
    return answer
