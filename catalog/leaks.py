"""Find words in a shown text that would lead to the paper behind it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

# Words of the trade that look coined: capitals or digits inside.
TRADE_WORDS = frozenset(
    {"3d", "c", "dna", "gpu", "gpus", "llm", "llms", "rna", "rna-seq", "sql", "i/o", "3-d"}
)
MAX_NAME_WORDS = 3
PHRASE_WORDS = 4

_WORD = re.compile(r"[^\W_]+(?:[-+/][^\W_]+|\+)*")
_COINED = re.compile(r"(?=.*[^\W\d])\w*(?:[a-z][A-Z]|[A-Z][A-Z]|\d)")
# How papers cite their own parts and each other.
_CITATION = re.compile(r"\b(?:Table|Figure|Fig\.|Section|Appendix) \d|\bet al\b|\barXiv\b|\bdoi\b")


@dataclass(frozen=True)
class Leak:
    """A shown passage and what it gives away."""

    passage: str
    found: str


def distinctive_words(*, title: str, authors: str, identifier: str) -> frozenset[str]:
    """Return what of a paper must not be shown, in small letters.

    These are the name before the colon of its title, coined words, every run of four words of the
    title, the family names of its authors and its identifier.
    """
    words = [word.lower() for word in _WORD.findall(title)]
    runs = {
        " ".join(words[start : start + PHRASE_WORDS])
        for start in range(len(words) - PHRASE_WORDS + 1)
    }
    return frozenset(
        _names(title) | _coined(title) | runs | _families(authors) | {_bare(identifier)}
    )


def find_leaks(passages: Iterable[str], distinctive: Iterable[str]) -> tuple[Leak, ...]:
    """Return every shown passage that holds a distinctive word, or cites part of a paper."""
    wanted = sorted(distinctive)
    return tuple(Leak(passage, found) for passage in passages for found in _found(passage, wanted))


def _found(passage: str, wanted: list[str]) -> list[str]:
    words = f" {' '.join(word.lower() for word in _WORD.findall(passage))} "
    lowered = passage.lower()
    found = [
        word
        for word in wanted
        # An identifier has points inside, which no word has.
        if f" {word} " in words or ("." in word and word in lowered)
    ]
    return found + [match.group() for match in _CITATION.finditer(passage)]


def _names(title: str) -> set[str]:
    name, colon, _ = title.partition(":")
    words = [word.lower() for word in _WORD.findall(name)]
    return {" ".join(words)} if colon and len(words) <= MAX_NAME_WORDS else set()


def _coined(title: str) -> set[str]:
    words = {word.lower() for word in _WORD.findall(title) if _COINED.match(word)}
    return words - TRADE_WORDS


def _families(authors: str) -> set[str]:
    people = re.split(r",| and | & ", authors.replace("et al.", ""))
    return {words[-1].lower() for person in people if (words := _WORD.findall(person))}


def _bare(identifier: str) -> str:
    """Return the identifier without its kind: 2308.08468 of arXiv:2308.08468."""
    return identifier.partition(":")[2].lower()
