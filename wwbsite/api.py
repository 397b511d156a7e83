"""What every API door shares: keys, scopes, strict JSON, rates, pages, one error shape."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import Model, QuerySet
from django.http import Http404
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.pagination import CursorPagination
from rest_framework.parsers import BaseParser
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle

from catalog.queries import StateNotFound, TaskNotFound
from episodes.actions.agents import note_key_use
from episodes.actions.ledger import IdempotencyKeyReused
from episodes.actions.proposals import ProposalKeyReused, RepetitionsExceeded
from episodes.budget import BudgetExceeded, BudgetOutOfRange, IllegalMasks
from episodes.models import Agent, AgentKey, Scope
from episodes.predictions import InvalidPredictions, Repeated
from episodes.queries.episodes import EpisodeNotFound
from episodes.queries.keys import KeyRefused, find_active_key
from episodes.queries.proposals import ProposalNotFound
from episodes.states import EpisodeClosed
from leaderboards.queries import BoardNotFound, EpisodeOpen, ResultsNotFound

if TYPE_CHECKING:
    # rest_framework.views imports this module to read the defaults of its views.
    from rest_framework.views import APIView

Row = TypeVar("Row", bound=Model)

# What the domain refuses, and how HTTP says it. Each class brings `code` and `details`.
STATUS_OF: dict[type[Exception], int] = {
    BudgetOutOfRange: 400,
    BudgetExceeded: 402,
    BoardNotFound: 404,
    EpisodeNotFound: 404,
    ProposalNotFound: 404,
    ResultsNotFound: 404,
    StateNotFound: 404,
    TaskNotFound: 404,
    EpisodeClosed: 409,
    EpisodeOpen: 409,
    IdempotencyKeyReused: 409,
    ProposalKeyReused: 409,
    RepetitionsExceeded: 409,
    IllegalMasks: 422,
    InvalidPredictions: 422,
}


# --- Who asks, and what may they do ---------------------------------------------------------
class AgentKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`; a key anywhere else, such as in the URL, is no key."""

    def authenticate(self, request: Request) -> tuple[Agent, AgentKey] | None:
        """Return the agent and its key, or None without the header."""
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        scheme, _, text = header.partition(" ")
        if scheme.lower() != "bearer":
            raise exceptions.AuthenticationFailed(
                "Send `Authorization: Bearer <key>`.", "not_bearer"
            )
        now = timezone.now()
        try:
            key = find_active_key(text.strip(), now=now)
        except KeyRefused as error:
            raise exceptions.AuthenticationFailed(str(error), error.code) from None
        note_key_use(key=key, now=now)
        return key.agent, key

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401."""
        return "Bearer"


class HasScope(BasePermission):
    """Reading needs a key with `episodes:read`, everything else one with `episodes:write`."""

    code = "missing_scope"

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Tell whether the key has the scope of the method."""
        scope = Scope.READ if request.method in SAFE_METHODS else Scope.WRITE
        self.message = f"This needs a key with the scope {scope.value}."
        key = cast(AgentKey | None, request.auth)
        return key is not None and scope in key.scopes


# --- How often ------------------------------------------------------------------------------
class KeyRateThrottle(SimpleRateThrottle):
    """Counts the requests of one key."""

    scope = "key"

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        """Return the counter's name, or None for a request without a key."""
        if request.auth is None:
            return None
        return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}


