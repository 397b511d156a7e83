"""What every family of workflows declares beside its code."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from catalog.workflows.factors import Factor
from catalog.workflows.outcomes import Outcome


class Prepared(Protocol):
    """The input of a family's workflow."""

    @property
    def cohort(self) -> dict[str, int]:
        """The sizes that a reader of the task is told."""


@dataclass(frozen=True)
class Family:
    """One family: its options, its scoring rule, and the functions that run it.

    `prepare` turns what a source's reader gives into the input of `run`; `run(prepared, mask,
    stage)` is the workflow. `code` lists the functions that agents are shown, in reading order.

    Attributes
    ----------
    name, title : str
        The slug, and what people read.
    factors : tuple of Factor
        Six, in the order of the mask; a four-factor condition has the first four.
    native_metric, utility_rule : str
        What is measured, with its unit, and how it becomes a utility in [0, 1].
    prepare : callable
        What a source's reader gives -> `Prepared`.
    run : callable
        (prepared, mask, stage) -> `Outcome`.
    code : tuple of callable
        The functions shown.
    """

    name: str
    title: str
    factors: tuple[Factor, ...]
    native_metric: str
    utility_rule: str
    prepare: Callable[..., Prepared]
    run: Callable[..., Outcome]
    code: tuple[Callable[..., Any], ...]

    def workflow_code(self) -> str:
        """Return the source text of the functions, exactly as they run.

        Returns
        -------
        str
            Python source.

        Examples
        --------
        >>> from catalog.workflows.registry import FAMILIES
        >>> "def run(" in FAMILIES["forecasting"].workflow_code()
        True
        """
        return "\n\n".join(inspect.getsource(function) for function in self.code)
