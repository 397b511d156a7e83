"""Files that a user brings for a source that is not committed; only the right ones pass."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import PurePosixPath

from catalog.workflows.families import Prepared
from catalog.workflows.registry import FAMILIES
from catalog.workflows.source_files import DATA, SourceFile
from catalog.workflows.sources import Source


class UnexpectedFiles(ValueError):
    """Raised when other files are given than those that the source is read from."""


class WrongHash(ValueError):
    """Raised when the bytes of a file are not the expected ones."""


class HashNotStated(ValueError):
    """Raised when nobody has said what a file's SHA-256 should be."""


class WrongFormat(ValueError):
    """Raised when a file cannot be read as what it should be."""


@dataclass(frozen=True)
class RawFile:
    """One line of the manifest of files that can be imported.

    `sha256` is None where none is known; whoever imports the file then states it. A header that
    copies write differently `is_checked_by_content`, which the reader does.

    Attributes
    ----------
    file : str
        Path in its archive or repository.
    sha256 : str or None
        Lower-case hexadecimal.
    title, origin, licence, note : str
        What a user is told of the file.
    is_checked_by_content : bool
        Whether its hash may be any.
    """

    file: str
    sha256: str | None
    title: str
    origin: str
    licence: str
    note: str
    is_checked_by_content: bool = False


@dataclass(frozen=True)
class ImportedSource(Source):
    """A source with the files that a user gave, in the order of `files`.

    Attributes
    ----------
    contents : tuple of bytes
        One a file.
    """

    contents: tuple[bytes, ...]

    def described_files(self) -> tuple[SourceFile, ...]:
        """Return what is known of the files, with the hashes that they have.

        Returns
        -------
        tuple of SourceFile
            In the order of `files`.
        """
        lines = (raw_files()[file] for file in self.files)
        return tuple(
            SourceFile(
                file=PurePosixPath(line.file).name,
                bytes=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
                title=line.title,
                origin=line.origin,
                licence=line.licence,
                note=line.note,
            )
            for line, content in zip(lines, self.contents, strict=True)
        )

    def prepare(self) -> Prepared:
        """Read the given files and prepare them for the family's workflow.

        Returns
        -------
        Prepared
            The input of the family's `run`.

        Raises
        ------
        WrongFormat
            If they cannot be read as what they should be.
        """
        try:
            return FAMILIES[self.family].prepare(self.read(*self.contents))
        # The packages that read workbooks, GML and records raise errors of their own.
        except Exception as error:
            expected = "; ".join(f"{file}: {raw_files()[file].note}" for file in self.files)
            msg = f"{self.name}: expected {expected}; found: {error}"
            raise WrongFormat(" ".join(msg.split())) from error


@cache
def raw_files() -> dict[str, RawFile]:
    """Return the manifest of files that can be imported, by file.

    Returns
    -------
    dict of str to RawFile

    Examples
    --------
    >>> raw_files()["100.dat"].licence
    'ODC-By 1.0 (PhysioNet)'
    """
    lines = json.loads((DATA / "importable.json").read_text(encoding="utf-8"))
    return {line["file"]: RawFile(**line) for line in lines}


def with_files(
    source: Source, given: Mapping[str, bytes], stated: Mapping[str, str]
) -> ImportedSource:
    """Give a source the files that a user brought, if they are the expected ones.

    Parameters
    ----------
    source : Source
        One of `IMPORTABLE`.
    given : mapping of str to bytes
        Contents by name. A source that is read from a single file takes it under any name.
    stated : mapping of str to str
        SHA-256 by name, for files of which none is known.

    Returns
    -------
    ImportedSource

    Raises
    ------
    UnexpectedFiles
        If the names are not those of the source's files.
    HashNotStated
        If no SHA-256 of a file is known or stated.
    WrongHash
        If a file has another one.

    Examples
    --------
    >>> from catalog.workflows.sources.importable import IMPORTABLE
    >>> with_files(IMPORTABLE["banknote"], {"notes.txt": b"1,2"}, {})
    Traceback (most recent call last):
    catalog.workflows.imported.WrongHash: notes.txt: expected SHA-256 0787e5..., found ...
    """
    names = [PurePosixPath(file).name for file in source.files]
    if len(names) == len(given) == 1:
        names = list(given)
    if set(names) != set(given):
        msg = f"{source.name}: expected {', '.join(names)}; found {', '.join(sorted(given))}"
        raise UnexpectedFiles(msg)
    for file, name in zip(source.files, names, strict=True):
        _require_hash(raw_files()[file], name, given[name], stated.get(name))
    known = {entry.name: getattr(source, entry.name) for entry in fields(Source)}
    return ImportedSource(**known, contents=tuple(given[name] for name in names))


def _require_hash(line: RawFile, name: str, content: bytes, stated: str | None) -> None:
    expected = line.sha256 or stated
    if expected is None:
        if line.is_checked_by_content:
            return
        msg = (
            f"{name}: no SHA-256 of this file was published; state the one that you expect "
            f"with --sha256 {name}=HEX"
        )
        raise HashNotStated(msg)
    found = hashlib.sha256(content).hexdigest()
    if found != expected.lower():
        msg = f"{name}: expected SHA-256 {expected}, found {found}"
        raise WrongHash(msg)
