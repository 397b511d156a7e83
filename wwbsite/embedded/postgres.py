"""A private PostgreSQL on a unix socket, as a child of this process."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import quote

from wwbsite.embedded.binaries import Programs
from wwbsite.embedded.processes import (
    Account,
    ServiceError,
    describe_end,
    private_directory,
    spawn,
    stop,
    stop_leftover,
    wait_until_ready,
)

USER = "wwbsite"
DATABASE = "postgres"
_START_SECONDS = 60.0
_STOP_SECONDS = 20.0

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "64MB",
    "max_connections": "100",
    # Parallel plans need shared memory that small containers do not have.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "log_min_messages": "warning",
}
_THROWAWAY_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}


class Postgres:
    """A PostgreSQL server whose data, log and socket lie in the directories given."""

    name = "PostgreSQL"
    slug = "postgres"

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
        self._sockets = sockets
        self._account = account
        self._durable = durable
        # PGDATA, PGPORT and the like of the caller must not reach these programs.
        self._env = {key: value for key, value in os.environ.items() if key[:2] != "PG"}
        self._env["TZ"] = "UTC"

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@{quote(str(self._sockets), safe='')}/{DATABASE}"

    def start(self) -> subprocess.Popen[bytes]:
        """Create the data directory if there is none, and start the server.

        Raises ServiceError when another major version made the data, or the server fails.
        """
        if self.data.is_dir():
            self._require_same_major()
            stop_leftover(self.data / "postmaster.pid", str(self.data))
        else:
            self._initialize()
        settings = _SETTINGS | ({} if self._durable else _THROWAWAY_SETTINGS)
        settings["unix_socket_directories"] = str(self._sockets)
        options = [f"--{key}={value}" for key, value in settings.items()]
        process = self._process = spawn(
            [self.programs.server, "-D", self.data, *options],
            log=self.log,
            env=self._env,
            cwd=Path("/"),
            account=self._account,
            death_signal=signal.SIGINT,
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
        """Stop the server: SIGINT ends open sessions and writes a checkpoint."""
        if self._process is not None:
            stop(self._process, how=signal.SIGINT, patience_seconds=_STOP_SECONDS)

    def _is_ready(self) -> bool:
        """Return whether the server has written `ready` on the eighth line of its pid file."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[7].strip() == "ready"

    def _require_same_major(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        if int(made_by) != self.programs.major:
            raise ServiceError(
                f"{self.data} was made by PostgreSQL {made_by}, and this is "
                f"{self.programs.major}: move the data with pg_dump (docs/deploy.md), or delete "
                "that directory to start anew."
            )

    def _initialize(self) -> None:
        """Create the data directory under a temporary name: Ctrl-C here leaves no half of it."""
        partial = self.data.with_name(self.data.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        private_directory(partial, self._account)
        # The same order of strings on every machine: neither its locales nor ICU are asked.
        locale = (
            ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
            if self.programs.major >= 17
            else ["--no-locale"]
        )
        options = ["--encoding=UTF8", "--auth=trust", "--no-instructions", "--no-sync", *locale]
        process = spawn(
            [
                self.programs.server.with_name("initdb"),
                "-D",
                partial,
                f"--username={USER}",
                *options,
            ],
            log=self.log,
            env=self._env,
            cwd=Path("/"),
            account=self._account,
        )
        try:
            returncode = process.wait(_START_SECONDS)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            stop(process, how=signal.SIGKILL, patience_seconds=1)
            raise
        if returncode:
            raise ServiceError(describe_end("initdb", returncode, self.log))
        partial.rename(self.data)
