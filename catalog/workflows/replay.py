"""Recomputing all outcomes of a condition."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from catalog.workflows.conditions import Condition
from catalog.workflows.environment import single_threaded
from catalog.workflows.stages import SharedStages


@dataclass(frozen=True)
class Record:
    """One mask of one task as it was computed.

    Attributes
    ----------
    task, mask : str
        Slug, and four or six characters 0 or 1.
    native_value, utility : float
        As in `Outcome`.
    prediction_sha256 : str
        As in `Outcome`.
    seconds : float
        Time of this mask; a shared stage counts for the mask that comes to it first.
    """

    task: str
    mask: str
    native_value: float
    utility: float
    prediction_sha256: str
    seconds: float


def replay(
    condition: Condition,
    masks: Sequence[str] | None = None,
    *,
    timer: Callable[[], float] = time.perf_counter,
) -> Iterator[Record]:
    """Compute the outcomes of a condition's masks, each shared stage once, on one thread.

    Parameters
    ----------
    condition : Condition
    masks : sequence of str, optional
        All masks of the condition by default.
    timer : callable
        Returns seconds; a shared stage counts for the mask that comes to it first.

    Yields
    ------
    Record

    Raises
    ------
    IllegalMask
        If a mask is not four or six characters 0 or 1.
    UnknownFile, ChangedFile
        If a source file is not the one of the manifest.

    Examples
    --------
    >>> from catalog.workflows.conditions import find_condition
    >>> nile = find_condition("nile")
    >>> [record.mask for record in replay(nile, ["0000", "1111"])]
    ['0000', '1111']
    """
    prepared, stage = condition.source.prepare(), SharedStages()
    with single_threaded():
        for mask in condition.masks if masks is None else masks:
            started = timer()
            outcome = condition.family.run(prepared, mask, stage)
            yield Record(
                task=condition.slug,
                mask=mask,
                native_value=outcome.native_value,
                utility=outcome.utility,
                prediction_sha256=outcome.prediction_sha256,
                seconds=timer() - started,
            )
