"""The rows of an episode's table: one configuration each, with all that is known about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring import masks

LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Cell:
    """One mask: position 0 is an anchor, 1 the first purchase, None an unmeasured mask."""

    mask: str
    on: str
    position: int | None
    observed: float | None
    typed: str = ""
    fault: str = ""
    predicted: float | None = None
    truth: float | None = None

    @property
    def error(self) -> float | None:
        """Predicted minus true utility, where both may be shown."""
        if self.predicted is None or self.truth is None:
            return None
        return self.predicted - self.truth


def table(
    n_factors: int,
    *,
    purchased: Sequence[str],
    observed: Mapping[str, float],
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    predicted: Sequence[float] | None = None,
    truth: Sequence[float] | None = None,
) -> list[Cell]:
    """Return one cell per mask: fewer options on first, then in mask order."""
    positions = dict.fromkeys(masks.anchors(n_factors), 0)
    positions |= {mask: position for position, mask in enumerate(purchased, start=1)}
    cells = [
        Cell(
            mask=mask,
            on="".join(letter for letter, bit in zip(LETTERS, mask, strict=False) if bit == "1"),
            position=positions.get(mask),
            observed=observed.get(mask),
            typed=(typed or {}).get(mask, ""),
            fault=(faults or {}).get(mask, ""),
            predicted=None if predicted is None else predicted[index],
            truth=None if truth is None else truth[index],
        )
        for index, mask in enumerate(masks.all_masks(n_factors))
    ]
    return sorted(cells, key=lambda cell: (cell.mask.count("1"), -int(cell.mask, 2)))
