"""Factors, masks, and which factors a program ignores while others are set."""

import re
from dataclasses import dataclass
from typing import NamedTuple, Self


class IllegalMask(ValueError):
    """Raised for a mask that is not one character 0 or 1 per factor."""


@dataclass(frozen=True)
class Factor:
    """One option of a workflow: its letter, its name, and what off and on mean.

    `inactive_when` is the guard written in the workflow's code: ("C", "0") says that the code
    never looks at this factor while factor C is off. Code equivalences follow from these guards.
    """

    letter: str
    name: str
    off: str
    on: str
    inactive_when: tuple[str, str] | None = None


class Switches(NamedTuple):
    """The options of one mask by letter; E and F are off in a four-factor condition."""

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


def representative(mask: str, factors: tuple[Factor, ...]) -> str:
    """Set the bits that the workflow's code ignores under this mask to 0.

    Parameters
    ----------
    mask : str
        One character 0 or 1 per factor.
    factors : tuple of Factor
        The condition's factors in the order of the mask.

    Returns
    -------
    str
        The representative of the mask's class of equivalent masks.

    Examples
    --------
    >>> size = Factor("A", "size", "small", "large", inactive_when=("B", "0"))
    >>> filtered = Factor("B", "filter", "none", "median")
    >>> representative("10", (size, filtered))
    '00'
    """
    bits = {factor.letter: bit for factor, bit in zip(factors, mask, strict=True)}

    def active(factor: Factor) -> bool:
        if factor.inactive_when is None:
            return True
        letter, bit = factor.inactive_when
        return bits.get(letter, "0") != bit

    return "".join(bits[factor.letter] if active(factor) else "0" for factor in factors)
