"""Files of a folder that somebody else wrote, and JSON that means one thing only."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

# The largest file of a release is a task with its code; it has some ten thousand bytes.
MAX_FILE_BYTES = 8 * 1024 * 1024
# JSON can spell NUL and half a surrogate pair; the database can hold neither.
FORBIDDEN = re.compile("[\0\ud800-\udfff]")


class Unreadable(Exception):
    """A file of the release cannot be read as it must be; the message says why."""


def names(root: Path, part: str) -> list[str]:
    """Return the names of the .json files in one part of the folder, without the suffix.

    Raises
    ------
    Unreadable
        If the part is absent or lies outside the folder.
    """
    place = _inside(root, part)
    if not place.is_dir():
        raise Unreadable("is missing")
    return sorted(path.stem for path in place.iterdir() if path.suffix == ".json")


def read_bytes(root: Path, file: str) -> bytes:
    """Return the content of one file.

    Raises
    ------
    Unreadable
        If it is missing, outside the folder, not a regular file, or too large.
    """
    place = _inside(root, file)
    if not place.exists():
        raise Unreadable("is missing")
    if not place.is_file():
        raise Unreadable("is no regular file")
    if (size := place.stat().st_size) > MAX_FILE_BYTES:
        raise Unreadable(f"has {size} bytes, more than {MAX_FILE_BYTES}")
    try:
        return place.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from error


def parse_object(raw: bytes) -> dict[str, Any]:
    """Return the JSON object that the bytes spell.

    Raises
    ------
    Unreadable
        If they are not UTF-8, not JSON, no object, or have a repeated key or a number that is
        not finite.
    """
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_number,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except ValueError as error:
        raise Unreadable(f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Unreadable("is no JSON object")
    for text in _texts(value):
        if FORBIDDEN.search(text):
            raise Unreadable(f"has a character that no text can have: {text[:20]!a}")
    return value


def _inside(root: Path, file: str) -> Path:
    """Follow links, then ask whether the place is still in the folder."""
    try:
        place = (root / file).resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself, before Python 3.13
        raise Unreadable("is a link that leads nowhere") from error
    if not place.is_relative_to(root.resolve()):
        raise Unreadable("leads out of the folder")
    return place


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Unreadable(f"has the key {key!r} twice in one object")
        found[key] = value
    return found


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _refuse_number(text: str) -> NoReturn:
    raise Unreadable(f"has the number {text}, which is not finite")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse_number(text)
    return number
