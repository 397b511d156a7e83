"""`make run` as a person meets it: real processes, on data and a port of its own."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Self

import pytest

from wwbsite.installation import PROJECT, Installation
from wwbsite.launcher import explain

COMMAND = [sys.executable, "-m", "wwbsite.launcher"]
# The variables of the test run, which a person's terminal does not have.
FOREIGN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "TESTING", "DJANGO_SETTINGS_MODULE")


class Run:
    """A launcher in the foreground, and the lines it has said so far."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.said = ""

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            COMMAND,
            cwd=PROJECT,
            env=self.env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdout is not None
        self.lines = self.process.stdout
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.lines.close()

    def wait_until_ready(self) -> str:
        """Read up to the last line of the greeting and return the site's address."""
        while "Ctrl-C stops everything" not in self.said:
            line = self.lines.readline()
            assert line, self.said
            self.said += line
        address = re.search(r"Site +(\S+)", self.said)
        assert address
        return address[1]

    def wait_until_ended(self) -> int:
        self.said += self.lines.read()
        return self.process.wait()


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """The environment of a person whose data directory is new."""
    data = tmp_path_factory.mktemp("installation").resolve() / "data"
    kept = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    return kept | {"WWBSITE_DATA": str(data), "PORT": "0"}


@pytest.fixture(scope="module")
def first_run(env):
    """A first run that was stopped by Ctrl-C, and what two commands beside it said."""
    with Run(env) as run:
        with urllib.request.urlopen(run.wait_until_ready()) as page:
            assert page.status == 200
        second = _run_to_its_end(COMMAND, env)
        migrations = _run_to_its_end([sys.executable, "manage.py", "showmigrations"], env)
        run.process.send_signal(signal.SIGINT)
        assert run.wait_until_ended() == 0, run.said
    _wait_until_nothing_is_left(env)
    return run, second, migrations


@pytest.mark.worker
def test_a_first_run_says_where_it_is_and_ctrl_c_leaves_no_process(first_run):
    run, _, _ = first_run
    assert re.search(r"Agent key +wwb_\w{8}_\S{43}\n", run.said)
    assert re.search(r"Staff login +staff / \S+", run.said)
    assert run.said.endswith("wwbsite: stopping\nwwbsite: stopped\n")


@pytest.mark.worker
def test_a_second_run_on_the_same_data_is_refused_in_one_line(first_run):
    _, second, _ = first_run
    assert second.returncode == 1
    assert second.stderr.startswith("wwbsite: wwbsite already runs on ")
    assert second.stderr.count("\n") == 1


@pytest.mark.worker
def test_a_management_command_in_another_terminal_speaks_to_the_run(first_run):
    _, _, migrations = first_run
    assert migrations.returncode == 0, migrations.stderr
    assert "[ ]" not in migrations.stdout


@pytest.mark.worker
def test_a_killed_run_leaves_nothing_and_the_next_one_reuses_its_data(first_run, env):
    first, _, _ = first_run
    with Run(env) as killed:
        killed.wait_until_ready()
        killed.process.kill()
        killed.wait_until_ended()
    _wait_until_nothing_is_left(env)
    with Run(env) as again:
        site = again.wait_until_ready()
        # Where commands in another terminal say that its pages are.
        published = Installation(Path(env["WWBSITE_DATA"])).published_environment()
        assert published["SITE_URL"] == site.rstrip("/")
        accounts = re.compile(r"Agent key.*|Staff login +\S+ / \S+")
        assert accounts.findall(again.said) == accounts.findall(first.said)
        # And a part that dies takes the others with it.
        clock = next(pid for pid, line in _processes_of(env).items() if " beat " in line)
        os.kill(clock, signal.SIGKILL)
        assert again.wait_until_ended() == 1
    told = again.said.index("wwbsite: clock was ended by signal 9 (SIGKILL)")
    assert told < again.said.index("wwbsite: stopping")
    _wait_until_nothing_is_left(env)


def test_a_taken_port_is_told_before_anything_starts(tmp_path, env):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = _run_to_its_end(COMMAND, _on(env, tmp_path) | {"PORT": str(port)})
    assert refused.stderr == (
        f"wwbsite: Port {port} is taken by another program. "
        f"Choose another one: PORT={port + 1} make run\n"
    )
    assert (refused.returncode, refused.stdout) == (1, "")


@pytest.mark.parametrize("port", ["http", "-1", "70000"])
def test_a_port_that_is_none_is_told(tmp_path, env, port):
    refused = _run_to_its_end(COMMAND, _on(env, tmp_path) | {"PORT": port})
    assert refused.stderr.startswith(f"wwbsite: PORT={port} is no port number")
    assert refused.returncode == 1


def test_data_of_another_major_version_are_told_in_one_line(open_path, env):
    (open_path / "postgres").mkdir()
    (open_path / "postgres" / "PG_VERSION").write_text("15\n")
    refused = _run_to_its_end(COMMAND, _on(env, open_path))
    assert refused.returncode == 1
    assert "was made by PostgreSQL 15" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_the_secrets_are_made_once_and_for_their_owner_only(tmp_path):
    installation = Installation(tmp_path)
    made = installation.secrets()
    assert installation.secrets() == made
    assert Installation(tmp_path).secrets() == made
    assert (tmp_path / "secrets.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "The disk is full"),
        (errno.EROFS, "WWBSITE_DATA=/path make run"),
        (errno.EACCES, "WWBSITE_DATA=/path make run"),
    ],
)
def test_a_directory_that_cannot_be_written_is_told_with_what_to_do(number, advice):
    assert advice in explain(OSError(number, os.strerror(number), "/srv/data"))


def _on(env: dict[str, str], data: Path) -> dict[str, str]:
    return env | {"WWBSITE_DATA": str(data)}


def _run_to_its_end(command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False, timeout=300
    )


def _processes_of(env: dict[str, str]) -> dict[int, str]:
    """Return the live processes of a run, known by the data directory in their environment."""
    marker = f"WWBSITE_DATA={env['WWBSITE_DATA']}\0".encode()
    found = {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (directory / "environ").read_bytes():
                found[int(directory.name)] = (directory / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it ended, or is another person's
    return found


def _wait_until_nothing_is_left(env: dict[str, str]) -> None:
    while any(_processes_of(env).values()):
        time.sleep(0.05)
