"""Whether a prediction table may be graded: exactly the legal masks, each a utility."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from scoring.masks import all_masks

_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Repeated:
    """What a strict parser puts in place of the value of a key that was sent twice."""


class InvalidPredictions(Exception):
    """The table cannot be graded; it does not close the episode."""

    code = "invalid_predictions"

    def __init__(self, faults: Mapping[str, str], *, n_factors: int) -> None:
        super().__init__(
            f"The table must give one finite number in [0, 1] for each of the {2**n_factors} "
            "masks and nothing else. The episode stays as it was."
        )
        self.details = {"masks": dict(faults)}


def check_table(table: Mapping[str, object], *, n_factors: int) -> dict[str, float]:
    """Return the table in mask order.

    Raises
    ------
    InvalidPredictions
        Naming every faulty mask with its reason: missing, illegal, duplicate, not_a_number,
        not_finite or out_of_range.
    """
    legal = all_masks(n_factors)
    faults: dict[str, str] = {}
    for mask in legal:
        if fault := _fault(table[mask]) if mask in table else "missing":
            faults[mask] = fault
    for mask in table.keys() - set(legal):
        faults[mask[:_SHOWN_CHARACTERS]] = "illegal"
    if faults:
        raise InvalidPredictions(faults, n_factors=n_factors)
    return {mask: float(table[mask]) for mask in legal}  # type: ignore[arg-type]  # checked above


def _fault(value: object) -> str | None:
    if isinstance(value, Repeated):
        return "duplicate"
    # True and False are ints to Python but no numbers to JSON.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "not_a_number"
    if isinstance(value, float) and not math.isfinite(value):
        return "not_finite"
    return None if 0 <= value <= 1 else "out_of_range"
