"""Stages that many masks share are computed once."""

from collections.abc import Callable, Hashable
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Stage(Protocol):
    """Calls a function; `stage(f, x, size=3)` is `f(x, size=3)`."""

    def __call__(self, function: Callable[P, T], /, *inputs: P.args, **options: P.kwargs) -> T:
        """Return what the function gives for these inputs and options."""


def compute(function: Callable[P, T], /, *inputs: P.args, **options: P.kwargs) -> T:
    """Call the function and keep nothing: the stage of a single run.

    Parameters
    ----------
    function : callable
        The stage.
    *inputs, **options
        What it is called with.

    Returns
    -------
    object
        What the function returns.

    Examples
    --------
    >>> compute(max, 2, 3)
    3
    """
    return function(*inputs, **options)


class SharedStages:
    """Keeps the result of every stage for the masks that come later.

    Two calls are the same stage if function and options are equal and the inputs are the same
    objects: a stage that hands its result to the next one is thereby recognised without a look
    into the arrays. Nothing may change an array after it was handed on.

    Examples
    --------
    >>> stage, calls = SharedStages(), []
    >>> stage(calls.append, 1), stage(calls.append, 1), calls
    (None, None, [1])
    """

    def __init__(self) -> None:
        # The inputs are kept beside the result: an id is only unique while its object lives.
        self._kept: dict[Hashable, tuple[tuple[Any, ...], Any]] = {}

    def __call__(self, function: Callable[P, T], /, *inputs: P.args, **options: P.kwargs) -> T:
        """Return the kept result, or compute and keep it."""
        key = (function, tuple(map(id, inputs)), tuple(sorted(options.items())))
        if key not in self._kept:
            self._kept[key] = (inputs, function(*inputs, **options))
        result: T = self._kept[key][1]
        return result
