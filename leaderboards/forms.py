"""What the address of a board may ask for: an entry's name, and the column that orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django import forms

from episodes.models import Agent
from leaderboards.metrics import METRICS, Direction
from leaderboards.queries import BY_RANK, ORDERS


class BoardForm(forms.Form):
    """A search for entries, and the column that orders them."""

    q = forms.CharField(required=False, max_length=80)
    order = forms.ChoiceField(
        required=False, choices=[(sign + name, name) for name in ORDERS for sign in ("", "-")]
    )

    def read(self) -> tuple[str, str]:
        """Return search and order; what is not valid is as if it was not asked."""
        self.is_valid()
        return self.cleaned_data.get("q", ""), self.cleaned_data.get("order") or BY_RANK


def read_rival(query: Mapping[str, str], rivals: Sequence[Agent]) -> Agent | None:
    """Return the entry to compare with: the one asked for, else the best other one."""
    asked = query.get("against")
    return next((rival for rival in rivals if str(rival.pk) == asked), next(iter(rivals), None))


@dataclass(frozen=True)
class Column:
    """A column head that sorts: the order its link asks for, and how it is sorted now."""

    title: str
    link: str
    aria_sort: str
    direction: Direction | None = None


def columns(order: str) -> list[Column]:
    """Return the columns that sort, rank first; the first press puts the best on top."""
    return [
        _column(BY_RANK, "Rank", order, best_first=BY_RANK),
        *(
            _column(
                metric.name,
                metric.title,
                order,
                best_first=f"-{metric.name}"
                if metric.direction is Direction.HIGHER
                else metric.name,
                direction=metric.direction,
            )
            for metric in METRICS
        ),
    ]


def _column(
    name: str, title: str, order: str, *, best_first: str, direction: Direction | None = None
) -> Column:
    worst_first = best_first[1:] if best_first.startswith("-") else f"-{best_first}"
    return Column(
        title=title,
        link=worst_first if order == best_first else best_first,
        aria_sort={name: "ascending", f"-{name}": "descending"}.get(order, "none"),
        direction=direction,
    )
