"""Which agent a key belongs to."""

from datetime import datetime

from episodes.keys import parse
from episodes.models import AgentKey


class KeyRefused(Exception):
    """The key opens nothing, or no longer. Programs read the code, people the message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def find_active_key(text: str, *, now: datetime) -> AgentKey:
    """Return the key, with its agent, if it may be used as of `now`.

    Raises
    ------
    KeyRefused
        With code invalid_key, revoked_key, expired_key or inactive_agent.
    """
    raw = parse(text)
    key = raw and AgentKey.objects.select_related("agent").filter(digest=raw.digest).first()
    if not key:
        raise KeyRefused("invalid_key", "This key is not known here.")
    if key.revoked_at is not None:
        raise KeyRefused("revoked_key", "This key was revoked. Ask for a new one.")
    if now >= key.expires_at:
        raise KeyRefused("expired_key", "This key has expired. Ask for a new one.")
    if not key.agent.is_active:
        raise KeyRefused("inactive_agent", "The agent of this key is not active.")
    return key
