"""The research scenarios, for staff: the list for all, what is behind one for few."""

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from catalog.models import Domain, Scenario
from catalog.scenario_cards import scenario_card, scenario_leaks
from judgments.queries.coverage import judged_scenarios
from judgments.staff_access import READ_TRUTH, WATCH, staff_only, staff_user

log = structlog.get_logger(__name__)


@require_safe
@staff_only(WATCH)
def list_page(request: HttpRequest) -> HttpResponse:
    """List the scenarios with how often each was judged and whether its words give it away."""
    domain = request.GET.get("domain", "")
    judged = judged_scenarios()
    # How many, never which: the words that were found belong to the source.
    n_leaks = {scenario.pk: len(leaks) for scenario, leaks in scenario_leaks()}
    scenarios = Scenario.objects.all()
    if domain in Domain.values:
        scenarios = scenarios.filter(domain=domain)
    rows = [
        (scenario, judged.get(scenario.pk, 0), n_leaks.get(scenario.pk)) for scenario in scenarios
    ]
    context = {
        "rows": rows,
        "n_all": Scenario.objects.count(),
        "n_leaking": sum(bool(n) for n in n_leaks.values()),
        "domains": Domain.choices,
        "domain": domain,
        "may_read": request.user.has_perm(READ_TRUTH),
    }
    return render(request, "judgments/staff/scenarios.html", context)


@require_safe
@staff_only(READ_TRUTH)
def scenario_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a scenario with its source, its actions as they were constructed, and their metric."""
    scenario = get_object_or_404(Scenario, pk=slug)
    log.info("scenario_truth_shown", staff=staff_user(request).pk, scenario=slug)
    context = {"scenario": scenario, "card": scenario_card(scenario)}
    return render(request, "judgments/staff/scenario.html", context)
