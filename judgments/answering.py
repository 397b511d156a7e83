"""What a participant sends, step by step: each is read and given to its one action."""

import hashlib
from collections.abc import Callable
from datetime import datetime

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from judgments import forms
from judgments.actions import judging, path
from judgments.models import Choice, Participant
from judgments.queries.participants import protocol_of
from judgments.steps import Step


class StepUnknown(Exception):
    """The form names no step of the path."""


class Unanswered(Exception):
    """The form came without an answer that can be read; it is shown again if it has more in it."""

    def __init__(self, form: Form | None = None) -> None:
        super().__init__()
        self.form = form


def take_step(request: HttpRequest, participant: Participant, *, now: datetime) -> None:
    """Store the answer to the step that the form names.

    Raises
    ------
    StepUnknown, Unanswered, NotNext, AnswerFinal, ChoiceNotOffered, ParticipantNotFound
    """
    taker = _TAKERS.get(request.POST.get("step", ""))
    if taker is None:
        raise StepUnknown
    taker(request, participant, now)


def _take_consent(request: HttpRequest, participant: Participant, now: datetime) -> None:
    # The text that was read counts, also if another language was chosen in another tab since.
    read_in = request.POST.get("locale") or get_language() or "en"
    locale, text = protocol_of(participant).consent_text(read_in)
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
        raise Unanswered
    path.answer_comprehension(
        participant_id=participant.pk,
        number=form.cleaned_data["number"],
        answers=form.answers,
        now=now,
    )


def _take_break(request: HttpRequest, participant: Participant, now: datetime) -> None:
    form = forms.BreakForm(request.POST)
    if not form.is_valid():
        raise Unanswered
    path.take_break(
        participant_id=participant.pk, after_place=form.cleaned_data["after_place"], now=now
    )


def _take_judgment(request: HttpRequest, participant: Participant, now: datetime) -> None:
    form = forms.JudgmentForm(protocol_of(participant), request.POST)
    if not form.is_valid():
        raise Unanswered(form)
    recorded = judging.record_judgment(
        participant_id=participant.pk,
        position=form.cleaned_data["position"],
        choice=Choice(form.cleaned_data["choice"]),
        comment=form.cleaned_data.get("comment", ""),
        report=forms.read_report(request.POST.dict()),
        now=now,
    )
    if recorded.outcome is judging.Outcome.REVISED:  # perhaps in an older tab
        words = _("That was answered already; your answer is changed. Please continue here.")
    else:
        words = _("Answer saved.")
    messages.success(request, words)


def _take_debrief(request: HttpRequest, participant: Participant, now: datetime) -> None:
    form = forms.DebriefForm(request.POST)
    if not form.is_valid():
        raise Unanswered(form)
    path.finish(
        participant_id=participant.pk,
        closing_comment=form.cleaned_data["closing_comment"],
        now=now,
    )


_TAKERS: dict[str, Callable[[HttpRequest, Participant, datetime], None]] = {
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
        raise Unanswered
    return form.is_yes
