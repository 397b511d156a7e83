"""Agents and their keys: create, issue, revoke."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Q

from episodes.keys import RawKey
from episodes.models import Agent, AgentKey, AgentKind, Scope

MAX_KEY_DAYS = 3650
_USE_RESOLUTION = timedelta(minutes=1)

log = structlog.get_logger(__name__)


class AgentRefused(Exception):
    """No such agent or key can be made; the message names the field."""


class InvalidAgent(AgentRefused):
    """A field of an agent or key cannot be stored."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}.")


class NameTaken(AgentRefused):
    """Another agent, or another key of the agent, has this name."""

    def __init__(self, owner: str, name: str) -> None:
        super().__init__(f"{owner} {name!r} exists already: choose another name.")


@dataclass(frozen=True)
class IssuedKey:
    """A new key: its row, and the key itself, which cannot be shown again."""

    row: AgentKey
    raw: RawKey


def create_agent(
    *, name: str, kind: AgentKind = AgentKind.API, description: str = "", now: datetime
) -> Agent:
    """Create an agent without keys.

    Raises
    ------
    InvalidAgent, NameTaken
    """
    _check_text("name", name, maximum=80)
    _check_text("description", description, maximum=300, minimum=0)
    try:
        with transaction.atomic(durable=True):
            agent = Agent.objects.create(
                name=name, kind=kind, description=description, created_at=now
            )
    except IntegrityError:
        raise NameTaken("Agent", name) from None
    log.info("agent_created", agent_id=str(agent.id), agent=name)
    return agent


def issue_key(
    *, agent: Agent, name: str, scopes: Sequence[str] = tuple(Scope), days: int, now: datetime
) -> IssuedKey:
    """Give the agent a new key that is valid for so many days.

    Raises
    ------
    InvalidAgent, NameTaken
    """
    _check_text("name", name, maximum=80)
    check_days(days)
    if not scopes or set(scopes) - set(Scope):
        raise InvalidAgent("scopes", f"must be one or more of {', '.join(Scope)}")
    raw = RawKey.generate()
    row = _store_key(agent, name, scopes, raw, created_at=now, expires_at=now + timedelta(days))
    log.info("key_issued", agent=agent.name, key=raw.prefix, days=days)
    return IssuedKey(row=row, raw=raw)


def check_days(days: int) -> None:
    """Pass if a key may be valid for so many days.

    Raises
    ------
    InvalidAgent
    """
    if not 1 <= days <= MAX_KEY_DAYS:
        raise InvalidAgent("days", f"must be from 1 to {MAX_KEY_DAYS}")


def revoke_key(*, key: AgentKey, now: datetime) -> AgentKey:
    """End the key at once and for good; a revoked key keeps its first time."""
    with transaction.atomic(durable=True):
        AgentKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=now)
        key.refresh_from_db()
    log.info("key_revoked", key=key.prefix)
    return key


def note_key_use(*, key: AgentKey, now: datetime) -> None:
    """Remember when the key was last used, to the minute: not a write for every request."""
    AgentKey.objects.filter(
        Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - _USE_RESOLUTION), pk=key.pk
    ).update(last_used_at=now)


def _store_key(
    agent: Agent,
    name: str,
    scopes: Sequence[str],
    raw: RawKey,
    *,
    created_at: datetime,
    expires_at: datetime,
) -> AgentKey:
    try:
        with transaction.atomic(durable=True):
            return AgentKey.objects.create(
                agent=agent,
                name=name,
                prefix=raw.prefix,
                digest=raw.digest,
                scopes=list(scopes),
                created_at=created_at,
                expires_at=expires_at,
            )
    except IntegrityError:
        raise NameTaken(f"A key of {agent.name} named", name) from None


def _check_text(field: str, text: str, *, maximum: int, minimum: int = 1) -> None:
    """Refuse what would not fit, or would disguise itself where it is shown."""
    if not minimum <= len(text) <= maximum:
        raise InvalidAgent(field, f"must have {minimum} to {maximum} characters")
    # Control characters and direction overrides are not printable.
    if not text.isprintable() or text != text.strip():
        raise InvalidAgent(field, "must be printable text without space at its ends")
