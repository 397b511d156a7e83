"""A private Valkey on a unix socket, as a child of this process."""

import os
import signal
import socket
import subprocess
from pathlib import Path

from wwbsite.embedded.binaries import Programs
from wwbsite.embedded.processes import (
    Account,
    private_directory,
    spawn,
    stop,
    stop_leftover,
    wait_until_ready,
)

_START_SECONDS = 20.0
_STOP_SECONDS = 10.0


class Valkey:
    """A Valkey server, the Redis-protocol broker and cache, in the directories given."""

    name = "Valkey"
    slug = "valkey"

    def __init__(
        self,
        programs: Programs,
        data: Path,
        *,
        sockets: Path,
        log: Path,
        account: Account | None,
        durable: bool = True,
    ) -> None:
        self.programs = programs
        self.log = log
        self.data = data
        self._process: subprocess.Popen[bytes] | None = None
        self._socket = sockets / "valkey.sock"
        self._account = account
        self._durable = durable

    @property
    def url(self) -> str:
        return f"unix://{self._socket}?db=0"

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server.

        Raises ServiceError when it fails.
        """
        private_directory(self.data, self._account)
        pid_file = self.data / "valkey.pid"
        stop_leftover(pid_file, str(pid_file))
        options: dict[str, str | Path] = {
            "port": "0",
            "unixsocket": self._socket,
            "unixsocketperm": "700",
            "dir": self.data,
            "pidfile": pid_file,
            "set-proc-title": "no",  # keeps the command line, by which a leftover is recognised
            "save": "",
            "appendonly": "yes" if self._durable else "no",
            "maxmemory-policy": "noeviction",  # an evicted message would be a lost one
        }
        flags = [part for key, value in options.items() for part in (f"--{key}", value)]
        process = self._process = spawn(
            [self.programs.server, *flags],
            log=self.log,
            env=os.environ,
            cwd=Path("/"),
            account=self._account,
        )
        wait_until_ready(
            process,
            self._is_ready,
            name=self.name,
            log=self.log,
            patience_seconds=_START_SECONDS,
        )
        return process

    def stop(self) -> None:
        """Stop the server; what it holds is on disk by then."""
        if self._process is not None:
            stop(self._process, how=signal.SIGTERM, patience_seconds=_STOP_SECONDS)

    def _is_ready(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self._socket))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False
