"""What a source declares."""

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


@dataclass(frozen=True)
class Source:
    """One data set of one family, read from committed files.

    `read` turns the files' bytes, in the order of `files`, into what the family prepares.
    `n_factors` says which conditions exist on it. `cohort` are the sizes after preparation.
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

    def described_files(self) -> tuple[SourceFile, ...]:
        """Return what the manifest says of the files."""
        return tuple(source_files.manifest()[file] for file in self.files)

    def prepare(self) -> Prepared:
        """Read the committed files, check them, and prepare them for the family's workflow."""
        return FAMILIES[self.family].prepare(self.read(*map(source_files.read, self.files)))
