"""The conditions: one workflow on one source with four or six factors."""

from dataclasses import dataclass

from catalog.workflows.factors import Factor, IllegalMask, masks
from catalog.workflows.families import Family
from catalog.workflows.outcomes import Outcome
from catalog.workflows.registry import FAMILIES
from catalog.workflows.sources import SOURCES, Source


class UnknownTask(LookupError):
    """Raised for a slug that no condition has."""


@dataclass(frozen=True)
class Condition:
    """One task: its source, its family and its number of factors d.

    Attributes
    ----------
    slug : str
        The source's name, followed by ``__d6`` for six factors.
    source : Source
        Where the data come from.
    family : Family
        The workflow.
    d : int
        4 or 6.
    """

    slug: str
    source: Source
    family: Family
    d: int

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The d factors in the order of the mask."""
        return self.family.factors[: self.d]

    @property
    def masks(self) -> tuple[str, ...]:
        """All 2**d masks in increasing binary order."""
        return masks(self.d)

    def run(self, mask: str) -> Outcome:
        """Run one mask on the committed data.

        Parameters
        ----------
        mask : str
            d characters 0 or 1, factor A first.

        Returns
        -------
        Outcome

        Raises
        ------
        IllegalMask
            If the mask is not d characters 0 or 1.
        UnknownFile, ChangedFile
            If a source file is not the one of the manifest.

        Examples
        --------
        >>> 0 < CONDITIONS["nile"].run("0000").utility < 1
        True
        """
        if mask not in self.masks:
            raise IllegalMask(f"{self.slug} takes masks of {self.d} characters 0 or 1: {mask!r}")
        return self.family.run(self.source.prepare(), mask)


def conditions_of(source: Source) -> list[Condition]:
    """Return the conditions of a source, one for each number of factors.

    Parameters
    ----------
    source : Source

    Returns
    -------
    list of Condition

    Examples
    --------
    >>> from catalog.workflows.sources import SOURCES
    >>> [condition.slug for condition in conditions_of(SOURCES["co2"])]
    ['co2', 'co2__d6']
    """
    suffix = {4: "", 6: "__d6"}
    family = FAMILIES[source.family]
    return [Condition(source.name + suffix[d], source, family, d) for d in source.n_factors]


CONDITIONS: dict[str, Condition] = {
    condition.slug: condition for source in SOURCES.values() for condition in conditions_of(source)
}


def find_condition(slug: str) -> Condition:
    """Return the condition of a slug.

    Parameters
    ----------
    slug : str
        The source's name, followed by ``__d6`` for six factors.

    Returns
    -------
    Condition

    Raises
    ------
    UnknownTask
        If there is none.

    Examples
    --------
    >>> find_condition("co2__d6").d
    6
    """
    if slug not in CONDITIONS:
        raise UnknownTask(f"no task {slug!r}; there are {', '.join(CONDITIONS)}")
    return CONDITIONS[slug]
