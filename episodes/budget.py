"""What a batch of measurements costs, and whether the budget pays for it."""

import json
from collections.abc import Collection, Sequence

from scoring.masks import is_legal

_SHOWN_CHARACTERS = 40


class BudgetOutOfRange(Exception):
    """No episode of this task can have such a budget."""

    code = "budget_out_of_range"

    def __init__(self, *, maximum: int) -> None:
        reason = f"must be a whole number from 0 to {maximum}"
        super().__init__(f"The budget {reason}.")
        self.details = {"budget": [reason]}


class IllegalMasks(Exception):
    """The batch names configurations that the task does not have."""

    code = "illegal_masks"

    def __init__(self, masks: Sequence[object], *, n_factors: int) -> None:
        super().__init__(
            f"Every mask must be a string of {n_factors} characters 0 or 1. Nothing was charged."
        )
        self.details = {"masks": [_shown(mask) for mask in masks]}


class BudgetExceeded(Exception):
    """The batch needs more credits than remain."""

    code = "budget_exceeded"

    def __init__(self, *, credits_needed: int, credits_remaining: int) -> None:
        super().__init__(
            f"This batch needs {credits_needed} credits and {credits_remaining} remain. "
            "Nothing was charged."
        )
        self.details = {
            "reason": "not_enough_credits",
            "credits_needed": credits_needed,
            "credits_remaining": credits_remaining,
        }


def check_budget(budget: int, *, n_masks: int) -> None:
    """Pass if an episode may have this budget: 0 to all masks but the two free ones.

    Raises
    ------
    BudgetOutOfRange
        If it is no whole number in that range.
    """
    maximum = n_masks - 2
    if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget <= maximum:
        raise BudgetOutOfRange(maximum=maximum)


def distinct_masks(masks: Sequence[object], *, n_factors: int) -> tuple[str, ...]:
    """Return the masks of a batch without repeats, in the order first asked.

    Raises
    ------
    IllegalMasks
        Naming every mask that the task does not have.
    """
    legal = [mask for mask in masks if isinstance(mask, str) and is_legal(mask, n_factors)]
    if len(legal) < len(masks):
        raise IllegalMasks(
            [mask for mask in masks if not is_legal(mask, n_factors)], n_factors=n_factors
        )
    return tuple(dict.fromkeys(legal))


def masks_to_charge(
    asked: Sequence[str], *, observed: Collection[str], credits_remaining: int
) -> tuple[str, ...]:
    """Return the masks of a batch that cost one credit each: those not observed so far.

    Raises
    ------
    BudgetExceeded
        If they cost more than remains; the batch is then refused whole.
    """
    new = tuple(mask for mask in asked if mask not in observed)
    if len(new) > credits_remaining:
        raise BudgetExceeded(credits_needed=len(new), credits_remaining=credits_remaining)
    return new


def _shown(mask: object) -> str:
    """Return what was sent in place of a mask, short enough for an error reply."""
    # What is no JSON any more stands for a key that was sent twice.
    text = mask if isinstance(mask, str) else json.dumps(mask, default=lambda _: "sent twice")
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
