"""The studies, as staff see them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judgments.models import Study
from judgments.staff_access import WATCH, staff_only


@require_safe
@staff_only(WATCH)
def list_page(request: HttpRequest) -> HttpResponse:
    """List the studies."""
    studies = Study.objects.filter(rehearsal_of__isnull=True)
    return render(request, "judgments/staff/list.html", {"studies": studies})
