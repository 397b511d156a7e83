"""What the address of a board may ask for."""

from django import forms

from leaderboards.queries import BY_RANK, ORDERS


class BoardForm(forms.Form):
    """A search for entries, and the column that orders them."""

    q = forms.CharField(required=False, max_length=80, label="Entry")
    order = forms.ChoiceField(
        required=False, choices=[(sign + name, name) for name in ORDERS for sign in ("", "-")]
    )

    def read(self) -> tuple[str, str]:
        """Return search and order; what is not valid is as if it was not asked."""
        self.is_valid()
        return self.cleaned_data.get("q", ""), self.cleaned_data.get("order") or BY_RANK