class AddressRateThrottle(SimpleRateThrottle):
    """Counts the requests without a key from one network address."""

    scope = "address"

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        """Return the counter's name, or None for a request with a key."""
        if request.auth is not None:
            return None
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class RefusalRateThrottle(SimpleRateThrottle):
    """Counts the replies 401 to one network address.

    Keys are checked before rates, so no other rate sees them. A valid key is never held up by what
    others behind the same address send.
    """

    scope = "refusals"

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        """Return the counter's name."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


# --- What a body may be ---------------------------------------------------------------------
class BodyTooLarge(exceptions.APIException):
    """The body is larger than any that an agent needs."""

    status_code = 413
    default_code = "body_too_large"
    default_detail = f"The body may have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE} bytes."


# Our bodies have three; Python's own limit depends on where it is reached.
MAX_LEVELS = 16


class StrictJSONParser(BaseParser):
    """Reads one JSON object in UTF-8.

    A key sent twice below the top level stays findable as `Repeated`; numbers that no double
    holds (NaN, Infinity, 1e400) become non-finite floats. The doors say what they think of both.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the object, or refuse the body with a reason."""
        maximum = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(maximum + 1)
        if len(body) > maximum:
            raise BodyTooLarge
        try:
            value = json.loads(body.decode("utf-8"), object_pairs_hook=_object_of)
        except UnicodeDecodeError:
            raise exceptions.ParseError("The body is not UTF-8.", "invalid_utf8") from None
        except (ValueError, RecursionError):
            raise exceptions.ParseError("The body is not JSON.", "invalid_json") from None
        if not isinstance(value, dict):
            raise exceptions.ParseError("The body must be a JSON object.", "not_an_object")
        if not all(map(_is_storable, _texts_in(value, levels=MAX_LEVELS))):
            raise exceptions.ParseError(
                "Text may hold neither NUL characters nor lone surrogates.", "invalid_text"
            )
        if repeated := [key for key, item in value.items() if isinstance(item, Repeated)]:
            raise exceptions.ValidationError({key: ["was sent twice"] for key in repeated})
        return value


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        found[key] = Repeated() if key in found else value
    return found


def _texts_in(value: object, *, levels: int) -> Iterator[str]:
    """Yield every string of a parsed body, keys included."""
    if levels == 0:
        raise exceptions.ParseError("The body is nested too deeply.", "invalid_json")
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts_in(item, levels=levels - 1)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item, levels=levels - 1)


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


# --- Lists ----------------------------------------------------------------------------------
class Pages(CursorPagination):
    """Keyset pages over the query's own order, which must be total: rows move between none."""

    page_size_query_param = "limit"
    max_page_size = 200

    def get_ordering(
        self, request: Request, queryset: QuerySet[Any], view: "APIView | None"
    ) -> tuple[str, ...]:
        """Return the order that the query states."""
        return cast(tuple[str, ...], queryset.query.order_by)

    def get_page_size(self, request: Request) -> int | None:
        """Return the rows a page, as many as were asked for up to the maximum."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is not None and not re.fullmatch("0*[1-9][0-9]{0,8}", asked):
            reason = f"must be a whole number from 1; a page has at most {self.max_page_size} rows"
            raise exceptions.ValidationError({self.page_size_query_param: [reason]})
        return super().get_page_size(request)

    def paginate_queryset(  # type: ignore[override]  # only queries have a total order here
        self, queryset: QuerySet[Row], request: Request, view: "APIView | None" = None
    ) -> list[Row] | None:
        """Return the rows of the page that the cursor names; an invented cursor names none."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (exceptions.NotFound, ValidationError, DataError, ValueError):
            raise exceptions.NotFound("There is no such page.") from None


# --- Errors ---------------------------------------------------------------------------------
def error_body(code: str, message: str, details: object = None) -> dict[str, Any]:
    """Return the one shape of an error."""
    return {"error": {"code": code, "message": message, "details": details or {}}}


def handle_exception(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return the reply to a refused request, or None if the fault is ours."""
    if status := STATUS_OF.get(type(error)):
        refusal: Any = error
        return Response(error_body(refusal.code, str(error), refusal.details), status=status)
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if not isinstance(error, exceptions.APIException):
        return None
    if error.status_code == exceptions.NotAuthenticated.status_code:
        error = _throttled(context) or error
    return Response(_body_of(error), status=error.status_code, headers=_headers_of(error))


def _throttled(context: Mapping[str, Any]) -> exceptions.Throttled | None:
    """Return the refusal of an address without a valid key that has asked too often."""
    throttle = RefusalRateThrottle()
    if throttle.allow_request(context["request"], context["view"]):
        return None
    return exceptions.Throttled(throttle.wait())


def _body_of(error: exceptions.APIException) -> dict[str, Any]:
    if isinstance(error, exceptions.ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {"body": error.detail}
        return error_body("invalid_request", f"Not valid: {', '.join(fields)}.", fields)
    return error_body(str(error.get_codes()), str(error.detail))


def _headers_of(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    return headers
