"""The studies, as staff see them: the list, a new one, and one study with its launch gate."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.models import Scenario
from judgments.actions.studies import (
    NotReady,
    PlatformIdTaken,
    SlugTaken,
    WrongState,
    change_settings,
    close_study,
    create_study,
    open_study,
    publish_results,
)
from judgments.models import CheckKind, CheckStatus, Study
from judgments.protocol_defaults import default_protocol
from judgments.queries.desk import desk_rows, joined_and_complete, n_previews, state_of
from judgments.queries.launch import current_protocol, missing_checks, newest_checks
from judgments.queries.people import awaited_people
from judgments.staff_access import RUN, WATCH, staff_only, staff_user
from judgments.study_forms import CreateForm, SettingsForm


@require_safe
@staff_only(WATCH)
def list_page(request: HttpRequest) -> HttpResponse:
    """List the studies, problems first."""
    rows = desk_rows(now=timezone.now())
    return render(request, "judgments/staff/list.html", {"rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(RUN)
def create_page(request: HttpRequest) -> HttpResponse:
    """Ask for a title; the new study reproduces the source study until it is changed."""
    form = CreateForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and (study := _create(request, form)):
        messages.success(request, "The study is there, and not open yet.")
        return redirect("study-desk:study", study.pk)
    status = 422 if form.is_bound else 200
    n_scenarios = Scenario.objects.count()
    page = {"form": form, "n_scenarios": n_scenarios}
    return render(request, "judgments/staff/create.html", page, status=status)


def _create(request: HttpRequest, form: CreateForm) -> Study | None:
    title = form.cleaned_data["title"]
    slug = form.cleaned_data["slug"] or slugify(title)[:50]
    if not slug or slug == "new":
        form.add_error("slug", "Write a name of its own: small letters, digits and hyphens.")
        return None
    scenarios = Scenario.objects.order_by("domain", "slug").values_list("slug", flat=True)
    try:
        return create_study(
            slug=slug,
            title=title,
            protocol=default_protocol(scenarios),
            staff=staff_user(request),
            now=timezone.now(),
        )
    except SlugTaken:
        form.add_error("slug", f"There is a study “{slug}” already. Choose another name.")
        return None


@require_safe
@staff_only(WATCH)
def study_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how a study stands, what keeps it from opening, and what can be done."""
    page = _page(slug)
    return render(request, "judgments/staff/study.html", page | _awaited(page["study"]))


@require_safe
@staff_only(WATCH)
def checks_panel(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the launch checks alone, for a page that waits for them.

    Nothing is sent while as many run as the page says: what is swapped is read out again.
    """
    page = _page(slug)
    if request.GET.get("running") == str(page["n_running"]):
        return HttpResponse(status=204)
    return render(request, "judgments/staff/_checks.html", page)


def _page(slug: str) -> dict[str, Any]:
    study = get_object_or_404(Study.objects.select_related("rehearsal_of"), pk=slug)
    version = current_protocol(study)
    newest = newest_checks(version) if version else {}
    n_joined, n_complete = joined_and_complete([study]).get(study.pk, (0, 0))
    return {
        "study": study,
        "state": state_of(study),
        "version": version,
        "checks": [(kind, newest.get(kind)) for kind in CheckKind],
        "missing": missing_checks(version) if version else (),
        "n_running": sum(check.status == CheckStatus.RUNNING for check in newest.values()),
        "n_previews": n_previews(study),
        "n_joined": n_joined,
        "n_complete": n_complete,
    }


def _awaited(study: Study) -> dict[str, Any]:
    """Return for whom the results of a closed study wait, and until when at most."""
    if study.closed_at is None or study.published_at:
        return {}
    people = awaited_people(study, now=timezone.now())
    times = [person.awaited_until for person in people if person.awaited_until]
    return {"awaited": people, "awaited_until": max(times, default=None)}


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(RUN)
def settings_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Change title, platform id and blocked ids."""
    study = get_object_or_404(Study, pk=slug)
    typed = request.POST if request.method == "POST" else None
    form = SettingsForm(typed, initial=_settings(study))
    if form.is_valid():
        try:
            change_settings(
                slug=slug, staff=staff_user(request), now=timezone.now(), **form.cleaned_data
            )
        except PlatformIdTaken:
            form.add_error("platform_study_id", "Another study has this id.")
        else:
            messages.success(request, "Saved.")
            return redirect("study-desk:study", slug)
    status = 422 if form.is_bound else 200
    page = {"study": study, "form": form}
    return render(request, "judgments/staff/settings.html", page, status=status)


def _settings(study: Study) -> dict[str, Any]:
    blocked = study.blocked_pids.order_by("platform_pid").values_list("platform_pid", flat=True)
    return {
        "title": study.title,
        "platform_study_id": study.platform_study_id or "",
        "blocked_ids": "\n".join(blocked),
    }


@require_POST
@staff_only(RUN)
def change_state(request: HttpRequest, slug: str, change: str) -> HttpResponse:
    """Open, close or publish; a refusal says what is missing."""
    get_object_or_404(Study, pk=slug)
    action, done = CHANGES[change]
    try:
        action(slug=slug, staff=staff_user(request), now=timezone.now())
    except NotReady as refusal:
        missing = refusal.missing or (refusal,)
        words = "; ".join(str(one) for one in missing)
        messages.error(request, f"The study was not opened. Missing: {words}.")
    except WrongState as refusal:
        messages.error(request, f"Nothing was changed. {refusal}")
    else:
        messages.success(request, done)
    return redirect("study-desk:study", slug)


CHANGES: dict[str, tuple[Callable[..., Study], str]] = {
    "open": (open_study, "The study is open: whoever has its link can take part."),
    "close": (
        close_study,
        "The study is closed. Who has begun can finish, until the results are published.",
    ),
    "publish": (publish_results, "The results are public."),
}
