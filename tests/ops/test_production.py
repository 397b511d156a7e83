"""What production needs of the tree: checked settings, static files, queues that are read."""

import json
import os
import posixpath
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from wwbsite.installation import PROJECT

PRODUCTION = {
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "ALLOWED_HOSTS": "wwb.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://wwb.example.org",
    "BEHIND_TLS_PROXY": "1",
}
# The last one is set by the tests that drive a browser.
DEVELOPMENT = (
    "TESTING",
    "DEBUG",
    "INSECURE_HTTP",
    "STATIC_AUTOREFRESH",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
)
# The file that a module asks for: `import "./a.js"`, `... from "./a.js"`, `import("./a.js")`.
IMPORTED = re.compile(r"""\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""")


def test_djangos_deployment_checks_find_nothing_under_production_settings():
    env = {key: value for key, value in os.environ.items() if key not in DEVELOPMENT}
    checked = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level=DEBUG"],
        cwd=PROJECT,
        env=env | PRODUCTION,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    assert "no issues" in checked.stdout


@pytest.fixture
def production(monkeypatch):
    """The settings as production reads them."""
    for name in DEVELOPMENT:
        monkeypatch.delenv(name, raising=False)
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(PROJECT / "wwbsite" / "settings.py"))


def test_every_static_file_that_another_one_names_is_there_under_a_hashed_name(
    production, tmp_path
):
    with override_settings(STATIC_ROOT=tmp_path, STORAGES=production["STORAGES"]):
        call_command("collectstatic", interactive=False, verbosity=0)
    manifest = json.loads((tmp_path / "staticfiles.json").read_text())
    hashed = set(manifest["paths"].values())
    imports = [
        (name, posixpath.normpath(posixpath.join(posixpath.dirname(name), found)))
        for name in hashed
        if name.endswith((".js", ".mjs"))
        for found in IMPORTED.findall((tmp_path / name).read_text())
    ]
    ours = {name for name, _ in imports if name.startswith("js/")}
    assert {re.sub(r"\.\w{12}\.", ".", name) for name in ours} == {"js/judgment.js", "js/study.js"}
    assert [one for one in imports if one[1] not in hashed] == []
    assert [name for name in hashed if not (tmp_path / name).is_file()] == []


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("place", ["compose.yaml", "wwbsite/launcher.py", "docs/deploy.md"])
def test_every_queue_that_tasks_are_sent_to_has_a_worker(place):
    used = {settings.CELERY_TASK_DEFAULT_QUEUE}
    used |= {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    lists = re.findall(r"--queues=([a-z,]+)", Path(PROJECT, place).read_text())
    assert sorted(",".join(lists).split(",")) == sorted(used)
    assert "sweep" in lists, "the sweep has a worker of its own"


@pytest.mark.parametrize("place", ["wwbsite/launcher.py", "docs/deploy.md"])
def test_two_workers_on_one_machine_have_two_names(place):
    names = re.findall(r"--hostname=(\w+)@%h", Path(PROJECT, place).read_text())
    assert sorted(names) == ["players", "sweeper"]
