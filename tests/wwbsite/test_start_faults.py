"""A bad setting, or a server that is away, is one line that names the setting."""

import os
import subprocess
import sys

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import NotSupportedError, OperationalError

from wwbsite.environment import read_address, read_database
from wwbsite.installation import PROJECT
from wwbsite.start_faults import explain

NOBODY = "postgresql://somebody:secret@127.0.0.1:1/site"  # no server has port 1


def end_of(command, **changes):
    """Return the exit code, and all lines but gunicorn's, of a command that cannot start."""
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=PROJECT,
        env=os.environ | changes,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = (done.stdout + done.stderr).splitlines()
    return done.returncode, [line for line in lines if not line.startswith("[")]


def test_a_command_says_in_one_line_that_the_database_is_away():
    code, lines = end_of("manage migrate", DATABASE_URL=NOBODY)
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith("DATABASE_URL: connection failed")
    assert "Connection refused" in lines[0]
    assert "secret" not in lines[0]


@pytest.mark.parametrize(
    ("command", "code"),
    [("celery -A wwbsite.celery worker", 1), ("gunicorn wwbsite.wsgi --bind=127.0.0.1:0", 3)],
)
def test_a_worker_or_web_server_without_an_address_ends_with_one_line(command, code):
    said = ["DATABASE_URL is not set. `make run` sets it; see docs/deploy.md."]
    assert end_of(command, DATABASE_URL="") == (code, said)


@pytest.mark.parametrize(
    "address",
    ["", "nonsense", "mysql://u:secret@h/x", "postgresql://u:p#secret@h/x", "postgresql:h/x"],
)
def test_an_address_that_is_none_is_refused_without_its_password(address):
    with pytest.raises(ImproperlyConfigured, match="ADDRESS") as refusal:
        read_database("ADDRESS", env={"ADDRESS": address})
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("address", ["redis://h:6379/0", "rediss://h", "unix:///run/x.sock?db=0"])
def test_an_address_is_read_as_it_is(address):
    env = {"ADDRESS": address}
    assert read_address("ADDRESS", schemes=("redis", "rediss", "unix"), env=env) == address


def test_an_old_server_is_told_and_a_fault_of_a_statement_is_none_of_the_start():
    old = NotSupportedError("PostgreSQL 14 or later is required (found 13.4).")
    assert explain(old) == f"DATABASE_URL: {old}"
    full = OperationalError("could not extend file")
    full.__cause__ = psycopg.errors.DiskFull()
    assert explain(full) is None
