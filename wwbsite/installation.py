"""The data directory of one installation: its lock, its secrets, and what a run tells others."""

import fcntl
import hashlib
import json
import os
import secrets
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from episodes.keys import RawKey
from wwbsite.embedded.processes import (
    Account,
    remove_socket_directory,
    service_account,
    socket_directory,
)
from wwbsite.embedded.servers import Server, make_servers

PROJECT = Path(__file__).resolve().parent.parent
# For servers whose account cannot enter the data directory, as under /root.
_ELSEWHERE = Path("/var/lib/wwbsite")


class AlreadyRunning(Exception):
    """Another launcher holds the data directory."""


@dataclass(frozen=True)
class Secrets:
    """What must not be in the tree and must be the same at the next start."""

    secret_key: str
    agent_key: str
    staff_password: str


def data_directory() -> Path:
    """Return WWBSITE_DATA, or .data in the project."""
    return Path(os.environ.get("WWBSITE_DATA") or PROJECT / ".data").absolute()


class Installation:
    """One data directory, held by one launcher at a time."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.logs = data / "logs"
        self.sockets_link = data / "run"
        self._environment = data / "environment"

    @contextmanager
    def hold(self) -> Iterator[bool]:
        """Create and lock the directory; give whether the last run was killed, not stopped.

        Raises AlreadyRunning while another launcher holds it.
        """
        if not self.data.exists():
            # Passable, not readable: as root, PostgreSQL's account has to get to its own part.
            self.data.mkdir(mode=0o711, parents=True)
        self.logs.mkdir(mode=0o700, exist_ok=True)
        with (self.data / "lock").open("a+") as lock:
            lock.seek(0)
            holder = lock.read().strip()
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunning(
                    f"wwbsite already runs on {self.data} (process {holder}): use that one, stop "
                    "it, or give this one its own data: WWBSITE_DATA=/path make run"
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            try:
                yield holder != ""
            finally:
                self._environment.unlink(missing_ok=True)
                lock.truncate(0)

    def fresh_log(self, name: str) -> Path:
        """Return the path of an empty log; that of the run before stays beside it."""
        log = self.logs / f"{name}.log"
        if log.exists():
            log.rename(self.logs / f"{name}.log.1")
        return log

    def service_data(self, account: Account | None) -> Path:
        """Return a directory for the servers' data that their account can enter."""
        if account is None or account.can_reach(self.data):
            return self.data
        name = hashlib.sha256(str(self.data).encode()).hexdigest()[:12]
        directory = _ELSEWHERE / name
        directory.mkdir(parents=True, exist_ok=True)
        for ours in (_ELSEWHERE, directory):
            ours.chmod(0o711)
        return directory

    def secrets(self) -> Secrets:
        """Return the secrets of this installation, made at its first start."""
        path = self.data / "secrets.json"
        if not path.exists():
            made = Secrets(
                secret_key=secrets.token_urlsafe(50),
                agent_key=RawKey.generate().text,
                staff_password=secrets.token_urlsafe(12),
            )
            _write_private(path, json.dumps(asdict(made), indent=2) + "\n")
        return Secrets(**json.loads(path.read_text()))

    def settings(self) -> dict[str, str]:
        """Return the settings of a site on this machine; what the environment says goes first."""
        settings = {
            "SECRET_KEY": self.secrets().secret_key,
            "INSECURE_HTTP": "1",  # plain HTTP, on the loopback address only
            "STATIC_AUTOREFRESH": "1",  # no collectstatic before the first page
        }
        return {key: os.environ.get(key) or value for key, value in settings.items()}

    def make_servers(self, variables: Iterable[str], stack: ExitStack) -> dict[str, Server]:
        """Return servers on this installation's data, not started; `stack` removes their sockets.

        Raises ServiceError where there is no account or no program to run.
        """
        account = service_account()
        sockets = socket_directory(self.sockets_link, account)
        stack.callback(remove_socket_directory, self.sockets_link)
        return make_servers(
            variables,
            data=self.service_data(account),
            sockets=sockets,
            logs=self.logs,
            account=account,
        )

    def publish_environment(self, env: Mapping[str, str]) -> None:
        """Let `manage.py` in another terminal find this run."""
        lines = [f"{key}={shlex.quote(value)}\n" for key, value in env.items()]
        _write_private(self._environment, "".join(lines))

    def published_environment(self) -> dict[str, str]:
        """Return what the present run published; empty while it is still starting."""
        if not self._environment.exists():
            return {}
        parts = (part.partition("=") for part in shlex.split(self._environment.read_text()))
        return {key: value for key, _, value in parts}


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)
    partial.write_text(text)
    partial.rename(path)
