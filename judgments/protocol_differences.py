"""What changes from one protocol to the next, part by part, for people to read."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
# Those that come with a study say how many scenarios there are and how long they take.
_LENGTH = ("quotas", "minutes")
_ABOUT_THE_WORK = ("consent, ", "texts, introduction, ")


@dataclass(frozen=True)
class Piece:
    """A run of words: kept, taken out or put in."""

    words: str
    change: str  # "", "out" or "in"


@dataclass(frozen=True)
class Difference:
    """A part that changes: texts as pieces in reading order, other values as before and after."""

    part: str
    before: str
    after: str
    pieces: tuple[Piece, ...] = ()


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Return what differs between two stored definitions, in the order of their parts."""
    old, new = dict(_parts(before)), dict(_parts(after))
    return tuple(
        _difference(part, old.get(part), new.get(part))
        for part in dict.fromkeys([*old, *new])
        if old.get(part) != new.get(part)
    )


def texts_left_behind(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts about the work that stay while its length changes: they may be wrong.

    `before` and `after` are stored definitions.
    """
    if all(before.get(part) == after.get(part) for part in _LENGTH):
        return ()
    old, new = dict(_parts(before)), dict(_parts(after))
    return tuple(
        part
        for part, text in new.items()
        if part.startswith(_ABOUT_THE_WORK) and old.get(part) == text
    )


def _parts(value: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the parts by name, those inside a part as "part, inner"."""
    for name, inner in value.items():
        part = f"{above}, {name}" if above else name
        if isinstance(inner, Mapping):
            yield from _parts(inner, part)
        else:
            yield part, inner


def _difference(part: str, old: Any, new: Any) -> Difference:  # noqa: ANN401 - any JSON value
    if isinstance(old, list) and isinstance(new, list) and (taken := _exchanged(old, new)):
        return Difference(part, *taken)
    if isinstance(old, str) and isinstance(new, str):
        return Difference(part, old, new, _pieces(old, new))
    return Difference(part, _written(old), _written(new))


def _exchanged(old: Sequence[Any], new: Sequence[Any]) -> tuple[str, str] | None:
    """Return what of a list of names goes and comes; None if only numbers or the order change."""
    out = [one for one in old if one not in new]
    come = [one for one in new if one not in old]
    if not all(isinstance(one, str) for one in [*out, *come]) or not (out or come):
        return None
    return (
        f"without {', '.join(out)}" if out else "",
        f"with {', '.join(come)}" if come else "",
    )


def _pieces(old: str, new: str) -> tuple[Piece, ...]:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    pieces: list[Piece] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece("".join(before[start:end]), ""))
            continue
        pieces += [Piece("".join(before[start:end]), "out")] * (end > start)
        pieces += [Piece("".join(after[other_start:other_end]), "in")] * (other_end > other_start)
    return tuple(pieces)


def _written(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return value if isinstance(value, str) else json.dumps(value)
