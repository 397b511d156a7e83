"""What staff type about a study beside its protocol: its name, settings and certificate."""

from django import forms
from django.core.exceptions import ValidationError

from judgments.links import MAX_PID, normalise_pid


class CreateForm(forms.Form):
    """A title is enough: the name follows from it, and the rest is as in the source study."""

    title = forms.CharField(max_length=120, help_text="Participants read it on every page.")
    slug = forms.SlugField(
        label="Name in the address",
        max_length=50,
        required=False,
        help_text="Small letters, digits and hyphens. Empty: made from the title.",
    )


class SettingsForm(forms.Form):
    """What may change at any time, because no participant's screen depends on it."""

    title = forms.CharField(max_length=120)
    platform_study_id = forms.CharField(
        label="Platform study id",
        max_length=80,
        required=False,
        help_text="STUDY_ID of the recruitment platform. Links that carry another one are refused.",
    )
    blocked_ids = forms.CharField(
        label="Blocked ids",
        required=False,
        max_length=200_000,
        help_text="Platform ids that may not take part, one a line. Case and spaces do not matter.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def clean_blocked_ids(self) -> tuple[str, ...]:
        """Return the ids, each at most as long as a platform's."""
        ids = [line.strip() for line in self.cleaned_data["blocked_ids"].splitlines()]
        if long := [one for one in ids if len(normalise_pid(one)) > MAX_PID]:
            raise ValidationError(f"An id has at most {MAX_PID} characters: {long[0][:20]}…")
        return tuple(one for one in ids if one)


class CertificateForm(forms.Form):
    """How many people to simulate, and from which seed."""

    n_people = forms.IntegerField(
        label="People in a study",
        min_value=1,
        max_value=500,
        initial=18,
        help_text="As many as you plan to take. 18 reproduce the source study.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**62,
        required=False,
        help_text="Empty: drawn, and stored with the certificate.",
    )
