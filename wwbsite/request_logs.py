"""Request lines as they may be kept in a log: without what lets a participant in or names one."""

import logging
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


LONGEST_REFUSAL = 200


def shorten_refusal(record: logging.LogRecord) -> bool:
    """Keep of a request that Django refused one short line (a filter; it keeps every record).

    Anybody can send forged host names by the thousand: none is a fault of ours to trace.
    """
    if record.name.startswith("django.security."):
        record.msg, record.args = record.getMessage()[:LONGEST_REFUSAL], None
        record.exc_info = None
    return True
