"""The site itself on a port of this machine that nobody else is told, for as long as it is used."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.core.servers.basehttp import (
    ThreadedWSGIServer,
    WSGIRequestHandler,
    get_internal_wsgi_application,
)

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Loopback:
    """Where the site is served, and as which host over which protocol it is to be spoken to."""

    address: str
    host: str
    secure: bool


class _QuietHandler(WSGIRequestHandler):
    """Logs nothing: the application's own log has every request."""

    # Head and body are written apart; without this the second waits 40 ms for the first.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the parent
        pass


@contextmanager
def serve_site() -> Iterator[Loopback]:
    """Serve the application of the settings from threads of this process."""
    application = get_internal_wsgi_application()
    secure = settings.SECURE_SSL_REDIRECT
    server = ThreadedWSGIServer((HOST, 0), _QuietHandler)
    server.set_app(_as_behind_tls(application) if secure else application)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        port = server.server_address[1]
        yield Loopback(f"http://{HOST}:{port}", _allowed_host(f"{HOST}:{port}"), secure)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _as_behind_tls(application: WSGIApplication) -> WSGIApplication:
    """Return the application as the TLS proxy of production calls it."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.url_scheme"] = "https"
        environ["HTTP_X_FORWARDED_PROTO"] = "https"
        return application(environ, start_response)

    return call


def _allowed_host(loopback: str) -> str:
    """Return a host that the settings allow: production allows its public name alone."""
    named = [host.removeprefix(".") for host in settings.ALLOWED_HOSTS]
    return loopback if not named or {"*", HOST} & {*named} else named[0]
