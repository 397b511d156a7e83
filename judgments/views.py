"""The participant's path: landing, one address for every step, and three ways to leave."""

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judgments import forms
from judgments.actions import judging, path
from judgments.actions.joining import PidBlocked, StudyNotOpen, join_study
from judgments.links import normalise_pid
from judgments.models import Choice, Participant, Study
from judgments.queries.participants import (
    ParticipantNotFound,
    find_by_link,
    find_by_session,
    protocol_of,
    step_of,
)
from judgments.queries.screens import changeable_item, screen_of
from judgments.steps import NextStep, Step

PLATFORM_FIELDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
PLATFORM_RETURN = "https://app.prolific.com/submissions/complete?cc="
RETURN_CODES = {
    Step.COMPLETE: "complete",
    Step.SCREENED_OUT: "screened-out",
    Step.REFUSED: "no-consent",
}
SEED_BITS = 62


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the landing page or the participant's next step; take the answer to a step."""
    study = get_object_or_404(Study, pk=slug)
    participant = _participant(request, study)
    if request.method == "POST":
        if participant is None:
            messages.info(request, _("Your session has ended. Use your personal link to go on."))
            return redirect(_home(study))
        return _take_answer(request, study, participant)
    if participant is None or _is_somebody_else(request, participant):
        return _landing(request, study)
    return _show_step(request, study, participant)


@never_cache
@require_POST
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Join the study, or come back to it by the platform's id."""
    study = get_object_or_404(Study, pk=slug)
    _require_same_platform_study(study, request.POST.get("STUDY_ID", ""))
    pid = request.POST.get("PROLIFIC_PID", "")
    present = _participant(request, study)
    if present and (not pid or present.platform_pid == normalise_pid(pid)):
        return redirect(_home(study))
    try:
        joined = join_study(
            study_slug=study.pk,
            seed=secrets.randbits(SEED_BITS),
            now=timezone.now(),
            platform_pid=pid[:80],
            platform_session=request.POST.get("SESSION_ID", "")[:80],
        )
    except (StudyNotOpen, PidBlocked) as refusal:
        page = {"is_blocked": isinstance(refusal, PidBlocked), "study": study}
        return render(request, "judgments/not_open.html", page, status=403)
    _sign_in(request, joined.participant)
    if joined.token:
        link = reverse("judgments:personal-link", args=[study.pk, joined.token])
        request.session[_link_key(study)] = request.build_absolute_uri(link)
    return redirect(_home(study))


