"""Why the site, or a command, cannot start: the setting or the server at fault, in one line."""

import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import NotSupportedError, OperationalError
from redis.exceptions import RedisError

# What a bad setting raises, or a server that is too old, not there or does not let us in.
START_FAULTS = (ImproperlyConfigured, NotSupportedError, OperationalError, RedisError)


def explain(error: Exception) -> str | None:
    """Return one line that names the setting; None for a fault inside a connection that stands."""
    words = " ".join(str(error).split())
    if isinstance(error, ImproperlyConfigured):
        return words
    if isinstance(error, RedisError):
        return f"REDIS_URL: {words}"
    is_of_a_statement = getattr(error.__cause__, "sqlstate", None) is not None
    return None if is_of_a_statement else f"DATABASE_URL: {words}"


def require_broker() -> None:
    """Speak to the broker; raises one of START_FAULTS where that fails."""
    with redis.from_url(settings.REDIS_URL, **settings.REDIS_PATIENCE) as client:
        client.ping()
