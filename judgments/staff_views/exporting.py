"""The export of a study by a click: what will be in it, the files, and their dictionary."""

from typing import cast

import structlog
from django import forms
from django.contrib.auth.models import User
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from catalog.tabular_files import CSV_WITH_MARK, FORMATS
from judgments import exports
from judgments.actions.exporting import note_export
from judgments.exports.counts import TableCounts
from judgments.models import Study
from judgments.queries.exports import FATE_WORDS
from judgments.staff_access import EXPORT, staff_only

TYPE_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}

log = structlog.get_logger(__name__)


class ExportForm(forms.Form):
    """Which files are wanted."""

    formats = forms.MultipleChoiceField(
        choices=[(known.suffix, known.title) for known in FORMATS.values()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": "Choose at least one format.",
            "invalid_choice": "%(value)s is none of the formats: csv, jsonl, parquet.",
        },
    )
    bom = forms.BooleanField(required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only(EXPORT)
def export_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Say what an export will hold; send it on POST."""
    study = get_object_or_404(Study, pk=slug)
    if request.method != "POST":
        return _page(request, study, ExportForm(initial={"formats": list(FORMATS)}))
    form = ExportForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    return _send(request, study, form)


@require_safe
@staff_only(EXPORT)
def dictionary_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Describe every column of every file."""
    study = get_object_or_404(Study, pk=slug)
    tables = [
        (table.flat, [(column, TYPE_WORDS[column.kind]) for column in table.flat.columns])
        for table in exports.TABLES
    ]
    page = {"study": study, "tables": tables}
    return render(request, "judgments/staff/export_dictionary.html", page)


def _send(request: HttpRequest, study: Study, form: ExportForm) -> HttpResponseBase:
    now = timezone.now()
    chosen = [FORMATS[name] for name in FORMATS if name in form.cleaned_data["formats"]]
    if form.cleaned_data["bom"]:
        chosen = [CSV_WITH_MARK if known.suffix == "csv" else known for known in chosen]
    note_export(
        study=study,
        staff=cast(User, request.user),  # staff_only has seen to it
        formats=[known.suffix for known in chosen],
        now=now,
    )
    try:
        archive = exports.write_archive(study=study, formats=chosen, now=now)
    except exports.ExportMismatch as mismatch:
        log.error("export_mismatch", study=study.slug, faults=str(mismatch))
        return _page(request, study, form, mismatch=str(mismatch), status=500)
    name = exports.archive_name(study, now=now)
    return FileResponse(archive, as_attachment=True, filename=f"{name}.zip")


def _page(
    request: HttpRequest, study: Study, form: ExportForm, *, mismatch: str = "", status: int = 200
) -> HttpResponse:
    counts = exports.count_tables(study)
    page = {
        "study": study,
        "form": form,
        "counts": [(one, _reasons(one)) for one in counts],
        "versions": sorted({key[0] for one in counts for key in one.by_key if key}),
        "mismatch": mismatch,
    }
    return render(request, "judgments/staff/export.html", page, status=status)


def _reasons(counts: TableCounts) -> list[tuple[str, int]]:
    return [(FATE_WORDS[fate], n) for fate, n in counts.excluded.items()]
