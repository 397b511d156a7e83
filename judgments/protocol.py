"""What a version of a study fixes: read strictly from its definition, and hashed."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any, Self

from judgments.assignment import ItemKind

RETURN_CODES = ("complete", "screened-out", "no-consent")
# Codes and right answers: for those who run the study.
PRIVATE_PARTS = frozenset({"return_codes", "comprehension"})
# Texts that a study may bring instead of, or besides, the site's own.
TEXTS = ("introduction", "eligibility", "debrief", "contact")


class ProtocolInvalid(ValueError):
    """A definition lacks a part, has an unknown one, or one of an impossible value."""


@dataclass(frozen=True)
class Words:
    """A text, and the locale in which it is written."""

    locale: str
    text: str


@dataclass(frozen=True)
class Protocol:
    """One version of a study, as participants meet it.

    `comprehension` has the right answer to each question of the comprehension check, by its name.
    Somebody away for longer than `resume_hours` cannot go on; for longer than `hold_seconds`, the
    scenarios may be given to somebody else, but who comes back gets the old place. `texts` has the
    study's own words by name and locale; the site's stand where it has none.

    A part that came later has a default, so that older definitions stay readable.
    """

    scenarios: tuple[str, ...]
    quotas: tuple[int, ...]
    checks: Mapping[ItemKind, int]
    allows_equal: bool
    allows_cannot_judge: bool
    breaks_after: tuple[int, ...]
    consent: Mapping[str, str]
    comprehension: Mapping[str, str]
    hold_seconds: int
    resume_hours: int
    fast_answer_ms: int
    return_codes: Mapping[str, str]
    offers_comment: bool = False  # versions stored before there were comments offer none
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    minutes: int = 45
    screen: str = ""  # what drew the judgment screen (judgments.screen); unknown before it was kept

    def __post_init__(self) -> None:
        if sorted(self.return_codes) != sorted(RETURN_CODES):
            raise ProtocolInvalid(f"return_codes must name {', '.join(RETURN_CODES)}")
        codes = [code for code in self.return_codes.values() if code]
        if len(set(codes)) != len(codes):
            raise ProtocolInvalid("return_codes must differ from each other")
        if len(set(self.scenarios)) != len(self.scenarios):
            raise ProtocolInvalid("scenarios must be named once each")
        if not all(self.consent.values()) or "en" not in self.consent:
            raise ProtocolInvalid("consent must have an English text and no empty one")
        if not self.comprehension:
            raise ProtocolInvalid("comprehension must have a question")
        if min(self.hold_seconds, self.resume_hours, self.minutes) <= 0 or self.fast_answer_ms < 0:
            raise ProtocolInvalid("hold_seconds, resume_hours and minutes must be positive")
        if unknown := sorted(set(self.texts) - set(TEXTS)):
            raise ProtocolInvalid(f"texts: unknown {', '.join(unknown)}")

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Return the protocol that a stored definition describes.

        Raises
        ------
        ProtocolInvalid
        """
        names = {part.name for part in fields(cls)}
        required = {part.name for part in fields(cls) if _is_required(part)}
        if differing := sorted((required - set(definition)) | (set(definition) - names)):
            raise ProtocolInvalid(f"missing or unknown: {', '.join(differing)}")
        try:
            checks = {ItemKind(kind): int(n) for kind, n in definition["checks"].items()}
        except ValueError as error:
            raise ProtocolInvalid(f"checks: {error}") from error
        lists = {name: tuple(definition[name]) for name in ("scenarios", "quotas", "breaks_after")}
        return cls(**(dict(definition) | lists | {"checks": checks}))

    def definition(self) -> dict[str, Any]:
        """Return the protocol as it is stored."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @property
    def sha256(self) -> str:
        """Digest of the definition, whatever the order of its keys."""
        text = json.dumps(self.definition(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def consent_text(self, locale: str) -> tuple[str, str]:
        """Return the locale in which consent is asked for, and the text: English if need be."""
        asked = locale if locale in self.consent else "en"
        return asked, self.consent[asked]

    def text(self, name: str, locale: str) -> Words:
        """Return the study's own words, in English if need be; empty where it has none."""
        texts = self.texts.get(name, {})
        written = locale if texts.get(locale) else "en"
        return Words(written, texts.get(written, ""))

    def right_answers(self, answers: Mapping[str, str]) -> bool:
        """Tell whether the comprehension check is passed."""
        return all(answers.get(name) == right for name, right in self.comprehension.items())


def _is_required(part: Field[Any]) -> bool:
    return part.default is MISSING and part.default_factory is MISSING
