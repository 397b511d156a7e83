"""The shape of an agent's key. Only its digest is ever stored."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Self

_SHAPE = re.compile(r"wwb_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True)
class RawKey:
    """A key as its owner holds it: `wwb_`, 8 characters to tell keys apart, 43 secret ones."""

    text: str

    def __repr__(self) -> str:
        # A traceback or a log line may print this object; it must not print the secret.
        return f"RawKey({self.prefix}...)"

    @classmethod
    def generate(cls) -> Self:
        """Return a new key with 256 secret bits."""
        prefix = "".join(secrets.choice(_ALPHABET) for _ in range(8))
        return cls(f"wwb_{prefix}_{secrets.token_urlsafe(32)}")

    @property
    def prefix(self) -> str:
        """The part that may be shown: `wwb_` and 8 characters."""
        return self.text[:12]

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal. The secret is random, so no slow hash is needed."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def parse(text: str) -> RawKey | None:
    """Return the key if the text has the shape of one."""
    return RawKey(text) if _SHAPE.fullmatch(text) else None
