"""A throwaway PostgreSQL and Valkey for one test run, whatever is installed on the machine.

Loaded by `-p tests.services` (pyproject.toml). WWBSITE_TEST_EXTERNAL=1 uses the DATABASE_URL
and REDIS_URL of the caller instead.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from wwbsite.embedded.processes import (
    ServiceError,
    remove_socket_directory,
    service_account,
    socket_directory,
)
from wwbsite.embedded.servers import VARIABLES, make_servers

_SHARED_MEMORY = Path("/dev/shm")
_NEEDED_BYTES = 1 << 30
_PREFIX = "wwbsite-test-"

_header: list[str] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Export the addresses before pytest-django loads the settings, in its hook of this name."""
    # The test client and the test browser speak plain HTTP, and nobody collects static files.
    os.environ["INSECURE_HTTP"] = os.environ["STATIC_AUTOREFRESH"] = "1"
    # Every test comes from the same address.
    os.environ["STARTS_PER_ADDRESS"] = "1000000/hour"
    os.environ["API_REFUSALS_PER_ADDRESS"] = "1000000/hour"
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        _use_own_valkey_database(worker)
    elif os.environ.get("WWBSITE_TEST_EXTERNAL") == "1":
        _require_addresses()
    else:
        stack = ExitStack()
        early_config.add_cleanup(stack.close)
        try:
            start_servers(stack)
        except ServiceError as error:
            raise pytest.UsageError(str(error)) from None
    return (yield)


def pytest_report_header() -> list[str]:
    return _header


def _use_own_valkey_database(worker: str) -> None:
    """Keep the messages of test processes apart; pytest-django does so for their tables."""
    address, _, _ = os.environ["REDIS_URL"].partition("?")
    if address.startswith("unix:"):
        number = int(worker.removeprefix("gw")) + 1
        os.environ["REDIS_URL"] = f"{address}?db={number}"


def _require_addresses() -> None:
    if missing := [name for name in VARIABLES if not os.environ.get(name)]:
        raise pytest.UsageError(f"WWBSITE_TEST_EXTERNAL=1 needs {' and '.join(missing)}")
    _header.append("services: those of DATABASE_URL and REDIS_URL")


def start_servers(stack: ExitStack) -> None:
    """Start both servers in a new directory, and leave their end to `stack`."""
    account = service_account()
    place = _roomy_place()
    _remove_abandoned(place)
    directory = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place))
    stack.callback(_remove, directory)
    directory.chmod(0o711)  # the servers' account has to get to its own part
    sockets = socket_directory(directory / "run", account)
    servers = make_servers(
        VARIABLES,
        data=directory,
        sockets=sockets,
        logs=directory,
        account=account,
        durable=False,
    )
    for variable, server in servers.items():
        stack.callback(server.stop)
        server.start()
        os.environ[variable] = server.url
        _header.append(f"{server.name}: {server.programs}, throwaway in {place}")


def _roomy_place() -> Path:
    """Return shared memory, or the temporary directory where containers give little of it."""
    usable = os.access(_SHARED_MEMORY, os.W_OK)
    if usable and shutil.disk_usage(_SHARED_MEMORY).free > _NEEDED_BYTES:
        return _SHARED_MEMORY
    return Path(tempfile.gettempdir())


def _remove_abandoned(place: Path) -> None:
    """Remove what test runs that were killed left behind; their servers died with them."""
    for directory in place.glob(f"{_PREFIX}*"):
        pid = int(directory.name.removeprefix(_PREFIX).split("-")[0])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            _remove(directory)
        except PermissionError:
            continue  # another person's, still running


def _remove(directory: Path) -> None:
    remove_socket_directory(directory / "run")
    shutil.rmtree(directory, ignore_errors=True)
