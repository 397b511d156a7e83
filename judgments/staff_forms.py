"""What staff may send while a study runs, read into plain values."""

from typing import Any

from django import forms
from django.http import QueryDict

from judgments.queries.audit import AuditFilter
from judgments.standing import WITHOUT_CONSENT, Standing
from judgments.submissions import ListUnreadable, Submission, read_submissions

MAX_LIST_BYTES = 4_000_000
ANY_STAFF = "*"  # no user name has an asterisk


class PeopleForm(forms.Form):
    """Which people the monitor lists."""

    standing = forms.ChoiceField(
        label="State",
        required=False,
        choices=[
            ("", "All states"),
            *((one.value, one.value) for one in Standing if one not in WITHOUT_CONSENT),
        ],
    )
    only = forms.ChoiceField(
        label="Who",
        required=False,
        choices=[("", "Everybody"), ("flagged", "Flagged"), ("excluded", "Excluded")],
    )


class ReasonForm(forms.Form):
    """Why an exclusion is made or undone."""

    reason = forms.CharField(
        label="Reason",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Write why: the reason is kept in the log."},
    )


class NoteForm(forms.Form):
    """A note about a participant."""

    text = forms.CharField(
        label="New note",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Write something before you save the note."},
    )


class ListForm(forms.Form):
    """The platform's list of submissions, as a file or pasted."""

    file = forms.FileField(label="File (csv)", required=False)
    text = forms.CharField(
        label="Or paste the lines, the header first",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    submissions: tuple[Submission, ...] = ()

    def clean(self) -> dict[str, Any]:
        """Read whichever was given; a file goes before pasted lines."""
        cleaned = super().clean() or {}
        try:
            self.submissions = read_submissions(self._given(cleaned))
        except ListUnreadable as error:
            raise forms.ValidationError(str(error)) from error
        return cleaned

    def _given(self, cleaned: dict[str, Any]) -> str:
        file = cleaned.get("file")
        if not file:
            return cleaned.get("text") or ""
        if file.size > MAX_LIST_BYTES:
            raise ListUnreadable(f"The file is larger than {MAX_LIST_BYTES // 1_000_000} MB.")
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ListUnreadable("The file is not text in UTF-8. Export it as csv.") from error


class AuditForm(forms.Form):
    """Which entries of the log are listed."""

    participant = forms.UUIDField(
        label="Participant",
        required=False,
        error_messages={"invalid": "Write the whole id of a participant, with its hyphens."},
    )
    since = forms.DateField(
        label="From",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": "Write the day as 2026-11-30."},
    )
    until = forms.DateField(
        label="To",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        error_messages={"invalid": "Write the day as 2026-11-30."},
    )

    def __init__(self, data: QueryDict, *, events: list[str], staff: list[str]) -> None:
        super().__init__(data)
        self.fields["event"] = forms.ChoiceField(
            label="What",
            required=False,
            choices=[("", "Everything"), *((one, one.replace("_", " ")) for one in events)],
        )
        names = [("", "Everybody"), (ANY_STAFF, "Any staff"), *((name, name) for name in staff)]
        self.fields["staff"] = forms.ChoiceField(label="Who", required=False, choices=names)

        self.order_fields(["event", "staff", "participant", "since", "until"])

    @property
    def wanted(self) -> AuditFilter:
        """The filter; nothing of a form with a fault is applied."""
        if not self.is_valid():
            return AuditFilter()
        asked = self.cleaned_data
        staff = asked["staff"]
        return AuditFilter(
            event=asked["event"],
            staff="" if staff == ANY_STAFF else staff,
            participant=asked["participant"],
            since=asked["since"],
            until=asked["until"],
            only_staff=staff == ANY_STAFF,
        )
