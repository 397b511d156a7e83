"""Who plays in this browser: an agent of kind person, remembered by the session."""

import secrets
from datetime import datetime

from django.http import HttpRequest
from rest_framework.throttling import SimpleRateThrottle

from episodes.actions import agents
from episodes.models import Agent, AgentKind
from episodes.queries.public import find_person

_SESSION_KEY = "person"


class StartThrottle(SimpleRateThrottle):
    """Counts the episodes that one network address starts: visitors need no account, rows do."""

    scope = "starts"

    def get_cache_key(self, request: HttpRequest, view: None) -> str:  # type: ignore[override]
        """Return the counter's name."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}  # type: ignore[arg-type]


def current_person(request: HttpRequest) -> Agent | None:
    """Return the person of this browser, or None before the first episode."""
    agent_id = request.session.get(_SESSION_KEY)
    return find_person(agent_id) if agent_id else None


def ensure_person(request: HttpRequest, *, now: datetime) -> Agent:
    """Return the person of this browser, made now if there is none yet."""
    person = current_person(request)
    if person is None:
        person = agents.create_agent(
            name=f"Visitor {secrets.token_hex(4)}", kind=AgentKind.PERSON, now=now
        )
        request.session[_SESSION_KEY] = str(person.id)
    return person
