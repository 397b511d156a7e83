"""What pages tell that they must not: private texts, codes before the end, marks of a check."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from judgments.robots.pages import Page

ORDINARY = "judgment"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Seen:
    """A page and who saw it: a participant by its name, or nobody for a stranger."""

    visitor: str
    page: Page

    @property
    def item(self) -> tuple[str, int] | None:
        """Whose item it shows, and its position; None for every other page."""
        form = self.page.step_form
        position = form.values.get("position", "") if form else ""
        return (self.visitor, int(position)) if position.isdigit() else None


def find_private_texts(pages: Iterable[Seen], private: Collection[str]) -> Iterator[str]:
    """Yield where something of the private texts is shown; not what, as staff read this."""
    for seen in pages:
        text = " ".join(unescape(seen.page.text).split())
        if n := sum(secret in text for secret in private):
            yield f"{_place(seen)}: {n} private texts"


def find_early_codes(
    pages: Iterable[Seen], codes: Mapping[str, str], shared_codes: Collection[str]
) -> Iterator[str]:
    """Yield where a code is shown to anybody but its owner on the last page.

    `codes` has the completion code of every visitor who got one; the shared ones are those of the
    platform that say that somebody is through.
    """
    for seen in pages:
        own = codes.get(seen.visitor)
        is_end = own is not None and seen.page.marked.get("code") == own
        allowed = {own, *shared_codes} if is_end else set()
        if ({*codes.values(), *shared_codes} - allowed) & set(_WORD.findall(seen.page.text)):
            yield f"{_place(seen)}: a completion code"


def find_marks(pages: Sequence[Seen], kinds: Mapping[tuple[str, int], str]) -> Iterator[str]:
    """Yield attributes by which a check could be told from an ordinary item.

    Such a mark is on the pages of several items of one kind and on no page of an ordinary one.
    Values that belong to one item alone, like its position, tell nothing.
    """
    where: dict[tuple[str, str, str], set[tuple[str, int]]] = defaultdict(set)
    for seen in pages:
        item = seen.item
        if item and item in kinds:
            for attribute in seen.page.attributes:
                where[attribute].add(item)
    for (tag, name, value), items in sorted(where.items()):
        found = {kinds[item] for item in items}
        if len(items) > 1 and ORDINARY not in found and not (name == "value" and value.isdigit()):
            yield f'<{tag} {name}="{value}"> is on pages of {", ".join(sorted(found))} alone'


def _place(seen: Seen) -> str:
    who = seen.visitor or "a stranger"
    return f"{seen.page.url.partition('?')[0]} ({seen.page.step or seen.page.heading}) as {who}"
