"""What a source declares."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from catalog.workflows import source_files
from catalog.workflows.families import Prepared
from catalog.workflows.registry import FAMILIES
from catalog.workflows.source_files import SourceFile


class Provenance(StrEnum):
    """What the native table of a source is."""

    PUBLISHED = "published"  # equals the table of the public release
    OURS = "ours"  # our own data set, computed here
    SILVER = "silver"  # scored against a reference made by algorithms
    SIMULATED = "simulated"  # data made by a published model


N_FACTORS = ((4,), (6,), (4, 6))


@dataclass(frozen=True)
class Source:
    """One data set of one family, read from committed files.

    `read` turns the files' bytes, in the order of `files`, into what the family prepares.
    `n_factors` says which conditions exist on it. `cohort` are the sizes after preparation.

    Attributes
    ----------
    name, title : str
        The slug in lower-case words, and what people read.
    family : str
        One of `catalog.workflows.registry.FAMILIES`.
    files : tuple of str
        Names in the manifest, at least one.
    read : functools.partial
        The reader with its options; takes the files' bytes.
    n_factors : tuple of int
        (4,), (6,) or (4, 6).
    provenance : Provenance
        What the native table is.
    question, input_summary : str
        What a reader of the task is told.
    cohort : dict of str to int
        Sizes that the prepared data must have.

    Raises
    ------
    ValueError
        If a field cannot be what the condition needs.
    """

    name: str
    title: str
    family: str
    files: tuple[str, ...]
    read: partial[Any]
    n_factors: tuple[int, ...]
    provenance: Provenance
    question: str
    input_summary: str
    cohort: dict[str, int] = field(hash=False)

    def __post_init__(self) -> None:
        """Refuse what would fail later without saying where."""
        for is_right, rule in (
            (
                re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", self.name),
                "name must be lower-case words joined by single underscores",
            ),
            (self.family in FAMILIES, f"family must be one of {', '.join(FAMILIES)}"),
            (self.files, "files must name at least one file"),
            # The reader and its arguments are part of a task's version.
            (isinstance(self.read, partial), "read must be partial(reader, ...)"),
            (
                self.n_factors in N_FACTORS,
                f"n_factors must be one of {', '.join(map(str, N_FACTORS))}",
            ),
        ):
            if not is_right:
                raise ValueError(f"source {self.name}: {rule}")

    def described_files(self) -> tuple[SourceFile, ...]:
        """Return what the manifest says of the files.

        Returns
        -------
        tuple of SourceFile
            In the order of `files`.

        Raises
        ------
        UnknownFile
            If the manifest does not list one of them.
        """
        return tuple(map(source_files.line_of, self.files))

    def prepare(self) -> Prepared:
        """Read the committed files, check them, and prepare them for the family's workflow.

        Returns
        -------
        Prepared
            The input of the family's `run`.

        Raises
        ------
        UnknownFile, ChangedFile
            If a file is not the one of the manifest.
        """
        return FAMILIES[self.family].prepare(self.read(*map(source_files.read, self.files)))
