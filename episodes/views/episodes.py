"""Pages of episodes: play one in the browser, and look back at closed ones."""

import math
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from episodes.actions import ledger
from episodes.budget import BudgetExceeded, IllegalMasks
from episodes.estimates import Estimator, estimate
from episodes.forms import StartForm, parse_predictions, read_predictions
from episodes.models import Agent, Episode
from episodes.predictions import InvalidPredictions
from episodes.queries.episodes import (
    EpisodeNotFound,
    episodes_of,
    find_episode,
    observations,
    state_of,
)
from episodes.queries.public import closed_episodes, find_visible_episode
from episodes.reports import LoadReport
from episodes.states import EpisodeClosed, EpisodeState
from episodes.views.contexts import closed_context, open_context
from episodes.views.visitor import StartThrottle, current_person, ensure_person
from scoring import masks

_PER_PAGE = 50
_OPEN_PAGE = "episodes/open.html"


@never_cache
@require_safe
def episode_list(request: HttpRequest) -> HttpResponse:
    """Show this browser's episodes, a form to start one, and all closed episodes."""
    person = current_person(request)
    closed = Paginator(closed_episodes(), _PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "form": StartForm(initial={"task": request.GET.get("task"), "budget": 8}),
        "own": episodes_of(person) if person else [],
        "closed": closed,
        "now": timezone.now(),
    }
    return render(request, "episodes/list.html", _page(context))


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Open an episode for the person of this browser."""
    form = StartForm(request.POST)
    if not form.is_valid():
        return render(request, "episodes/start.html", _page({"form": form}), status=422)
    throttle = StartThrottle()
    if not throttle.allow_request(request, None):  # type: ignore[arg-type]  # it reads META only
        return _refuse_start(request, form, wait_seconds=throttle.wait())
    now = timezone.now()
    episode = ledger.start_episode(
        agent=ensure_person(request, now=now),
        task=form.cleaned_data["task"],
        budget=form.cleaned_data["budget"],
        view=form.cleaned_data["view"],
        now=now,
    )
    return redirect("episodes:detail", episode.id)


@never_cache
@require_safe
def detail(request: HttpRequest, episode_id: UUID, load_report: LoadReport) -> HttpResponse:
    """Show an own open episode to play on, or a closed one to look back at."""
    now = timezone.now()
    person = current_person(request)
    try:
        episode = find_visible_episode(episode_id=episode_id, person=person, now=now)
    except EpisodeNotFound as error:
        raise Http404(str(error)) from error
    state = state_of(episode, now=now)
    if state is EpisodeState.OPEN:
        context = open_context(
            episode, typed=_drafts(request, episode), ticked=_ticks(request, episode)
        )
        return render(request, _OPEN_PAGE, _page(context))
    context = closed_context(
        episode,
        state,
        load_report(episode),
        is_own=episode.agent == person,
        step=request.GET.get("step", ""),
    )
    template = "episodes/_replay.html" if request.htmx else "episodes/closed.html"  # type: ignore[attr-defined]
    return render(request, template, _page(context))


@require_POST
def measure(request: HttpRequest, episode_id: UUID) -> HttpResponse:
    """Buy the ticked masks; what was typed is kept, and ticks too if nothing was bought."""
    episode, person = _own_episode(request, episode_id)
    _keep_drafts(request, episode)
    ticked = request.POST.getlist("mask")
    if not ticked:
        messages.error(request, "Tick at least one configuration to measure. Nothing was charged.")
        return _back_to_table(episode_id)
    try:
        bought = ledger.buy_measurements(
            agent=person, episode_id=episode_id, masks=ticked, now=timezone.now()
        )
    except (BudgetExceeded, IllegalMasks, EpisodeClosed) as error:
        messages.error(request, str(error))
    else:
        request.session.pop(_ticks_key(episode), None)
        messages.success(
            request,
            f"Measured {', '.join(bought.observations)}: {bought.charged} charged, "
            f"{bought.credits_remaining} left.",
        )
    return _back_to_table(episode_id)


@require_POST
def fill(request: HttpRequest, episode_id: UUID) -> HttpResponse:
    """Fill every empty prediction with an estimate from what was measured; change no other."""
    episode, _ = _own_episode(request, episode_id)
    state = state_of(episode, now=timezone.now())
    if state is not EpisodeState.OPEN:
        messages.error(request, str(EpisodeClosed(state)))
        return _back_to_table(episode_id)
    _keep_drafts(request, episode)
    try:
        estimator = Estimator(request.POST.get("estimator", ""))
    except ValueError:
        messages.error(request, "Choose one of the estimates.")
        return _back_to_table(episode_id)
    n_factors = episode.task.n_factors
    surface = estimate(observations(episode), n_factors, estimator)
    drafts = _drafts(request, episode)
    filled = {
        mask: f"{utility:.6f}"
        for mask, utility in zip(masks.all_masks(n_factors), surface, strict=True)
        if mask not in drafts
    }
    _store_drafts(request, episode, drafts | filled)
    messages.success(request, f"Filled the empty predictions with the {estimator.words}.")
    return _back_to_table(episode_id)


@require_POST
def predict(request: HttpRequest, episode_id: UUID) -> HttpResponse:
    """Submit the table; measured masks are taken as measured."""
    episode, person = _own_episode(request, episode_id)
    _keep_drafts(request, episode)
    typed = _drafts(request, episode)
    table = parse_predictions(typed) | observations(episode)
    try:
        ledger.submit_prediction(
            agent=person, episode_id=episode_id, predictions=table, now=timezone.now()
        )
    except InvalidPredictions as error:
        context = open_context(
            episode,
            typed=typed,
            ticked=_ticks(request, episode),
            faults=error.details["masks"],
        )
        return render(request, _OPEN_PAGE, _page(context), status=422)
    except EpisodeClosed as error:
        messages.error(request, str(error))
    else:
        request.session.pop(_draft_key(episode), None)
        request.session.pop(_ticks_key(episode), None)
        messages.success(request, "Your prediction is stored and graded.")
    return redirect("episodes:detail", episode_id)


def _refuse_start(
    request: HttpRequest, form: StartForm, *, wait_seconds: float | None
) -> HttpResponse:
    seconds = math.ceil(wait_seconds or 1)
    form.add_error(None, f"too many were started from your network; try again in {seconds} s.")
    reply = render(request, "episodes/start.html", _page({"form": form}), status=429)
    reply["Retry-After"] = str(seconds)
    return reply


def _page(context: dict[str, Any]) -> dict[str, Any]:
    return {"section": "episodes", **context}


def _own_episode(request: HttpRequest, episode_id: UUID) -> tuple[Episode, Agent]:
    person = current_person(request)
    try:
        if person is None:
            raise EpisodeNotFound
        return find_episode(agent=person, episode_id=episode_id), person
    except EpisodeNotFound as error:
        raise Http404(str(error)) from error


def _back_to_table(episode_id: UUID) -> HttpResponse:
    """Lead back to where the form is, and what it answers: not to the top of the page."""
    return redirect(f"{reverse('episodes:detail', args=[episode_id])}#table")


def _draft_key(episode: Episode) -> str:
    return f"predictions of {episode.id}"


def _drafts(request: HttpRequest, episode: Episode) -> dict[str, str]:
    drafts: dict[str, str] = request.session.get(_draft_key(episode), {})
    return drafts


def _ticks_key(episode: Episode) -> str:
    return f"ticks of {episode.id}"


def _ticks(request: HttpRequest, episode: Episode) -> list[str]:
    ticks: list[str] = request.session.get(_ticks_key(episode), [])
    return ticks


def _keep_drafts(request: HttpRequest, episode: Episode) -> None:
    legal = set(masks.all_masks(episode.task.n_factors))
    request.session[_ticks_key(episode)] = sorted(legal.intersection(request.POST.getlist("mask")))
    _store_drafts(request, episode, read_predictions(request.POST, episode.task.n_factors))


def _store_drafts(request: HttpRequest, episode: Episode, drafts: dict[str, str]) -> None:
    request.session[_draft_key(episode)] = drafts
