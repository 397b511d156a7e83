"""Request lines as they may be kept in a log: without what lets a participant in or names one."""

import re

from structlog.types import EventDict, WrappedLogger

# The secret of a personal link, and what a recruitment platform adds to the address.
_SECRETS = (
    re.compile(r"(?<=/me/)[^/\s\"?]+"),
    re.compile(r"(?<=PROLIFIC_PID=)[^&\s\"]+", re.IGNORECASE),
    re.compile(r"(?<=SESSION_ID=)[^&\s\"]+", re.IGNORECASE),
)
HIDDEN = "[hidden]"


def hide_secrets(line: str) -> str:
    """Return the line with every such secret replaced."""
    for secret in _SECRETS:
        line = secret.sub(HIDDEN, line)
    return line


def hide_in_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Return a log entry of which no text has a secret (a structlog processor)."""
    return {
        name: hide_secrets(value) if isinstance(value, str) else value
        for name, value in event.items()
    }
