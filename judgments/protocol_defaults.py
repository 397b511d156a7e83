"""The protocol of the source study, as a start: 3 + 3 + 2 scenarios, forced choice, 12 checks."""

from collections.abc import Iterable
from pathlib import Path

from judgments.assignment import ItemKind
from judgments.protocol import RETURN_CODES, Protocol
from judgments.screen import screen_sha256

LOCALES = ("en", "zh-hans")
_WORDS = Path(__file__).parent / "texts"


def default_protocol(scenarios: Iterable[str]) -> Protocol:
    """Return the source study's protocol over these scenarios, for people without a platform."""
    return Protocol(
        scenarios=tuple(scenarios),
        quotas=(3, 3, 2),
        checks={ItemKind.INSTRUCTED: 4, ItemKind.DOMINATED: 4, ItemKind.REPEAT: 4},
        allows_equal=False,
        allows_cannot_judge=False,
        breaks_after=(2, 4, 6),
        consent=_words("consent"),
        comprehension={"task": "more-informative"},
        hold_seconds=3600,
        resume_hours=24,
        fast_answer_ms=500,
        return_codes=dict.fromkeys(RETURN_CODES, ""),
        texts={name: _words(name) for name in ("introduction", "eligibility")},
        minutes=45,
        screen=screen_sha256(),
    )


def _words(name: str) -> dict[str, str]:
    """Return a text in every locale, as it lies in a file of its own."""
    return {
        locale: (_WORDS / f"{name}.{locale}.txt").read_text("utf-8").strip() for locale in LOCALES
    }
