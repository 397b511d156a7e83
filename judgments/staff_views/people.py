"""One participant: the timeline, notes, and the doors out of and back into the results."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judgments.actions.staff import (
    AlreadyExcluded,
    NotExcluded,
    exclude_participant,
    undo_exclusion,
)
from judgments.actions.watching import add_note
from judgments.models import Study
from judgments.queries.flags import assessments_of
from judgments.queries.participants import ParticipantNotFound
from judgments.queries.timeline import Timeline, timeline_of
from judgments.staff_access import EXCLUDE, RUN, WATCH, staff_only, staff_user
from judgments.staff_forms import NoteForm, ReasonForm

NOBODY = "There is no such participant in this study."


@require_safe
@staff_only(WATCH)
def person_page(request: HttpRequest, slug: str, participant_id: UUID) -> HttpResponse:
    """Show everything that happened to a participant, in order."""
    timeline = _timeline(slug, participant_id)
    return _show(request, timeline, NoteForm())


@require_POST
@staff_only(WATCH)
def write_note(request: HttpRequest, slug: str, participant_id: UUID) -> HttpResponse:
    """Keep a note."""
    timeline = _timeline(slug, participant_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _show(request, timeline, form, status=422)
    try:
        add_note(
            participant_id=participant_id,
            staff=staff_user(request),
            text=form.cleaned_data["text"],
            now=timezone.now(),
        )
    except ParticipantNotFound as error:  # left in this moment
        raise Http404(NOBODY) from error
    messages.success(request, "The note is saved.")
    return redirect("study-desk:person", slug, participant_id)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(EXCLUDE)
def exclude_page(request: HttpRequest, slug: str, participant_id: UUID) -> HttpResponse:
    """Ask for the reason, say what follows, and leave a participant out of every result."""
    return _change(request, slug, participant_id, is_undoing=False)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(EXCLUDE)
def undo_page(request: HttpRequest, slug: str, participant_id: UUID) -> HttpResponse:
    """Ask for the reason, and count a participant again."""
    return _change(request, slug, participant_id, is_undoing=True)


def _change(
    request: HttpRequest, slug: str, participant_id: UUID, *, is_undoing: bool
) -> HttpResponse:
    timeline = _timeline(slug, participant_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        change = undo_exclusion if is_undoing else exclude_participant
        try:
            change(
                participant_id=participant_id,
                staff=staff_user(request),
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
        except ParticipantNotFound as error:  # left in this moment
            raise Http404(NOBODY) from error
        except AlreadyExcluded:
            messages.info(request, "Nothing was changed: the participant is excluded already.")
        except NotExcluded:
            messages.info(request, "Nothing was changed: the participant is not excluded.")
        else:
            messages.success(
                request, "The participant counts again." if is_undoing else "Excluded."
            )
        return redirect("study-desk:person", slug, participant_id)
    context = {
        "study": timeline.participant.study,
        "person": timeline.person,
        "form": form,
        "is_undoing": is_undoing,
    }
    status = 422 if form.is_bound else 200
    return render(request, "judgments/staff/exclude.html", context, status=status)


def _timeline(slug: str, participant_id: UUID) -> Timeline:
    study = get_object_or_404(Study, pk=slug)
    try:
        return timeline_of(study, participant_id, now=timezone.now())
    except ParticipantNotFound as error:
        raise Http404(NOBODY) from error


def _show(
    request: HttpRequest, timeline: Timeline, form: NoteForm, *, status: int = 200
) -> HttpResponse:
    study = timeline.participant.study
    context: dict[str, Any] = {
        "study": study,
        "timeline": timeline,
        "person": timeline.person,
        "flags": assessments_of(study)[timeline.person.id].flags,
        "form": form,
        "may_run": request.user.has_perm(RUN),
        "may_exclude": request.user.has_perm(EXCLUDE),
    }
    return render(request, "judgments/staff/person.html", context, status=status)
