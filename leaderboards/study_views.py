"""The results of a study: for staff who may watch it, and for everybody once they are published."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from judgments.models import Study
from judgments.staff_access import RUN, WATCH
from leaderboards import actions, queries
from leaderboards.exports import write_csv


@require_safe
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how far people and the metric agree, and what the numbers rest on."""
    study = _find_study(request, slug)
    try:
        reading = _read(request, study)
    except queries.NothingToReport:
        reading = None
    return _render(request, "leaderboards/study_results.html", study, reading)


@require_safe
def results_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Send every number with every digit."""
    study = _find_study(request, slug)
    try:
        reading = _read(request, study)
    except queries.NothingToReport as nothing:
        raise Http404("Nobody has completed a scenario.") from nothing
    content = write_csv(["figure", "value"], reading.figures())
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.pk}-results.csv"'
    return _private(study, response)


@require_safe
def scenario(request: HttpRequest, slug: str, scenario: str) -> HttpResponse:
    """Show how people and the metric rank the actions of one scenario."""
    study = _find_study(request, slug)
    try:
        reading = queries.read_scenario(_read(request, study), scenario)
    except (queries.NothingToReport, queries.ResultsNotFound) as error:
        raise Http404("There is no such scenario.") from error
    return _render(request, "leaderboards/study_scenario.html", study, reading)


def _find_study(request: HttpRequest, slug: str) -> Study:
    study = get_object_or_404(Study, pk=slug)
    # To others an unpublished study has no results: not even that it has some is said.
    if study.published_at is None and not _is_staff_with(request, WATCH):
        raise Http404("There are no such results.")
    return study


def _read(request: HttpRequest, study: Study) -> queries.AgreementReading:
    try:
        version = queries.choose_version(study, request.GET.get("version", ""))
    except queries.ResultsNotFound as error:
        raise Http404(str(error)) from error
    computation = actions.bring_agreement_up_to_date(study=study, versions=[version])
    shows_metric = study.published_at is not None or _is_staff_with(request, RUN)
    return queries.AgreementReading(computation, shows_metric=shows_metric)


def _render(request: HttpRequest, template: str, study: Study, reading: object) -> HttpResponse:
    """Answer with a page that leads those back to the study's desk who may go there."""
    page = {"study": study, "reading": reading, "is_at_desk": _is_staff_with(request, WATCH)}
    return _private(study, render(request, template, page))


def _is_staff_with(request: HttpRequest, permission: str) -> bool:
    return request.user.is_staff and request.user.has_perm(permission)


def _private(study: Study, response: HttpResponse) -> HttpResponse:
    if study.published_at is None:
        add_never_cache_headers(response)
    return response
