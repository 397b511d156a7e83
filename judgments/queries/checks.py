"""How participants fared at the attention checks."""

from dataclasses import dataclass

from django.db.models import Count, F, Q

from judgments.assignment import ItemKind
from judgments.models import Participant


@dataclass(frozen=True)
class CheckOutcomes:
    """Answered and passed checks by kind. Dominated pairs are for analysis, never to reject."""

    n_instructed: int
    n_instructed_passed: int
    n_dominated: int
    n_dominated_passed: int
    n_repeats: int
    n_repeats_consistent: int

    @property
    def n_failed(self) -> int:
        """Of the checks that can fail: instructed ones and repeats."""
        return (
            self.n_instructed
            - self.n_instructed_passed
            + self.n_repeats
            - self.n_repeats_consistent
        )


def check_outcomes(participant: Participant) -> CheckOutcomes:
    """Return the outcomes so far, read from the rows and never stored."""
    return CheckOutcomes(**participant.items.aggregate(**check_counts("")))


def check_counts(items: str) -> dict[str, Count]:
    """Return the sums of CheckOutcomes over answered items; `items` is the path to them.

    A repeat is consistent if the same action was chosen, or the same code where none was.
    """
    chosen, choice = f"{items}judgment__chosen", f"{items}judgment__choice"
    first = f"{items}repeat_of__judgment__"
    passed = Q(**{chosen: F(f"{items}expected")})
    consistent = Q(**{chosen: F(f"{first}chosen")}) | Q(
        **{f"{chosen}__isnull": True, choice: F(f"{first}choice")}
    )

    def count(kind: ItemKind, *conditions: Q) -> Count:
        answered = Q(**{f"{items}judgment__isnull": False, f"{items}kind": kind})
        return Count(f"{items}pk", filter=Q(answered, *conditions))

    return {
        "n_instructed": count(ItemKind.INSTRUCTED),
        "n_instructed_passed": count(ItemKind.INSTRUCTED, passed),
        "n_dominated": count(ItemKind.DOMINATED),
        "n_dominated_passed": count(ItemKind.DOMINATED, passed),
        "n_repeats": count(ItemKind.REPEAT),
        "n_repeats_consistent": count(ItemKind.REPEAT, consistent),
    }
