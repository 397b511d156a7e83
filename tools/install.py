"""Make .venv and install a lock file into it: `python3 tools/install.py requirements.lock`.

Standard library only. The stamp in .venv is removed first and written last, so an interrupted
install is seen and repaired; when it matches, nothing is done.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (this file is what tells an older Python)
    sys.exit(
        f"wwbsite needs Python 3.11 or newer, and this is {sys.version.split()[0]}: "
        "name a newer one, as in: make PYTHON=python3.11 run"
    )

import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
VENV = PROJECT / ".venv"
STAMP = VENV / "installed.json"
PYTHON = VENV / "bin" / "python"
RUNTIME_LOCK = "requirements.lock"
_NEWS_EVERY = 10


class InstallError(Exception):
    """The install cannot go on. The message is one line that says what to do."""


def install(lock_name: str) -> None:
    """Bring .venv in line with a lock file; do nothing when it is.

    Raises InstallError with one line, and OSError when .venv cannot be written.
    """
    if is_installed(lock_name):
        return
    with _alone():
        if is_installed(lock_name):  # by the one that we waited for
            return
        uv = shutil.which("uv")
        finished_once = bool(_stamp()) and PYTHON.exists()
        STAMP.unlink(missing_ok=True)
        if not finished_once or not (uv or (VENV / "bin" / "pip").exists()):
            _make_environment(uv)
        _install_packages(PROJECT / lock_name, uv)
        # The programs in .venv/bin find the project from any directory.
        (_site_packages() / "wwbsite.pth").write_text(f"{PROJECT}\n")
        STAMP.write_text(json.dumps(_expected_stamp(lock_name)))


def is_installed(lock_name: str) -> bool:
    """Return whether the last install of these very lines was finished, and is still here."""
    expected = _expected_stamp(lock_name)
    stamp = _stamp()
    return PYTHON.exists() and all(stamp.get(key) == value for key, value in expected.items())


def _stamp() -> dict[str, str]:
    try:
        stamp: dict[str, str] = json.loads(STAMP.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return stamp


def _expected_stamp(lock_name: str) -> dict[str, str]:
    """Return what the stamp says after an install: the project's place, each lock's digest."""
    # The development lock pins every line of the other one too.
    names = {RUNTIME_LOCK, lock_name}
    digests = {name: hashlib.sha256((PROJECT / name).read_bytes()).hexdigest() for name in names}
    return {"project": str(PROJECT), **digests}


@contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock on the project's directory: two installs at once would spoil each other."""
    directory = os.open(PROJECT, os.O_RDONLY)
    # The programs that we run hold it too: when we are killed, they go on in .venv by themselves.
    os.set_inheritable(directory, True)  # noqa: FBT003  (it takes no name)
    try:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another install of this project is running; waiting for it")
            fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def _make_environment(uv: str | None) -> None:
    """Make .venv anew: what is in it was never finished, or its Python is gone."""
    if VENV.exists():
        _say("the last install was not finished; starting over")
        shutil.rmtree(VENV)
    if uv:
        _run([uv, "venv", "--no-project", "--python", sys.executable, str(VENV)])
        return
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        raise InstallError(
            "Python's venv is missing. On Debian and Ubuntu: apt-get install python3-venv"
        )
    _run([sys.executable, "-m", "venv", str(VENV)])


def _install_packages(lock: Path, uv: str | None) -> None:
    """Install exactly the pinned files, and compile them, which later starts are faster for."""
    tool = "uv" if uv else "pip, which takes about a minute"
    _say(f"installing {lock.name} into .venv with {tool}; only once")
    options = ["--no-deps", "--require-hashes", "--requirement", str(lock)]
    if uv:
        _run([uv, "pip", "install", "--python", str(PYTHON), "--compile-bytecode", *options])
    else:
        _run([str(PYTHON), "-m", "pip", "install", "--no-input", *options])


def _run(command: list[str]) -> None:
    """Run an install step, count what it collects, and show its output only when it fails.

    Raises InstallError when it fails.
    """
    # Inherited, the one would leave Django uncompiled, the other install outside of .venv.
    env = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    output: list[str] = []
    collected = 0
    with subprocess.Popen(
        command,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        close_fds=False,  # the lock, see _alone
    ) as process:
        for line in process.stdout or ():
            output.append(line)
            if line.startswith("Collecting "):
                collected += 1
                if collected % _NEWS_EVERY == 0:
                    _say(f"{collected} packages fetched")
            elif line.startswith("Installing collected packages"):
                _say("unpacking and compiling them")
    if process.returncode:
        _raise_failure("".join(output))


def _raise_failure(output: str) -> None:
    if "No space left on device" in output:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(VENV))
    sys.stderr.write(output[-4000:])
    raise InstallError("the packages could not be installed (see above); the next try starts over")


def _site_packages() -> Path:
    return next((VENV / "lib").glob("python3*/site-packages"))


def _explain(error: OSError) -> str:
    """Return one line that says what a person can do about a failed file operation."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        free = shutil.disk_usage(PROJECT).free >> 20
        return f"the disk is full ({free} MB free, about 800 needed): free some and start again"
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{error.filename} cannot be written: make {PROJECT} yours, or clone it anew"
    return str(error)


def _say(line: str) -> None:
    print(f"install: {line}", flush=True)


def main() -> int:
    """Install the lock file named on the command line and return the exit status."""
    lock_name = sys.argv[1] if len(sys.argv) > 1 else RUNTIME_LOCK
    try:
        install(lock_name)
    except KeyboardInterrupt:
        print("install: interrupted; the next try starts over", file=sys.stderr)
        return 130
    except InstallError as error:
        print(f"install: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"install: {_explain(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
