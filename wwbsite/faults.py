"""Answers where no door answers: JSON below /api/, a page elsewhere."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

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


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer where we failed (handler500)."""
    if not request.path.startswith("/api/"):
        return pages.server_error(request)
    message = "The fault is ours. Repeat the request, with the same Idempotency-Key if it had one."
    return JsonResponse(error_body("server_error", message), status=500)
