"""A study as it runs: the monitor, the log, and the two sides of recruitment."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from judgments.actions.watching import store_submissions
from judgments.models import Study
from judgments.pictures import Bar, coverage_picture
from judgments.protocol import Protocol
from judgments.queries.audit import audit_entries, audit_events, audit_staff
from judgments.queries.launch import current_protocol
from judgments.queries.monitor import Monitor, watch
from judgments.queries.people import Person, people_of
from judgments.queries.submissions import compare_submissions
from judgments.staff_access import RUN, WATCH, staff_only, staff_user
from judgments.staff_forms import AuditForm, ListForm, PeopleForm
from judgments.standing import WORDS

PEOPLE_PER_PAGE = 100
ENTRIES_PER_PAGE = 100
REFRESH_SECONDS = 30
MAX_VISITS = 20
# What Prolific puts into the address of a study, in its own spelling.
PLATFORM_QUERY = (
    "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
)
PLATFORM_RETURN = "https://app.prolific.com/submissions/complete?cc="


@require_safe
@staff_only(WATCH)
def monitor_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a study as it stands, problems first; with JavaScript it keeps itself current."""
    study = get_object_or_404(Study, pk=slug)
    monitor = watch(study, now=timezone.now())
    form = PeopleForm(request.GET)
    people = _chosen(monitor, form)
    page = Paginator(people, PEOPLE_PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "study": study,
        "monitor": monitor,
        "standings": [(standing, WORDS[standing], n) for standing, n in monitor.standings.items()],
        "coverage": coverage_picture(
            [
                Bar(one.slug, one.domain.label, one.n_complete, one.n_held, one.n_unusable)
                for one in monitor.coverage
            ]
        ),
        "form": form,
        "people": page,
        "visits": monitor.visits[:MAX_VISITS],
        "refresh_seconds": REFRESH_SECONDS,
        "refreshes": "still" not in request.GET,
        "may_run": request.user.has_perm(RUN),
        "query": _query_without(request, "page"),
    }
    return render(request, "judgments/staff/monitor.html", context)


@require_safe
@staff_only(WATCH)
def audit_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List who did what to a study, and why, the newest first."""
    study = get_object_or_404(Study, pk=slug)
    form = AuditForm(request.GET, events=audit_events(study), staff=audit_staff(study))
    entries = audit_entries(study, form.wanted)
    context = {
        "study": study,
        "form": form,
        "entries": Paginator(entries, ENTRIES_PER_PAGE).get_page(request.GET.get("page")),
        "query": _query_without(request, "page"),
    }
    status = 200 if form.is_valid() else 422
    return render(request, "judgments/staff/audit.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(RUN)
def recruitment_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what to paste into the platform; take its list of submissions and compare it."""
    study = get_object_or_404(Study, pk=slug)
    form = ListForm()
    if request.method == "POST":
        form = ListForm(request.POST, request.FILES)
        if form.is_valid():
            n_lines = store_submissions(
                study=study,
                submissions=form.submissions,
                staff=staff_user(request),
                now=timezone.now(),
            )
            messages.success(request, f"{n_lines} submissions compared.")
            return redirect("study-desk:recruitment", slug)
    version = current_protocol(study)
    codes = Protocol.from_definition(version.definition).return_codes if version else {}
    landing = request.build_absolute_uri(reverse("judgments:study", args=[study.pk]))
    context = {
        "study": study,
        "form": form,
        "entry_link": landing + PLATFORM_QUERY,
        "plain_link": landing,
        "ends": [(name, code, PLATFORM_RETURN + code) for name, code in codes.items()],
        "comparison": compare_submissions(study, people_of(study, now=timezone.now())),
    }
    status = 422 if form.is_bound else 200
    return render(request, "judgments/staff/recruitment.html", context, status=status)


def _chosen(monitor: Monitor, form: PeopleForm) -> list[Person]:
    """Return the people that the filter asks for; a filter with a fault keeps everybody."""
    if not form.is_valid():
        return list(monitor.people)
    standing, only = form.cleaned_data["standing"], form.cleaned_data["only"]
    return [
        person
        for person in monitor.people
        if standing in ("", person.standing)
        and (only != "flagged" or person.flags)
        and (only != "excluded" or person.is_excluded)
    ]


def _query_without(request: HttpRequest, name: str) -> str:
    query = request.GET.copy()
    query.pop(name, None)
    return query.urlencode()
