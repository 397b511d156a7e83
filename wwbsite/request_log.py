"""The log lines of requests, without what lets somebody in or says who they are."""

from django.http import HttpRequest
from django.urls import Resolver404, resolve
from django_structlog.middlewares import RequestMiddleware

HIDDEN = "…"


class LogRequests(RequestMiddleware):
    """Logs method and path.

    Never a query, which holds a platform's id of a participant; never the token of a personal link.
    """

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        """Return what a line says of a request."""
        try:
            token = resolve(request.path_info).kwargs.get("token")
        except Resolver404:
            token = None
        path = request.path.replace(token, HIDDEN) if token else request.path
        return f"{request.method} {path}"