@never_cache
@require_safe
def personal_link(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Open the session of whose link this is; whoever used this browser before is signed out."""
    study = get_object_or_404(Study, pk=slug)
    try:
        participant = find_by_link(study_slug=study.pk, token=token)
    except ParticipantNotFound as error:
        raise Http404("There is no such link.") from error
    path.open_link(participant_id=participant.pk, now=timezone.now())
    _sign_in(request, participant)
    return redirect(_home(study))


@never_cache
@require_safe
def last_answer(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the last answer again, as long as it may be changed."""
    study = get_object_or_404(Study, pk=slug)
    participant = _participant(request, study)
    item = changeable_item(participant) if participant else None
    if participant is None or item is None:
        return redirect(_home(study))
    screen = screen_of(item)
    initial: dict[str, object] = {"position": screen.position, "choice": screen.choice}
    form = forms.JudgmentForm(protocol_of(participant), initial=initial)
    page = {"study": study, "screen": screen, "form": form, "is_change": True}
    return render(request, "judgments/item.html", page)


@never_cache
@require_safe
def leave_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Offer the ways to leave: come back later, hand over, delete."""
    study = get_object_or_404(Study, pk=slug)
    if _participant(request, study) is None:
        return redirect(_home(study))
    page = {"study": study, "personal_link": request.session.get(_link_key(study))}
    return render(request, "judgments/leave.html", page)


@never_cache
@require_POST
def hand_over(request: HttpRequest, slug: str) -> HttpResponse:
    """End the session on the server, so that the next person starts afresh."""
    study = get_object_or_404(Study, pk=slug)
    if participant := _participant(request, study):
        path.hand_over(participant_id=participant.pk, now=timezone.now())
    request.session.flush()
    return redirect(_home(study))


@never_cache
@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Erase the participant and show the receipt."""
    study = get_object_or_404(Study, pk=slug)
    participant = _participant(request, study)
    request.session.flush()
    if participant is None:
        return redirect(_home(study))
    try:
        receipt = path.leave_and_delete(participant_id=participant.pk, now=timezone.now())
    except ParticipantNotFound:
        return redirect(_home(study))
    return render(request, "judgments/receipt.html", {"study": study, "receipt": receipt})


def _landing(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what the study is. Looking changes nothing."""
    _require_same_platform_study(study, request.GET.get("STUDY_ID", ""))
    platform = {name: request.GET[name] for name in PLATFORM_FIELDS if request.GET.get(name)}
    return render(request, "judgments/landing.html", {"study": study, "platform": platform})


def _show_step(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    now = timezone.now()
    step = step_of(participant, now=now)
    page: dict[str, Any] = {
        "study": study,
        "step": step,
        "personal_link": request.session.get(_link_key(study)),
    }
    if step.step is Step.ITEM:
        return _show_item(request, participant, step, page, now=now)
    if step.step in RETURN_CODES:
        page |= _end(participant, step.step)
    else:
        page |= _question(participant, step.step)
    return render(request, f"judgments/{step.step.value.replace('-', '_')}.html", page)


def _show_item(
    request: HttpRequest,
    participant: Participant,
    step: NextStep,
    page: dict[str, Any],
    *,
    now: datetime,
) -> HttpResponse:
    try:
        item = judging.show_item(
            participant_id=participant.pk, position=step.position or 0, now=now
        )
    except (path.NotNext, ParticipantNotFound):  # another tab was quicker
        return redirect(_home(page["study"]))
    form = forms.JudgmentForm(protocol_of(participant), initial={"position": item.position})
    can_change = changeable_item(participant) is not None
    page |= {"screen": screen_of(item), "form": form, "can_change": can_change}
    return render(request, "judgments/item.html", page)


def _question(participant: Participant, step: Step) -> dict[str, Any]:
    """Return what the page of a step asks, besides its words."""
    protocol = protocol_of(participant)
    if step is Step.CONSENT:
        locale, text = protocol.consent_text(get_language() or "en")
        return {"form": forms.YesNoForm(), "consent_locale": locale, "consent_text": text}
    if step is Step.ELIGIBILITY:
        return {"form": forms.YesNoForm()}
    if step is Step.COMPREHENSION:
        number = participant.comprehension_attempts.count() + 1
        form = forms.ComprehensionForm(protocol)
        form.initial = {"number": number}
        return {"form": form, "number": number}
    return {}


def _end(participant: Participant, step: Step) -> dict[str, Any]:
    """Return the code of an end, and the way back to the platform that sent the participant."""
    code = protocol_of(participant).return_codes[RETURN_CODES[step]]
    came_from_platform = participant.platform_pid is not None and bool(code)
    return {
        "completion_code": participant.completion_code,
        "return_url": PLATFORM_RETURN + code if came_from_platform else "",
    }


def _take_answer(request: HttpRequest, study: Study, participant: Participant) -> HttpResponse:
    taker = TAKERS.get(request.POST.get("step", ""))
    if taker is None:
        raise Http404("There is no such step.")
    try:
        taker(request, participant, timezone.now())
    except (path.NotNext, judging.AnswerFinal):
        messages.info(request, _("That was answered already. Please continue here."))
    except (_Unanswered, judging.ChoiceNotOffered):
        messages.error(request, _("Please choose an answer before you go on."))
    except ParticipantNotFound:
        request.session.flush()
    return redirect(_home(study))


class _Unanswered(Exception):
    """The form came without an answer that can be read."""


def _take_consent(request: HttpRequest, participant: Participant, now: datetime) -> None:
    locale, text = protocol_of(participant).consent_text(get_language() or "en")
    path.give_consent(
        participant_id=participant.pk,
        is_given=_yes(request),
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        locale=locale,
        now=now,
    )


def _take_eligibility(request: HttpRequest, participant: Participant, now: datetime) -> None:
    path.answer_eligibility(participant_id=participant.pk, is_eligible=_yes(request), now=now)


def _take_instructions(request: HttpRequest, participant: Participant, now: datetime) -> None:
    path.read_instructions(participant_id=participant.pk, now=now)


def _take_comprehension(request: HttpRequest, participant: Participant, now: datetime) -> None:
    form = forms.ComprehensionForm(protocol_of(participant), request.POST)
    if not form.is_valid():
        raise _Unanswered
    path.answer_comprehension(
        participant_id=participant.pk,
        number=form.cleaned_data["number"],
        answers=form.answers,
        now=now,
    )


def _take_break(request: HttpRequest, participant: Participant, now: datetime) -> None:
    form = forms.BreakForm(request.POST)
    if not form.is_valid():
        raise _Unanswered
    path.take_break(
        participant_id=participant.pk, after_place=form.cleaned_data["after_place"], now=now
    )


def _take_judgment(request: HttpRequest, participant: Participant, now: datetime) -> None:
    form = forms.JudgmentForm(protocol_of(participant), request.POST)
    if not form.is_valid():
        raise _Unanswered
    judging.record_judgment(
        participant_id=participant.pk,
        position=form.cleaned_data["position"],
        choice=Choice(form.cleaned_data["choice"]),
        report=forms.read_report(request.POST.dict()),
        now=now,
    )
    messages.success(request, _("Answer saved."))


def _take_debrief(request: HttpRequest, participant: Participant, now: datetime) -> None:
    path.finish(participant_id=participant.pk, now=now)


TAKERS: dict[str, Callable[[HttpRequest, Participant, datetime], None]] = {
    Step.CONSENT.value: _take_consent,
    Step.ELIGIBILITY.value: _take_eligibility,
    Step.INSTRUCTIONS.value: _take_instructions,
    Step.COMPREHENSION.value: _take_comprehension,
    Step.BREAK.value: _take_break,
    Step.ITEM.value: _take_judgment,
    Step.DEBRIEF.value: _take_debrief,
}


def _yes(request: HttpRequest) -> bool:
    form = forms.YesNoForm(request.POST)
    if not form.is_valid():
        raise _Unanswered
    return form.is_yes


def _home(study: Study) -> str:
    return reverse("judgments:study", args=[study.pk])


# One session can belong to one person in each study; another study never sees it.
def _session_key(study: Study) -> str:
    return f"participant:{study.pk}"


def _link_key(study: Study) -> str:
    return f"personal-link:{study.pk}"


def _sign_in(request: HttpRequest, participant: Participant) -> None:
    # Nothing of whoever took part in this browser before is carried over.
    request.session.pop(_link_key(participant.study), None)
    request.session.cycle_key()
    request.session[_session_key(participant.study)] = {
        "id": str(participant.pk),
        "epoch": participant.session_epoch,
    }


def _participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return whose session this is in this study, if anybody's."""
    session = request.session.get(_session_key(study))
    if session is None:
        return None
    try:
        return find_by_session(
            study_slug=study.pk, participant_id=session["id"], epoch=session["epoch"]
        )
    except ParticipantNotFound:
        return None


def _is_somebody_else(request: HttpRequest, participant: Participant) -> bool:
    """Tell whether the platform sends another person to this browser."""
    pid = normalise_pid(request.GET.get("PROLIFIC_PID", ""))
    return bool(pid) and pid != participant.platform_pid


def _require_same_platform_study(study: Study, platform_study_id: str) -> None:
    if platform_study_id and platform_study_id != study.platform_study_id:
        raise Http404("This link belongs to another study.")
