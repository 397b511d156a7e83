"""The participant's path: one address for every step, and three ways to leave."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from judgments import forms
from judgments.actions import judging, path
from judgments.answering import StepUnknown, Unanswered, take_step
from judgments.entering import landing
from judgments.models import Item, Participant, Study
from judgments.protocol import Words
from judgments.queries.participants import (
    ParticipantNotFound,
    protocol_of,
    resume_until,
    step_of,
)
from judgments.queries.screens import changeable_item, screen_of
from judgments.sessions import (
    current_participant,
    home_of,
    in_own_language,
    is_somebody_else,
    lead_home,
    link_of,
    sign_out,
    takes_a_form,
)
from judgments.steps import TOO_LATE, Step

PLATFORM_RETURN = "https://app.prolific.com/submissions/complete?cc="
RETURN_CODES = {
    Step.COMPLETE: "complete",
    Step.SCREENED_OUT: "screened-out",
    Step.REFUSED: "no-consent",
}


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
        return landing(request, study)
    return _show_step(request, study, participant)


@never_cache
@require_safe
@in_own_language
def last_answer(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the last answer again, as long as it may be changed."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    item = changeable_item(participant) if participant else None
    if participant is None or item is None:
        return lead_home(study)
    if step_of(participant, now=timezone.now()).step in TOO_LATE:
        return lead_home(study)
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
    """Offer the ways to leave: come back later while the path goes on, hand over, delete."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    if participant is None:
        return lead_home(study)
    page = {
        "study": study,
        "personal_link": link_of(request, study),
        "step": step_of(participant, now=timezone.now()),
        "resume_until": resume_until(participant),
        "contact": _text(participant, "contact"),
    }
    return render(request, "judgments/leave.html", page)


@never_cache
@in_own_language
@takes_a_form
def hand_over(request: HttpRequest, slug: str) -> HttpResponse:
    """End the session on the server, so that the next person starts afresh."""
    study = get_object_or_404(Study, pk=slug)
    if participant := current_participant(request, study):
        with suppress(ParticipantNotFound):  # erased in another tab
            path.hand_over(participant_id=participant.pk, now=timezone.now())
    sign_out(request, study)
    return lead_home(study)


@never_cache
@in_own_language
@takes_a_form
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Erase the participant and show the receipt."""
    study = get_object_or_404(Study, pk=slug)
    participant = current_participant(request, study)
    sign_out(request, study)
    if participant is None:
        return lead_home(study)
    try:
        receipt = path.leave_and_delete(participant_id=participant.pk, now=timezone.now())
    except ParticipantNotFound:
        return lead_home(study)
    return render(request, "judgments/receipt.html", {"study": study, "receipt": receipt})


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
        return lead_home(participant.study)
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
    return {"contact": _text(participant, "contact")} if step in TOO_LATE else {}


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
    except path.TooLate:
        words = _("That came too late: it was not stored. What you had answered before is kept.")
        messages.error(request, words)
    except (path.NotNext, judging.AnswerFinal):
        messages.info(request, _("That was answered already. Please continue here."))
    except (Unanswered, judging.ChoiceNotOffered) as refusal:
        return _ask_again(request, study, participant, getattr(refusal, "form", None))
    except ParticipantNotFound:
        sign_out(request, study)
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
        return lead_home(study)
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
    return lead_home(study)


def _is_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"
