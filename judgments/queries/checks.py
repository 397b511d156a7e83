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
    """Return the outcomes so far, read from the rows and never stored.

    A repeat is consistent if the same action was chosen, or the same code where none was.
    """
    passed = Q(judgment__chosen=F("expected"))
    consistent = Q(judgment__chosen=F("repeat_of__judgment__chosen")) | Q(
        judgment__chosen__isnull=True, judgment__choice=F("repeat_of__judgment__choice")
    )
    counts = participant.items.filter(judgment__isnull=False).aggregate(
        n_instructed=Count("pk", filter=Q(kind=ItemKind.INSTRUCTED)),
        n_instructed_passed=Count("pk", filter=Q(kind=ItemKind.INSTRUCTED) & passed),
        n_dominated=Count("pk", filter=Q(kind=ItemKind.DOMINATED)),
        n_dominated_passed=Count("pk", filter=Q(kind=ItemKind.DOMINATED) & passed),
        n_repeats=Count("pk", filter=Q(kind=ItemKind.REPEAT)),
        n_repeats_consistent=Count("pk", filter=Q(kind=ItemKind.REPEAT) & consistent),
    )
    return CheckOutcomes(**counts)
