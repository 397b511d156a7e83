"""What staff wrote, without what names a participant."""

import re
from collections.abc import Collection

from judgments.links import normalise_pid

ADDRESS = re.compile(r"\S+@\S+")
# Prolific's ids; also of people who were erased, whom no table knows any more.
HEX_ID = re.compile(r"\b[0-9a-fA-F]{24}\b")
WORD = re.compile(r"\w+")
JOINED_WORDS = re.compile(r"\w+(?:-\w+)+")


def words_of(text: str) -> set[str]:
    """Return what might be an id of a platform."""
    return {*WORD.findall(text), *JOINED_WORDS.findall(text)}


def hide_names(text: str, *, platform_ids: Collection[str]) -> str:
    """Return the text without addresses, Prolific's ids and these ids, which are normalised."""

    def hidden(word: re.Match[str]) -> str:
        is_known = normalise_pid(word.group()) in platform_ids
        return "[platform id]" if is_known else word.group()

    shown = HEX_ID.sub("[platform id]", ADDRESS.sub("[address]", text))
    return WORD.sub(hidden, JOINED_WORDS.sub(hidden, shown))
