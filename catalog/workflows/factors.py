"""Factors and masks; which factors a program ignores while others are set."""

import re
from dataclasses import dataclass
from typing import NamedTuple, Self


class IllegalMask(ValueError):
    """Raised for a mask that is not one character 0 or 1 per factor."""


@dataclass(frozen=True)
class Factor:
    """One option of a workflow: its letter, its name, and what off and on mean.

    `inactive_when` is the guard written in the workflow's code: ("C", "0") says that the code
    never looks at this factor while factor C is off. `scoring.equivalences` holds the same guards
    by family and derives the classes of equivalent masks; a test keeps the two equal.

    Attributes
    ----------
    letter : str
        A to F.
    name, off, on : str
        Words that agents and people read.
    inactive_when : tuple of (str, str), optional
        Letter of another factor, and its level 0 or 1.
    """

    letter: str
    name: str
    off: str
    on: str
    inactive_when: tuple[str, str] | None = None


class Switches(NamedTuple):
    """The options of one mask by letter; E and F are off in a four-factor condition.

    Attributes
    ----------
    A, B, C, D, E, F : bool
        Whether the option is on.
    """

    A: bool
    B: bool
    C: bool
    D: bool
    E: bool = False
    F: bool = False

    @classmethod
    def of(cls, mask: str) -> Self:
        """Read a mask of four or six characters, factor A first, 1 = option on.

        Parameters
        ----------
        mask : str
            Four or six characters 0 or 1.

        Returns
        -------
        Switches
            One truth value per letter.

        Raises
        ------
        IllegalMask
            If the mask has another length or other characters.

        Examples
        --------
        >>> Switches.of("0100").B
        True
        >>> Switches.of("0100") == Switches.of("010000")
        True
        """
        if not re.fullmatch("[01]{4}|[01]{6}", mask):
            raise IllegalMask(f"mask must be four or six characters 0 or 1, got {mask!r}")
        return cls(*(bit == "1" for bit in mask))


def masks(n_factors: int) -> tuple[str, ...]:
    """List every mask of `n_factors` factors in increasing binary order.

    Parameters
    ----------
    n_factors : int
        Number of factors, at least 1.

    Returns
    -------
    tuple of str
        The 2**n_factors masks.

    Examples
    --------
    >>> masks(2)
    ('00', '01', '10', '11')
    """
    return tuple(format(number, f"0{n_factors}b") for number in range(2**n_factors))
