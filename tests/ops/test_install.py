"""tools/install.py on a small project of its own: a lock file with one wheel made here."""

import base64
import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import install

INSTALLER = Path(install.__file__)
METADATA = "Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write_lock(project: Path, version: str) -> None:
    """Write a wheel of the package `tiny` and a lock file that pins it."""
    files = {
        "tiny.py": f"VERSION = {version!r}\n",
        f"tiny-{version}.dist-info/METADATA": METADATA.format(version=version),
        f"tiny-{version}.dist-info/WHEEL": WHEEL,
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text)}\n" for name, text in files.items())
    wheel = project / f"tiny-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"tiny-{version}.dist-info/RECORD", record)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (project / "requirements.lock").write_text(f"{wheel.as_uri()} --hash=sha256:{digest}\n")


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def run_installer(project: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, project / "tools" / "install.py", "requirements.lock"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | env,
    )


def installed_version(project: Path) -> str:
    python = project / ".venv" / "bin" / "python"
    said = subprocess.check_output([python, "-c", "import tiny; print(tiny.VERSION)"], text=True)
    return said.strip()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A project that was installed once, under an environment that forbids bytecode."""
    project = tmp_path_factory.mktemp("project").resolve()
    (project / "tools").mkdir()
    shutil.copy(INSTALLER, project / "tools")
    write_lock(project, "1.0")
    done = run_installer(project, PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stderr
    return project


@pytest.fixture
def project(installed, tmp_path):
    """A copy of that project's tree: each test may spoil its own."""
    copy = tmp_path / "project"
    shutil.copytree(installed, copy, symlinks=True)
    stamp = json.loads((copy / ".venv" / "installed.json").read_text())
    (copy / ".venv" / "installed.json").write_text(json.dumps(stamp | {"project": str(copy)}))
    return copy


def test_what_is_installed_is_compiled_whatever_the_environment_says(installed):
    assert installed_version(installed) == "1.0"
    assert list((installed / ".venv").glob("lib/*/site-packages/__pycache__/tiny.*.pyc"))


def test_a_second_install_does_nothing_and_says_nothing(project):
    stamp = project / ".venv" / "installed.json"
    before = stamp.stat().st_mtime_ns
    done = run_installer(project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert stamp.stat().st_mtime_ns == before


def test_an_interrupted_install_is_seen_and_done_again(project):
    (project / ".venv" / "installed.json").unlink()
    next((project / ".venv").glob("lib/*/site-packages/tiny.py")).write_text("half a fi")
    done = run_installer(project)
    assert done.returncode == 0
    assert "the last install was not finished; starting over" in done.stdout
    assert installed_version(project) == "1.0"


def test_a_changed_lock_is_installed(project):
    write_lock(project, "2.0")
    assert run_installer(project).returncode == 0
    assert installed_version(project) == "2.0"


def test_a_file_with_another_digest_is_refused_and_the_next_try_starts_over(project):
    write_lock(project, "2.0")
    lock = project / "requirements.lock"
    lock.write_text(lock.read_text().replace("sha256:", "sha256:0")[:-2] + "\n")
    done = run_installer(project)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("install: the packages could not be installed")
    assert not (project / ".venv" / "installed.json").exists()


def test_a_second_installer_waits_for_the_first(project):
    write_lock(project, "2.0")
    held = os.open(project, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with subprocess.Popen(
        [sys.executable, project / "tools" / "install.py"], stdout=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stdout is not None
        assert "another install" in waiting.stdout.readline()
        os.close(held)
        waiting.communicate()
    assert waiting.returncode == 0


def test_an_installer_waits_for_the_programs_of_one_that_was_killed(project):
    write_lock(project, "2.0")
    # A pip of this environment that takes until it is told to go on.
    python = project / ".venv" / "bin" / "python"
    real = python.resolve()
    python.unlink()
    python.write_text("#!/bin/sh\necho Collecting\nread line < told\n")
    python.chmod(0o755)
    os.mkfifo(project / "told")
    command = [sys.executable, project / "tools" / "install.py"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        assert "installing" in killed.stdout.readline()
        told = (project / "told").open("w")  # the program runs
        killed.kill()
    python.unlink()
    python.symlink_to(real)
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        assert "another install" in waiting.stdout.readline()
        told.close()
        waiting.communicate()
    assert waiting.returncode == 0
    assert installed_version(project) == "2.0"


def test_an_older_python_is_refused_in_one_line():
    script = (
        "import sys, runpy; sys.version_info = (3, 10, 13);"
        f"runpy.run_path({str(INSTALLER)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("wwbsite needs Python 3.11 or newer")
    assert done.stderr.count("\n") == 1


def test_a_missing_venv_module_is_told_with_debians_package(monkeypatch, tmp_path):
    monkeypatch.setattr(install, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    with pytest.raises(install.InstallError, match="apt-get install python3-venv"):
        install._make_environment(None)


def test_a_full_disk_is_told_in_one_line(monkeypatch, capsys):
    def meet_a_full_disk(lock_name):
        install._run(["sh", "-c", "echo 'OSError: [Errno 28] No space left on device'; exit 2"])

    monkeypatch.setattr(install, "install", meet_a_full_disk)
    assert install.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("install: the disk is full")
    assert said.count("\n") == 1


def test_a_project_that_is_not_ours_is_told_in_one_line():
    error = PermissionError(errno.EACCES, "Permission denied", "/srv/wwbsite/.venv")
    assert install._explain(error).startswith("/srv/wwbsite/.venv cannot be written")
