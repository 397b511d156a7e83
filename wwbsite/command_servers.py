"""A database and a broker for one management command."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from wwbsite.embedded.servers import VARIABLES
from wwbsite.installation import AlreadyRunning, Installation


class StillStarting(Exception):
    """The site is on its way up and cannot be spoken to yet."""


@contextmanager
def command_servers(installation: Installation) -> Iterator[None]:
    """Provide the addresses of a command: those given, the running site's, or own servers.

    Own servers run on the installation's data and end with the command, so that `manage.py` works
    whether or not the site does.

    Raises StillStarting, and ServiceError when a server does not start.
    """
    missing = [name for name in VARIABLES if not os.environ.get(name)]
    with ExitStack() as stack:
        if missing:
            try:
                stack.enter_context(installation.hold())
            except AlreadyRunning:
                os.environ.update(_running_site(installation))
            else:
                os.environ.update(installation.settings())
                for variable, server in installation.make_servers(missing, stack).items():
                    stack.callback(server.stop)
                    server.start()
                    os.environ[variable] = server.url
        yield


def _running_site(installation: Installation) -> dict[str, str]:
    published = installation.published_environment()
    if not published:
        raise StillStarting("The site is still starting: try again when it shows its address.")
    return {key: value for key, value in published.items() if not os.environ.get(key)}
