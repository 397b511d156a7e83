"""Who may open a page for staff: logged in, staff, and with the permission that the page asks."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache

RUN = "judgments.run_study"
WATCH = "judgments.watch_study"
EXCLUDE = "judgments.exclude_participant"
EXPORT = "judgments.export_study"
READ_TRUTH = "catalog.read_scenario_truth"
WORDS = {
    RUN: "create, change, open, close and publish studies",
    WATCH: "watch studies",
    EXCLUDE: "exclude participants",
    EXPORT: "export answers",
    READ_TRUTH: "read what is behind scenarios",
}

Arguments = ParamSpec("Arguments")
_View = Callable[Concatenate[HttpRequest, Arguments], HttpResponseBase]


def staff_only(permission: str) -> Callable[[_View[Arguments]], _View[Arguments]]:
    """Let a view answer staff with this permission; others log in, or read what they lack."""

    def guard(view: _View[Arguments]) -> _View[Arguments]:
        @never_cache
        @wraps(view)
        def guarded(
            request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs
        ) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not (request.user.is_staff and request.user.has_perm(permission)):
                page = {"permission": permission, "what": WORDS[permission]}
                return render(request, "judgments/staff/no_access.html", page, status=403)
            return view(request, *args, **kwargs)

        return guarded

    return guard


def staff_user(request: HttpRequest) -> User:
    """Return who is logged in, on a page for staff only."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
