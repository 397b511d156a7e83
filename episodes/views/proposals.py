"""Pages on which a person answers a research state and looks back at the answer."""

from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from catalog.models import ResearchState
from catalog.queries import StateNotFound, find_state, state_requests
from catalog.state_texts import INTERFACE_TITLES
from episodes.actions.proposals import (
    MAX_REPETITIONS,
    RepetitionsExceeded,
    record_proposal,
)
from episodes.forms import ProposalForm
from episodes.queries.proposals import (
    ProposalNotFound,
    find_proposal,
    open_score,
    proposals_of,
)
from episodes.views.visitor import StartThrottle, current_person, ensure_person
from scoring.responses import Interface

_OWN_SHOWN = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the request of an interface with a field for the response, and store what is sent."""
    try:
        state = find_state(slug)
    except StateNotFound as error:
        raise Http404(str(error)) from error
    if request.method == "POST":
        return _store(request, state)
    asked = request.GET.get("interface", "")
    interface = Interface(asked) if asked in {*Interface} else Interface.DESIGN
    return _answer_page(request, state, ProposalForm(initial={"interface": interface}), interface)


@never_cache
@require_safe
def proposal(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Show an own proposal, how it was read and, for an open state, its score."""
    person = current_person(request)
    try:
        if person is None:
            raise ProposalNotFound
        found = find_proposal(agent=person, proposal_id=proposal_id)
    except ProposalNotFound as error:
        raise Http404(str(error)) from error
    score = open_score(found)
    context = {
        "section": "episodes",
        "proposal": found,
        "interface_title": INTERFACE_TITLES[Interface(found.interface)],
        "score": score,
        "percent": 100 * score.efficiency if score else None,
        "max_repetitions": MAX_REPETITIONS,
    }
    return render(request, "episodes/proposal.html", context)


def _store(request: HttpRequest, state: ResearchState) -> HttpResponse:
    form = ProposalForm(request.POST)
    if not form.is_valid():
        return _answer_page(request, state, form, Interface.DESIGN, status=422)
    interface = Interface(form.cleaned_data["interface"])
    if not StartThrottle().allow_request(request, None):  # type: ignore[arg-type]  # it reads META only
        form.add_error(None, "Too many answers came from your network; try again later.")
        return _answer_page(request, state, form, interface, status=429)
    now = timezone.now()
    try:
        recorded = record_proposal(
            agent=ensure_person(request, now=now),
            state=state,
            interface=interface,
            response=form.cleaned_data["response"],
            now=now,
        )
    except RepetitionsExceeded as error:
        form.add_error(None, str(error))
        return _answer_page(request, state, form, interface, status=409)
    return redirect("episodes:proposal", recorded.proposal.id)


def _answer_page(
    request: HttpRequest,
    state: ResearchState,
    form: forms.Form,
    interface: Interface,
    *,
    status: int = 200,
) -> HttpResponse:
    person = current_person(request)
    context = {
        "section": "episodes",
        "state": state,
        "form": form,
        "interface": interface,
        "interface_title": INTERFACE_TITLES[interface],
        "interfaces": INTERFACE_TITLES,
        "request_text": state_requests(state)[interface],
        "own": proposals_of(person).filter(state=state)[:_OWN_SHOWN] if person else [],
        "max_repetitions": MAX_REPETITIONS,
    }
    return render(request, "episodes/propose.html", context, status=status)
