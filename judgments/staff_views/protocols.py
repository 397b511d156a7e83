"""The protocol of a study: its versions, and a form for the next one."""

import re
from collections.abc import Collection
from itertools import pairwise
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judgments.actions.staff import StudyOpen, VersionOutdated, publish_protocol
from judgments.models import ProtocolVersion, Study
from judgments.protocol import PRIVATE_PARTS, Protocol
from judgments.protocol_defaults import default_protocol
from judgments.protocol_differences import Difference, differences, texts_left_behind
from judgments.protocol_forms import ProtocolForm
from judgments.queries.desk import versions_with_people
from judgments.queries.launch import current_protocol
from judgments.staff_access import RUN, WATCH, staff_only, staff_user

OUTDATED = (
    "Somebody saved another version while you were typing. What you typed is kept below: compare "
    "it with the version that is current now, then save."
)


@require_safe
@staff_only(WATCH)
def versions_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the current protocol in full, and how each version differs from the one before."""
    study = get_object_or_404(Study, pk=slug)
    versions = versions_with_people(study)
    hidden: Collection[str] = () if request.user.has_perm(RUN) else PRIVATE_PARTS
    shown = [_without(version.definition, hidden) for version in versions]
    changes = [
        (version, differences(before, after))
        for version, (after, before) in zip(versions, pairwise(shown), strict=False)
    ]
    page = {
        "study": study,
        "versions": versions,
        "changes": changes,
        "parts": differences({}, shown[0]) if versions else (),
    }
    return render(request, "judgments/staff/versions.html", page)


def _without(definition: dict[str, Any], hidden: Collection[str]) -> dict[str, Any]:
    return {part: value for part, value in definition.items() if part not in hidden}


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(RUN)
def edit_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the protocol in a form; compare what was typed with the current one; save it as new."""
    study = get_object_or_404(Study, pk=slug)
    version = current_protocol(study)
    protocol = Protocol.from_definition(version.definition) if version else default_protocol(())
    if request.method != "POST":
        return _show(request, study, version, ProtocolForm(protocol=protocol))
    form = ProtocolForm(request.POST, protocol=protocol)
    if not form.is_valid():
        return _show(request, study, version, form, status=422)
    if "save" in request.POST:
        return _save(request, study, version, form)
    return _show(request, study, version, form)


def _save(
    request: HttpRequest, study: Study, version: ProtocolVersion | None, form: ProtocolForm
) -> HttpResponse:
    try:
        saved = publish_protocol(
            study=study,
            protocol=form.protocol,
            staff=staff_user(request),
            now=timezone.now(),
            based_on=_number_in(request.POST.get("based_on", "")),
        )
    except VersionOutdated:
        form.add_error(None, OUTDATED)
        return _show(request, study, current_protocol(study), form, status=409)
    except StudyOpen:
        form.add_error(None, "The study is open. Close it first; what you typed is kept below.")
        return _show(request, study, version, form, status=409)
    if version and saved.pk == version.pk:
        messages.info(request, f"Nothing changed: version {version.number} stays.")
    else:
        messages.success(
            request,
            f"Version {saved.number} is the current one. It needs launch checks of its own.",
        )
    return redirect("study-desk:study", study.pk)


def _number_in(typed: str) -> int:
    """Return the version that a form was shown for; a form that names none was for none."""
    return int(typed) if re.fullmatch("[0-9]{1,9}", typed) else 0


def _show(
    request: HttpRequest,
    study: Study,
    version: ProtocolVersion | None,
    form: ProtocolForm,
    *,
    status: int = 200,
) -> HttpResponse:
    is_comparison = form.is_bound and not form.errors
    page: dict[str, Any] = {
        "study": study,
        "version": version,
        "next_number": version.number + 1 if version else 1,
        "form": form,
        "is_comparison": is_comparison,
        "changes": _changes(version, form) if is_comparison else (),
        "texts_left_behind": _texts_left_behind(version, form) if is_comparison else (),
        "n_people": study.participants.exclude(kind="preview").count(),
    }
    return render(request, "judgments/staff/protocol.html", page, status=status)


def _changes(version: ProtocolVersion | None, form: ProtocolForm) -> tuple[Difference, ...]:
    return differences(version.definition if version else {}, form.protocol.definition())


def _texts_left_behind(version: ProtocolVersion | None, form: ProtocolForm) -> tuple[str, ...]:
    return texts_left_behind(version.definition if version else {}, form.protocol.definition())
