"""`manage.py` without a running site: it starts servers for the command, on the same data."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wwbsite.installation import PROJECT, Installation

FOREIGN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")


def manage(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=kept | {"WWBSITE_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("installation").resolve() / "data"


def test_a_command_without_tables_says_what_to_do_and_the_next_ones_share_the_data(data):
    refused = manage(data, "create_agent", "walker")
    assert refused.returncode == 1
    assert "run `manage.py migrate`, or start with `make run`" in refused.stderr
    assert "Traceback" not in refused.stderr

    assert manage(data, "migrate", "--verbosity=0").returncode == 0
    created = manage(data, "create_agent", "walker")
    assert re.fullmatch(r"wwb_\w{8}_[\w-]{43}\n", created.stdout)
    again = manage(data, "create_agent", "walker")
    assert (again.returncode, again.stdout) == (1, "")

    # The servers ended with their command: nothing holds the data, and no socket is left.
    with Installation(data).hold() as was_killed:
        assert not was_killed
    assert not (data / "run").exists()
    assert not (data / "postgres" / "postmaster.pid").exists()


def test_an_argument_that_is_no_text_is_one_line(data):
    refused = manage(data, "report_agreement", os.fsdecode(b"pilot\xff"))
    assert refused.returncode == 1
    assert refused.stderr == "The argument 'pilot\\udcff' is not UTF-8 text.\n"


def test_a_python_without_the_packages_is_told_which_one_has_them():
    bare = [sys.executable, "-S", "manage.py", "create_agent", "walker"]
    refused = subprocess.run(bare, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.endswith("say .venv/bin/python manage.py create_agent walker\n")
    assert refused.stderr.count("\n") == 1


def test_a_reader_that_has_enough_of_the_output_gets_no_traceback():
    command = [sys.executable, "manage.py", "help"]
    with subprocess.Popen(
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        run.stdout.close()
        assert run.stderr.read() == ""
    assert run.returncode == 1


def test_a_command_beside_a_site_that_is_still_starting_says_so(data):
    with Installation(data).hold():
        refused = manage(data, "check")
    assert refused.returncode == 1
    assert refused.stderr == ("The site is still starting: try again when it shows its address.\n")
