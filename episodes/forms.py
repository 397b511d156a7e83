"""What a person in the browser may send, read into plain values."""

from django import forms
from django.http import QueryDict
from django.utils.text import Truncator

from catalog.models import Task
from episodes.actions.proposals import MAX_RESPONSE_CHARACTERS
from episodes.models import View
from scoring.masks import all_masks
from scoring.responses import Interface

PREDICTION_PREFIX = "prediction-"
# No number needs more, and what was typed is stored until it is submitted. What is cut must not
# be left a number: it would be another one.
_TYPED_CHARACTERS = 40


class StartForm(forms.Form):
    """A task, a budget and a view."""

    task = forms.ModelChoiceField(
        Task.objects.filter(is_current=True), to_field_name="slug", empty_label=None
    )
    budget = forms.IntegerField(min_value=0, label="Measurements you may buy")
    view = forms.ChoiceField(
        choices=View,
        initial=View.FULL,
        label="What you see",
        help_text="Opaque hides the names of the factors and the code.",
    )

    def clean(self) -> dict[str, object]:
        """Refuse a budget for which the task has too few masks, naming the most it allows."""
        cleaned = super().clean() or {}
        task, budget = cleaned.get("task"), cleaned.get("budget")
        if isinstance(task, Task) and isinstance(budget, int) and budget > task.n_masks - 2:
            self.add_error("budget", f"{task.slug} has {task.n_masks - 2} masks to buy at most.")
        return cleaned


class ProposalForm(forms.Form):
    """A response under an interface, kept as it was typed; an empty one may be sent."""

    interface = forms.ChoiceField(choices=[(one.value, one.value) for one in Interface])
    response = forms.CharField(
        required=False,
        max_length=MAX_RESPONSE_CHARACTERS,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10}),
    )


def read_predictions(data: QueryDict, n_factors: int) -> dict[str, str]:
    """Return the typed predictions by mask, as typed; empty fields are left out."""
    return {
        mask: Truncator(typed).chars(_TYPED_CHARACTERS)
        for mask in all_masks(n_factors)
        if (typed := data.get(f"{PREDICTION_PREFIX}{mask}", "").strip())
    }


def parse_predictions(typed: dict[str, str]) -> dict[str, object]:
    """Return numbers where numbers were typed; anything else stays for the ledger to refuse."""

    def number(text: str) -> object:
        try:
            return text if "_" in text else float(text)  # 0_1 is 1 to Python and a slip to people
        except ValueError:
            return text

    return {mask: number(text) for mask, text in typed.items()}
