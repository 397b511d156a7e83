"""`make run`: database, broker, web, workers and clock in the foreground, until Ctrl-C.

It also stops when its parent ends, so that nothing outlives a killed `make`.
"""

import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from wwbsite.embedded.processes import (
    ServiceError,
    describe_end,
    spawn,
    stop,
)
from wwbsite.embedded.servers import VARIABLES
from wwbsite.installation import PROJECT, AlreadyRunning, Installation, data_directory

HOST = "127.0.0.1"
STAFF_NAME = "staff"
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FIRST_PAGE_SECONDS = 120.0
_PORT_SECONDS = 5.0
_NEWS_SECONDS = 10.0
_STOP_SECONDS = 5.0  # a job that takes longer is sent again after its lease
_POLL_SECONDS = 0.1

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (gunicorn makes private files in it)
_CELERY = ("celery", "-A", "wwbsite.celery")
_WORKER = (*_CELERY, "worker", "--loglevel=INFO", "--without-gossip", "--without-mingle")


class LaunchError(Exception):
    """The site cannot start or go on. The message is one line that says what to do."""


class Stopped(Exception):
    """The site was stopped because of a fault, which was told before."""


@dataclass(frozen=True)
class Part:
    """A running process of the site."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def failure(self) -> LaunchError:
        """Return the error that tells how this process ended."""
        return LaunchError(describe_end(self.name, self.process.returncode, self.log))


class Launcher:
    """One run of the site, on one installation and one listening socket."""

    def __init__(self, installation: Installation, listener: socket.socket) -> None:
        self._installation = installation
        self._listener = listener
        port: int = listener.getsockname()[1]
        self._port = port
        self._url = f"http://{HOST}:{port}"
        self._parent = os.getppid()
        self._servers: list[Part] = []
        self._programs: list[Part] = []
        # A command in another terminal prints addresses of this run.
        address = {"SITE_URL": os.environ.get("SITE_URL") or self._url}
        self._settings = installation.settings() | address

    def run(self) -> None:
        """Start every part in order, watch them, and stop them in the reverse order.

        Raises Stopped when a part does not start or ends by itself, and KeyboardInterrupt when a
        person stops it.
        """
        with ExitStack() as stack:
            try:
                self._start_servers(stack)
                stack.callback(self._stop_programs)
                self._installation.publish_environment(self._settings)
                self._prepare_database()
                self._start_web()
                # After the first page: beside the web server they double the time to it.
                self._start_workers()
                self._say_where()
                self._watch()
            except (LaunchError, ServiceError, OSError) as error:
                fail(error)  # first of all: why the other parts are stopped now
                raise Stopped from error
            finally:
                for number in _STOP_SIGNALS:  # a second Ctrl-C must not break the stopping
                    signal.signal(number, signal.SIG_IGN)
                say("stopping")

    def _start_servers(self, stack: ExitStack) -> None:
        """Start a server for each address that the environment does not give."""
        given = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
        self._settings |= given
        missing = [name for name in VARIABLES if name not in given]
        if not missing:
            return
        servers = self._installation.make_servers(missing, stack)
        for variable, server in servers.items():
            say(f"starting {server.name} {server.programs.version} (data in {server.data})")
            stack.callback(server.stop)
            self._servers.append(Part(server.name, server.start(), server.log))
            self._settings[variable] = server.url

    def _start(self, name: str, *arguments: str, pass_fds: tuple[int, ...] = ()) -> Part:
        """Start a Python module of the site."""
        log = self._installation.fresh_log(name)
        process = spawn(
            [sys.executable, "-m", *arguments],
            log=log,
            env=os.environ | self._settings | {"PYTHONUNBUFFERED": "1"},
            cwd=PROJECT,
            # Without us there is nothing to finish for: gunicorn and Celery drop what they do.
            death_signal=signal.SIGQUIT,
            pass_fds=pass_fds,
        )
        part = Part(name, process, log)
        self._programs.append(part)
        return part

    def _prepare_database(self) -> None:
        say("preparing tables, catalogue and demo accounts")
        part = self._start("prepare", "wwbsite.prepare")
        started = time.monotonic()
        while part.process.poll() is None:
            try:
                part.process.wait(_NEWS_SECONDS)
            except subprocess.TimeoutExpired:
                say(f"still preparing after {time.monotonic() - started:.0f} s (log: {part.log})")
        if part.process.returncode:
            raise part.failure()
        self._programs.remove(part)

    def _start_web(self) -> None:
        """Start the web server and wait for its first page.

        Raises LaunchError when the page is an error, or does not come.
        """
        say("starting the web server")
        part = self._start(
            "web",
            *("gunicorn", "wwbsite.wsgi", f"--bind=fd://{self._listener.fileno()}"),
            *("--worker-class=gthread", "--workers=1", "--threads=8", "--graceful-timeout=5"),
            "--logger-class=wwbsite.access_log.AccessLogger",
            # By default a control socket in the home directory, and heartbeats on the disk.
            "--no-control-socket",
            *([f"--worker-tmp-dir={_SHARED_MEMORY}"] if _SHARED_MEMORY.is_dir() else []),
            pass_fds=(self._listener.fileno(),),
        )
        self._listener.close()
        status = self._first_status(part)
        if status != http.HTTPStatus.OK:
            raise LaunchError(f"The first page answers {status} (log: {part.log})")

    def _first_status(self, web: Part) -> int:
        """Return the HTTP status of the home page, as soon as there is one."""
        deadline = time.monotonic() + _FIRST_PAGE_SECONDS
        while time.monotonic() < deadline:
            if web.process.poll() is not None:
                raise web.failure()
            connection = http.client.HTTPConnection(HOST, self._port, timeout=_FIRST_PAGE_SECONDS)
            try:
                connection.request("GET", "/")
                return connection.getresponse().status
            except OSError:
                time.sleep(_POLL_SECONDS)
            finally:
                connection.close()
        raise LaunchError(f"No page after {_FIRST_PAGE_SECONDS:.0f} s (log: {web.log})")

    def _start_workers(self) -> None:
        say("starting the workers and the clock")
        self._start("worker", *_WORKER, "--hostname=players@%h", "--queues=players,default", "-c2")
        # The sweep has its own worker: players that keep theirs busy must not delay it.
        self._start("sweeper", *_WORKER, "--hostname=sweeper@%h", "--queues=sweep", "--pool=solo")
        schedule = self._installation.data / "clock"
        self._start("clock", *_CELERY, "beat", "--pidfile=", f"--schedule={schedule}")

    def _say_where(self) -> None:
        url = f"{self._url}/"
        secrets = self._installation.secrets()
        sys.stdout.write(
            "\n"
            f"  Site         {url}\n"
            f"  Agent key    {secrets.agent_key}\n"
            f"  Staff login  {STAFF_NAME} / {secrets.staff_password}  at {url}admin/\n"
            f"  Logs         {self._installation.logs}\n\n"
            "  Ctrl-C stops everything.\n\n"
        )
        sys.stdout.flush()

    def _watch(self) -> None:
        """Return when our parent ended.

        Raises LaunchError when a part of the site ended.
        """
        while os.getppid() == self._parent:
            for part in (*self._servers, *self._programs):
                if part.process.poll() is not None:
                    raise part.failure()
            time.sleep(_POLL_SECONDS)

    def _stop_programs(self) -> None:
        programs = [part.process for part in self._programs]
        stop(*programs, how=signal.SIGTERM, patience_seconds=_STOP_SECONDS)


def main() -> int:
    """Run the site and return the exit status; an error is one line."""
    for number in _STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler)
    installation = Installation(data_directory())
    try:
        with installation.hold() as was_killed:
            # What a killed run leaves may need a moment to let go of the port.
            patience_seconds = _PORT_SECONDS if was_killed else 0
            with listen(read_port(), patience_seconds=patience_seconds) as listener:
                Launcher(installation, listener).run()
    except KeyboardInterrupt:
        say("stopped")
    except Stopped:
        return 1
    except (AlreadyRunning, LaunchError, ServiceError, OSError) as error:
        fail(error)
        return 1
    return 0


def read_port() -> int:
    """Return PORT, 8000 by default; 0 takes any free one.

    Raises LaunchError when it is no port number.
    """
    given = os.environ.get("PORT") or "8000"
    if not given.isdecimal() or int(given) > 65535:
        raise LaunchError(f"PORT={given} is no port number: give one from 1024 to 65535.")
    return int(given)


def listen(port: int, *, patience_seconds: float) -> socket.socket:
    """Return a listening socket: taken before anything starts, nobody can take it meanwhile.

    Raises LaunchError when the port is not to be had.
    """
    deadline = time.monotonic() + patience_seconds
    while True:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise LaunchError(
                    f"Port {port}: {error.strerror}. Try PORT=8001 make run"
                ) from None
            if time.monotonic() >= deadline:
                other = port + 1 if port < 65535 else 8000
                raise LaunchError(
                    f"Port {port} is taken by another program. Choose another one: "
                    f"PORT={other} make run"
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return listener


def explain(error: OSError) -> str:
    """Return one line that says what a person can do about a failed file operation."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        where = f" ({error.filename})" if error.filename else ""
        return f"The disk is full{where}: free some space and start again."
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return (
            f"{error.filename} cannot be written: make it yours, "
            "or choose another data directory: WWBSITE_DATA=/path make run"
        )
    return str(error)


def say(line: str) -> None:
    """Tell the person at the terminal, at once."""
    sys.stdout.write(f"wwbsite: {line}\n")
    sys.stdout.flush()


def fail(error: Exception) -> None:
    """Tell what is wrong, in one line."""
    line = explain(error) if isinstance(error, OSError) else str(error)
    sys.stderr.write(f"wwbsite: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
