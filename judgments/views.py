"""The participant's path: landing, one address for every step, and three ways to leave."""

import math
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

import structlog
from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judgments import forms
from judgments.actions import judging, path
from judgments.actions.joining import PidBlocked, StudyNotOpen, join_study
from judgments.answering import StepUnknown, Unanswered, take_step
from judgments.assignment import ChecksMisfit, QuotaUnmet
from judgments.links import MAX_PID, normalise_pid
from judgments.models import Audience, Item, Participant, Study
from judgments.protocol import Words
from judgments.queries.participants import (
    ParticipantNotFound,
    find_by_link,
    protocol_of,
    resume_until,
    step_of,
)
from judgments.queries.screens import changeable_item, outline_of, screen_of
from judgments.sessions import (
    BeginThrottle,
    current_participant,
    home_of,
    in_own_language,
    is_somebody_else,
    keep_language,
    keep_link,
    link_of,
    sign_in,
    sign_out,
)
from judgments.steps import Step

PLATFORM_FIELDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
MAX_SESSION = 80
PLATFORM_RETURN = "https://app.prolific.com/submissions/complete?cc="
RETURN_CODES = {
    Step.COMPLETE: "complete",
    Step.SCREENED_OUT: "screened-out",
    Step.REFUSED: "no-consent",
}
SEED_BITS = 62

log = structlog.get_logger(__name__)


class SeeOther(HttpResponseRedirect):
    """Leads on by GET, whatever the method was."""

    status_code = 303


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_own_language
def study_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the landing page or the participant's next step; take the answer to a step."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    if request.method == "POST":
        if participant is None:
            messages.info(request, _("Your session has ended. Use your personal link to go on."))
            return _go_on(request, study, is_settled=False)
        return _take_answer(request, study, participant)
    if participant is None or is_somebody_else(request, participant):
        return _landing(request, study)
    return _show_step(request, study, participant)


@never_cache
@require_POST
@in_own_language
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Join the study, or come back to it by the platform's id."""
    study = get_object_or_404(Study, pk=slug)
    platform = _platform_of(request.POST.dict(), study)
    pid = platform.get("PROLIFIC_PID", "")
    present = current_participant(request, study)
    if present and (not pid or present.platform_pid == normalise_pid(pid)):
        return _home(study)
    throttle = BeginThrottle()
    # Robots of a rehearsal all come from this machine.
    if study.audience == Audience.PEOPLE and not throttle.allow_request(request, None):  # type: ignore[arg-type]  # it reads META only
        return _refuse_for_now(request, study, wait_seconds=throttle.wait())
    try:
        joined = join_study(
            study_slug=study.pk,
            seed=secrets.randbits(SEED_BITS),
            now=timezone.now(),
            platform_pid=pid,
            platform_session=platform.get("SESSION_ID", ""),
        )
    except (StudyNotOpen, PidBlocked, QuotaUnmet, ChecksMisfit) as refusal:
        if isinstance(refusal, QuotaUnmet | ChecksMisfit):
            log.error("protocol_unplayable", study=study.pk, reason=str(refusal))
        page = {"is_blocked": isinstance(refusal, PidBlocked), "study": study}
        return render(request, "judgments/not_open.html", page, status=403)
    sign_in(request, joined.participant)
    keep_language(request, study, request.POST.get("language", ""))
    if joined.token:
        keep_link(request, study, joined.token)
    return _home(study)


