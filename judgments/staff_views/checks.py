"""Launch checks: the design certificate, and the rehearsal that fills the other three."""

import math
import secrets

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from judgments import tasks
from judgments.actions.design import realised_design
from judgments.actions.launch import finish_check, start_check
from judgments.actions.rehearsals import (
    NothingToRehearse,
    RehearsalRunning,
    request_rehearsal,
    send_rehearsal,
)
from judgments.design_pages import show_certificate
from judgments.models import CheckKind, ProtocolVersion, Study
from judgments.queries.launch import current_protocol, newest_checks
from judgments.staff_access import RUN, WATCH, staff_only, staff_user
from judgments.study_forms import CertificateForm

N_SIMULATED = 2000  # joins, so that a chi-square test sees what would matter
SEED_BITS = 31
NOT_SENT = "No worker could be reached: run the check again in a minute."


@require_safe
@staff_only(WATCH)
def certificate_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the newest certificate of the current version beside what was realised."""
    study = get_object_or_404(Study, pk=slug)
    return _show(request, study, CertificateForm())


@require_POST
@staff_only(RUN)
def certify(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a new certificate of the current version."""
    study = get_object_or_404(Study, pk=slug)
    form = CertificateForm(request.POST)
    if not form.is_valid():
        return _show(request, study, form, status=422)
    n_people, seed = form.cleaned_data["n_people"], form.cleaned_data["seed"]
    plan = {
        "n_people": n_people,
        "n_studies": math.ceil(N_SIMULATED / n_people),
        "seed": secrets.randbits(SEED_BITS) if seed is None else seed,
    }
    check = start_check(
        version=_version(study),
        kind=CheckKind.CERTIFICATE,
        staff=staff_user(request),
        now=timezone.now(),
        plan=plan,
    )
    try:
        tasks.certify_design.delay(check_id=check.pk, **plan)
    except OperationalError:
        finish_check(
            check_id=check.pk, is_passed=False, details={"faults": [NOT_SENT]}, now=timezone.now()
        )
        messages.error(request, NOT_SENT)
    else:
        messages.success(request, "The design is being tried out. It takes some seconds.")
    return redirect("study-desk:study", slug)


@require_POST
@staff_only(RUN)
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    """Start the robots' rehearsal of the current version."""
    study = get_object_or_404(Study, pk=slug)
    try:
        request_rehearsal(study_slug=study.pk, staff=staff_user(request), now=timezone.now())
    except NothingToRehearse:
        raise Http404("There is nothing that robots could rehearse.") from None
    except RehearsalRunning:
        messages.error(request, "Robots are playing the study already.")
        return redirect("study-desk:study", slug)
    # Without a broker the checks wait for the sweep, which sends them again.
    send_rehearsal(study_slug=study.pk)
    messages.success(request, "Robots are playing the study. It takes a minute or two.")
    return redirect("study-desk:study", slug)


def _show(
    request: HttpRequest, study: Study, form: CertificateForm, *, status: int = 200
) -> HttpResponse:
    version = _version(study)
    check = newest_checks(version).get(CheckKind.CERTIFICATE)
    details = check.details if check else {}
    realised = realised_design(version=version, seed=details.get("seed") or 0, now=timezone.now())
    page = {"study": study, "version": version, "check": check, "form": form}
    page |= show_certificate(details, realised)
    return render(request, "judgments/staff/certificate.html", page, status=status)


def _version(study: Study) -> ProtocolVersion:
    version = current_protocol(study)
    if version is None:
        raise Http404("The study has no protocol.")
    return version
