"""The committed raw files: what each one is, and that it is still the same."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"
FOLDER = DATA / "sources"


class UnknownFile(LookupError):
    """Raised for a file that the manifest does not list."""


class ChangedFile(ValueError):
    """Raised when bytes are not those of the manifest."""


@dataclass(frozen=True)
class SourceFile:
    """One line of the manifest.

    Attributes
    ----------
    file : str
        Name in the folder of the sources.
    bytes : int
        Length of the file.
    sha256 : str
        Lower-case hexadecimal.
    title, origin, licence, note : str
        What a reader is told of the file.
    """

    file: str
    bytes: int
    sha256: str
    title: str
    origin: str
    licence: str
    note: str = ""


@cache
def manifest() -> dict[str, SourceFile]:
    """Return the committed manifest by file name.

    Returns
    -------
    dict of str to SourceFile

    Examples
    --------
    >>> manifest()["nile.csv"].licence
    'public domain'
    """
    lines = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    return {line["file"]: SourceFile(**line) for line in lines}


def line_of(file: str) -> SourceFile:
    """Return what the manifest says of a file.

    Parameters
    ----------
    file : str
        Name in the manifest.

    Returns
    -------
    SourceFile

    Raises
    ------
    UnknownFile
        If the manifest does not list the file.

    Examples
    --------
    >>> line_of("nile.csv").title
    'Annual flow of the Nile at Aswan'
    """
    if file not in manifest():
        raise UnknownFile(f"{file} has no line in catalog/data/sources/manifest.json")
    return manifest()[file]


def verified(file: str, raw: bytes) -> bytes:
    """Return the bytes unchanged if they are those of the manifest.

    Parameters
    ----------
    file : str
        Name in the manifest.
    raw : bytes
        The content, from wherever it was read.

    Returns
    -------
    bytes

    Raises
    ------
    UnknownFile
        If the manifest does not list the file.
    ChangedFile
        If the SHA-256 differs.

    Examples
    --------
    >>> verified("nile.csv", b"year,volume")
    Traceback (most recent call last):
    catalog.workflows.source_files.ChangedFile: nile.csv is not the file of the manifest: ...
    """
    found, expected = hashlib.sha256(raw).hexdigest(), line_of(file).sha256
    if found != expected:
        raise ChangedFile(
            f"{file} is not the file of the manifest: SHA-256 {found}, expected {expected}"
        )
    return raw


def read(file: str, folder: Path = FOLDER) -> bytes:
    """Read one file of a folder and check it against the manifest.

    Parameters
    ----------
    file : str
        Name in the manifest.
    folder : Path
        Where the file lies; the committed folder by default.

    Returns
    -------
    bytes

    Raises
    ------
    UnknownFile, ChangedFile
        As `verified` does.
    FileNotFoundError
        If the manifest lists the file and the folder lacks it.

    Examples
    --------
    >>> read("nile.csv")[:11]
    b'year,volume'
    """
    line_of(file)  # a name that is not listed is not opened
    return verified(file, (folder / file).read_bytes())
