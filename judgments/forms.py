"""What a participant may send, read into plain values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

from judgments.actions.judging import ClientReport
from judgments.models import Choice, Layout
from judgments.protocol import Protocol

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_ACTIVE_MS = 2**31 - 1
MAX_COUNT = 2**15 - 1
MAX_COMMENT_LENGTH = 2000
YES_NO = [("yes", _("Yes")), ("no", _("No"))]
# A protocol names the questions that it asks, and their right answers.
QUESTIONS = {
    "task": (
        _("What should you look for in a pair of proposals?"),
        [
            ("longer-text", _("Which one is written at greater length.")),
            ("more-informative", _("Which one would teach more about the question, for its cost.")),
            ("surer-success", _("Which one would give the better numbers.")),
        ],
    ),
}
CHOICE_LABELS = {
    Choice.LEFT: _("A is more informative"),
    Choice.RIGHT: _("B is more informative"),
    Choice.EQUAL: _("Both are equal"),
    Choice.CANNOT_JUDGE: _("I cannot judge"),
}


class CommentField(forms.CharField):
    """Words that may be left out; too many of them are refused and none is lost."""

    widget = forms.Textarea

    def __init__(self, *, label: "StrOrPromise") -> None:
        super().__init__(
            label=label,
            required=False,
            max_length=MAX_COMMENT_LENGTH,
            widget=forms.Textarea({"rows": 2}),
            error_messages={
                "max_length": _(
                    "The comment has %(show_value)d characters; %(limit_value)d can be kept."
                )
            },
        )

    def to_python(self, value: object) -> str:
        """Return the words with the line ends that the browser counted."""
        return str(super().to_python(value) or "").replace("\r\n", "\n")


class YesNoForm(forms.Form):
    """One question with two answers, none of them chosen beforehand."""

    answer = forms.ChoiceField(choices=YES_NO, widget=forms.RadioSelect)

    @property
    def is_yes(self) -> bool:
        return bool(self.cleaned_data["answer"] == "yes")


class ComprehensionForm(forms.Form):
    """The questions of the protocol, and the number of the attempt."""

    number = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, protocol: Protocol, data: Mapping[str, object] | None = None) -> None:
        super().__init__(data)
        for name in protocol.comprehension:
            question, options = QUESTIONS[name]
            self.fields[name] = forms.ChoiceField(
                label=question, choices=options, widget=forms.RadioSelect
            )

    @property
    def answers(self) -> dict[str, str]:
        return {name: value for name, value in self.cleaned_data.items() if name != "number"}


class BreakForm(forms.Form):
    """The break card that is left behind."""

    after_place = forms.IntegerField(min_value=1)


class JudgmentForm(forms.Form):
    """A choice for the item at a position."""

    position = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    choice = forms.ChoiceField(widget=forms.RadioSelect)

    def __init__(
        self,
        protocol: Protocol,
        data: Mapping[str, object] | None = None,
        *,
        initial: dict[str, object] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self.offers_equal = protocol.allows_equal
        offered = [Choice.LEFT, Choice.RIGHT]
        if protocol.allows_equal:
            offered.append(Choice.EQUAL)
        if protocol.allows_cannot_judge:
            offered.append(Choice.CANNOT_JUDGE)
        choices = [(choice.value, CHOICE_LABELS[choice]) for choice in offered]
        self.fields["choice"] = forms.ChoiceField(choices=choices, widget=forms.RadioSelect)
        if protocol.offers_comment:
            self.fields["comment"] = CommentField(label=_("Comment (optional)"))
            self.fields["comment"].widget.attrs["form"] = "judgment"  # it stands above the bar


class DebriefForm(forms.Form):
    """What a participant wants to add at the end."""

    closing_comment = CommentField(label=_("Anything you would like to add? (optional)"))


def read_report(data: Mapping[str, str]) -> ClientReport:
    """Return what the browser says of an answer; a value that cannot be is left out.

    It never costs an answer.
    """
    layout = data.get("layout", "")
    return ClientReport(
        active_ms=_number(data, "active_ms", most=MAX_ACTIVE_MS),
        focus_losses=_number(data, "focus_losses", most=MAX_COUNT),
        layout=Layout(layout) if layout in Layout.values else Layout.UNKNOWN,
        viewport_width=_number(data, "viewport_width", most=MAX_COUNT),
        viewport_height=_number(data, "viewport_height", most=MAX_COUNT),
    )


def _number(data: Mapping[str, str], name: str, *, most: int) -> int | None:
    typed = data.get(name, "")
    # Ten digits hold every bound; int() would also take thousands of them.
    if not (typed.isascii() and typed.isdigit() and len(typed) <= 10):
        return None
    return int(typed) if int(typed) <= most else None
