"""The site's code on database servers of its own, which go when a benchmark ends."""

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def throwaway_site() -> Iterator[None]:
    """Set Django up on empty servers for as long as the block runs."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "wwbsite.settings"
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
    os.environ["LOG_LEVEL"] = "ERROR"
    from tests.services import start_servers

    with ExitStack() as stack:
        start_servers(stack)
        import django

        django.setup()
        from django.db import connections

        # Before the servers stop: they wait for whoever is connected.
        stack.callback(connections.close_all)
        yield
