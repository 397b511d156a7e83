"""Staff walk the participant's path themselves; what they leave behind never counts."""

import secrets

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from judgments.actions.joining import StudyNotOpen, join_study
from judgments.actions.studies import remove_previews
from judgments.assignment import ChecksMisfit, QuotaUnmet
from judgments.models import Study
from judgments.sessions import home_of, keep_link, sign_in
from judgments.staff_access import RUN, WATCH, staff_only, staff_user

SEED_BITS = 62


@require_POST
@staff_only(WATCH)
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a new preview in this browser."""
    study = get_object_or_404(Study, pk=slug)
    try:
        joined = join_study(
            study_slug=slug,
            seed=secrets.randbits(SEED_BITS),
            now=timezone.now(),
            is_preview=True,
        )
    except (StudyNotOpen, QuotaUnmet, ChecksMisfit) as refusal:
        messages.error(request, f"There is nothing to look at yet. {refusal}")
        return redirect("study-desk:study", slug)
    sign_in(request, joined.participant)
    keep_link(request, study, joined.token or "")
    return redirect(home_of(study))


@require_POST
@staff_only(RUN)
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete all previews of the study."""
    get_object_or_404(Study, pk=slug)
    number = remove_previews(slug=slug, staff=staff_user(request), now=timezone.now())
    messages.success(request, f"{number} preview{'s' * (number != 1)} removed.")
    return redirect("study-desk:study", slug)