@never_cache
@require_safe
@in_own_language
def personal_link(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Open the session of whose link this is; whoever used this browser before is signed out."""
    study = get_object_or_404(Study, pk=slug)
    try:
        participant = find_by_link(study_slug=study.pk, token=token)
        path.open_link(participant_id=participant.pk, now=timezone.now())
    except ParticipantNotFound as error:
        raise Http404("There is no such link.") from error
    sign_in(request, participant)
    keep_link(request, study, token)
    return _home(study)


@never_cache
@require_safe
@in_own_language
def last_answer(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the last answer again, as long as it may be changed."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    item = changeable_item(participant) if participant else None
    if participant is None or item is None:
        return _home(study)
    initial: dict[str, object] = {
        "position": item.position,
        "choice": item.judgment.choice,
        "comment": item.judgment.comment,
    }
    form = forms.JudgmentForm(protocol_of(participant), initial=initial)
    return _item_page(request, participant, item, form, is_change=True)


@never_cache
@require_safe
@in_own_language
def leave_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Offer the ways to leave: come back later, hand over, delete."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    if participant is None:
        return _home(study)
    page = {
        "study": study,
        "personal_link": link_of(request, study),
        "resume_until": resume_until(participant, now=timezone.now()),
        "contact": _text(participant, "contact"),
    }
    return render(request, "judgments/leave.html", page)


@never_cache
@require_POST
@in_own_language
def hand_over(request: HttpRequest, slug: str) -> HttpResponse:
    """End the session on the server, so that the next person starts afresh."""
    study = get_object_or_404(Study, pk=slug)
    if participant := current_participant(request, study):
        with suppress(ParticipantNotFound):  # erased in another tab
            path.hand_over(participant_id=participant.pk, now=timezone.now())
    sign_out(request, participant)
    return _home(study)


@never_cache
@require_POST
@in_own_language
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Erase the participant and show the receipt."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    sign_out(request, participant)
    if participant is None:
        return _home(study)
    try:
        receipt = path.leave_and_delete(participant_id=participant.pk, now=timezone.now())
    except ParticipantNotFound:
        return _home(study)
    return render(request, "judgments/receipt.html", {"study": study, "receipt": receipt})


@never_cache
@in_own_language
def form_expired(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer a form whose token does not fit: often a page of whoever used this browser before."""
    return render(request, "judgments/form_expired.html", {"slug": slug}, status=403)


def _home(study: Study) -> HttpResponse:
    return SeeOther(home_of(study))


def _landing(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what the study is. Looking changes nothing."""
    platform = _platform_of(request.GET.dict(), study)
    outline = outline_of(study, locale=get_language() or "en", now=timezone.now())
    if outline is None:
        return render(request, "judgments/not_open.html", {"study": study})
    page = {"study": study, "platform": platform, "outline": outline}
    return render(request, "judgments/landing.html", page)


def _refuse_for_now(
    request: HttpRequest, study: Study, *, wait_seconds: float | None
) -> HttpResponse:
    seconds = math.ceil(wait_seconds or 1)
    page = {"study": study, "wait_minutes": math.ceil(seconds / 60)}
    reply = render(request, "judgments/too_many.html", page, status=429)
    reply["Retry-After"] = str(seconds)
    return reply


def _show_step(
    request: HttpRequest, study: Study, participant: Participant, form: Form | None = None
) -> HttpResponse:
    """Show the page that is next, with the form that could not be taken if there is one."""
    now = timezone.now()
    step = step_of(participant, now=now)
    if step.step is Step.ITEM:
        return _show_item(request, participant, step.position or 0, form, now=now)
    if step.step is Step.LOST_PLACE:
        with suppress(ParticipantNotFound):  # erased in another tab
            path.note_late_return(participant_id=participant.pk, now=now)
    page: dict[str, Any] = {
        "study": study,
        "step": step,
        "personal_link": link_of(request, study),
    }
    if step.step in RETURN_CODES:
        page |= _end(participant, step.step)
    else:
        page |= _question(participant, step.step)
    if form:
        page["form"] = form
    template = f"judgments/{step.step.value.replace('-', '_')}.html"
    return render(request, template, page, status=422 if form else 200)


def _show_item(
    request: HttpRequest,
    participant: Participant,
    position: int,
    form: Form | None,
    *,
    now: datetime,
) -> HttpResponse:
    try:
        item = judging.show_item(participant_id=participant.pk, position=position, now=now)
    except (path.NotNext, ParticipantNotFound):  # another tab was quicker
        return _home(participant.study)
    form = form or forms.JudgmentForm(protocol_of(participant), initial={"position": item.position})
    return _item_page(request, participant, item, form)


def _item_page(
    request: HttpRequest,
    participant: Participant,
    item: Item,
    form: Form,
    *,
    is_change: bool = False,
) -> HttpResponse:
    page = {
        "study": participant.study,
        "screen": screen_of(item),
        "form": form,
        "is_change": is_change,
        "can_change": not is_change and changeable_item(participant) is not None,
    }
    return render(request, "judgments/item.html", page, status=422 if form.errors else 200)


def _question(participant: Participant, step: Step) -> dict[str, Any]:
    """Return what the page of a step asks, besides its words."""
    protocol = protocol_of(participant)
    if step is Step.CONSENT:
        locale, text = protocol.consent_text(get_language() or "en")
        return {
            "form": forms.YesNoForm(),
            "consent_locale": locale,
            "consent_text": text,
            "contact": _text(participant, "contact"),
        }
    if step is Step.ELIGIBILITY:
        return {"form": forms.YesNoForm(), "eligibility": _text(participant, "eligibility")}
    if step is Step.COMPREHENSION:
        number = participant.comprehension_attempts.count() + 1
        form = forms.ComprehensionForm(protocol)
        form.initial = {"number": number}
        return {"form": form, "number": number}
    if step is Step.DEBRIEF:
        return {"form": forms.DebriefForm(), "debrief": _text(participant, "debrief")}
    return {}


def _text(participant: Participant, name: str) -> Words:
    return protocol_of(participant).text(name, get_language() or "en")


def _end(participant: Participant, step: Step) -> dict[str, Any]:
    """Return the code of an end, and the way back to the platform that sent the participant."""
    code = protocol_of(participant).return_codes[RETURN_CODES[step]]
    came_from_platform = participant.platform_pid is not None and bool(code)
    return {
        "completion_code": participant.completion_code,
        "return_url": PLATFORM_RETURN + code if came_from_platform else "",
    }


def _take_answer(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    try:
        take_step(request, participant, now=timezone.now())
    except StepUnknown as error:
        raise Http404("There is no such step.") from error
    except (path.NotNext, judging.AnswerFinal):
        messages.info(request, _("That was answered already. Please continue here."))
    except (Unanswered, judging.ChoiceNotOffered) as refusal:
        return _ask_again(request, study, participant, getattr(refusal, "form", None))
    except ParticipantNotFound:
        sign_out(request, participant)
    return _go_on(request, study)


def _ask_again(
    request: HttpRequest, study: Study, participant: Participant, form: Form | None
) -> HttpResponse:
    """Ask for the answer again; what was typed stays in the form."""
    if _is_script(request):
        problems = (form.errors if form else {}).get("comment", ())
        words = " ".join(str(problem) for problem in problems)
        return JsonResponse({"problem": words or _choose()}, status=422)
    if form is None or "choice" in form.errors:
        messages.error(request, _choose())
    if form is None:
        return _home(study)
    last = changeable_item(participant)
    if last and str(last.position) == request.POST.get("position"):
        return _item_page(request, participant, last, form, is_change=True)
    return _show_step(request, study, participant, form)


def _choose() -> str:
    return _("Please choose an answer before you go on.")


def _go_on(request: HttpRequest, study: Study, *, is_settled: bool = True) -> HttpResponse:
    """Lead to the page that is next; tell a script whether it may forget what it sent."""
    if _is_script(request):
        return JsonResponse({"next": home_of(study), "settled": is_settled})
    return _home(study)


def _is_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def _platform_of(sent: Mapping[str, str], study: Study) -> dict[str, str]:
    """Return what the platform's link says; what no platform says is refused, never shortened.

    Two ids that differ after their eightieth character would be one person.
    """
    platform = {name: sent[name] for name in PLATFORM_FIELDS if sent.get(name)}
    if platform.get("STUDY_ID") not in (None, study.platform_study_id):
        raise Http404("This link belongs to another study.")
    is_long = (
        len(normalise_pid(platform.get("PROLIFIC_PID", ""))) > MAX_PID
        or len(platform.get("SESSION_ID", "")) > MAX_SESSION
    )
    if is_long or "\0" in "".join(platform.values()):
        raise Http404("This is no link of a platform.")
    return platform
