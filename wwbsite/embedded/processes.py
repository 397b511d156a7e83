"""Child processes that end with the process that started them."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LEFTOVER_PATIENCE_SECONDS = 20.0
_POLL_SECONDS = 0.01
_FULL_BYTES = 1 << 20


class ServiceError(Exception):
    """A service cannot run. The message is one line that says what to do."""


@dataclass(frozen=True)
class Account:
    """An unprivileged account that servers run as when we are root."""

    name: str
    uid: int
    gid: int

    def can_reach(self, path: Path) -> bool:
        """Return whether this account can enter a directory or run a program."""
        # Asked of the kernel as that account: modes alone miss ACLs and mount options.
        answer = subprocess.run(
            ["test", "-x", path], user=self.uid, group=self.gid, extra_groups=[], check=False
        )
        return answer.returncode == 0


def service_account() -> Account | None:
    """Return the account to drop to, or None when we are not root.

    Raises ServiceError where PostgreSQL would refuse to run as the present user.
    """
    if os.geteuid() != 0:
        _require_name(os.geteuid())
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid)
    raise ServiceError(
        "PostgreSQL refuses to run as root, and there is no account `nobody` to run it as: "
        "start as an ordinary user, or set DATABASE_URL and REDIS_URL."
    )


def _require_name(uid: int) -> None:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        raise ServiceError(
            f"User id {uid} has no entry in /etc/passwd, and PostgreSQL refuses to run without "
            "one: add an entry, or set DATABASE_URL and REDIS_URL."
        ) from None


def spawn(
    command: Iterable[str | Path],
    *,
    log: Path,
    env: Mapping[str, str],
    cwd: Path,
    account: Account | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
    pass_fds: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start a child in its own process group; it gets `death_signal` if this process dies.

    The group keeps Ctrl-C from the children, so that the launcher stops them in order.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            process_group=0,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            # Safe: launcher and test plugin start children before they have a second thread.
            preexec_fn=_die_with_parent(death_signal),  # noqa: PLW1509
            pass_fds=pass_fds,
        )


def _die_with_parent(death_signal: signal.Signals) -> Callable[[], None] | None:
    """Return what a Linux child runs before its program; other systems have no such request."""
    if sys.platform != "linux":
        return None
    parent = os.getpid()
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        # A shell's background job starts with SIGINT and SIGQUIT ignored, and hands that down.
        signal.signal(death_signal, signal.SIG_DFL)
        prctl(_PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:  # the parent died before it was asked for
            os._exit(1)

    return ask


def stop(*processes: subprocess.Popen[bytes], how: signal.Signals, patience_seconds: float) -> None:
    """Ask children to stop, all at once; after `patience_seconds` end their process groups."""
    for process in processes:
        process.send_signal(how)  # nothing happens when it has ended already
    deadline = time.monotonic() + patience_seconds
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        # macOS answers PermissionError for a group of which only zombies are left.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def stop_leftover(pid_file: Path, marker: str) -> None:
    """Stop the server that a killed run left behind, and remove its pid file.

    The caller holds the lock of the data directory, so whoever is named in the file is not in
    use. A number that another program got since then is recognised by `marker` missing from
    its command line, and left alone.
    """
    try:
        pid = int(pid_file.read_text().split()[0])
    except (FileNotFoundError, ValueError, IndexError):
        pid_file.unlink(missing_ok=True)
        return
    deadline = time.monotonic() + _LEFTOVER_PATIENCE_SECONDS
    if marker in _command_line(pid):
        os.kill(pid, signal.SIGINT)
    while marker in _command_line(pid):
        if time.monotonic() > deadline:
            raise ServiceError(f"Process {pid} of an earlier run does not stop: kill -9 {pid}")
        time.sleep(_POLL_SECONDS)
    pid_file.unlink(missing_ok=True)


def _command_line(pid: int) -> str:
    """Return the arguments of a running process, empty when there is none."""
    if Path("/proc/self/cmdline").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            return ""
    listing = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listing.stdout


def wait_until_ready(
    process: subprocess.Popen[bytes],
    is_ready: Callable[[], bool],
    *,
    name: str,
    log: Path,
    patience_seconds: float,
) -> None:
    """Wait for a child to be ready.

    Raises ServiceError when it ends first or takes longer than `patience_seconds`.
    """
    deadline = time.monotonic() + patience_seconds
    while not is_ready():
        if process.poll() is not None:
            raise ServiceError(describe_end(name, process.returncode, log))
        if time.monotonic() > deadline:
            raise ServiceError(f"{name} is not ready after {patience_seconds:.0f} s: see {log}")
        time.sleep(_POLL_SECONDS)


def describe_end(name: str, returncode: int, log: Path) -> str:
    """Return one line on a child that ended by itself: how, its last words, where its log is.

    A signal comes from outside: whatever the child wrote last has nothing to do with it.
    """
    lines = log.read_text(errors="replace").splitlines()[-50:] if log.exists() else []
    # Where the log itself found no more space, its last words are missing.
    is_full = log.exists() and shutil.disk_usage(log.parent).free < _FULL_BYTES
    if is_full or any("No space left on device" in line for line in lines):
        return f"{name} ended because the disk is full: free some space and start again ({log})."
    if returncode < 0:
        return f"{name} {_signal_words(-returncode)} (log: {log})"
    last = f": {lines[-1].strip()}" if lines else ""
    return f"{name} ended with exit code {returncode}{last} (log: {log})"


def _signal_words(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:  # a real-time signal has a number alone
        return f"was ended by signal {number}"
    cause = ": by somebody, or because memory ran out" if number == signal.SIGKILL else ""
    return f"was ended by signal {number} ({name}){cause}"


def private_directory(path: Path, account: Account | None) -> None:
    """Create a directory that only we, or the account, can enter."""
    path.mkdir(mode=0o700, exist_ok=True)
    if account:
        os.chown(path, account.uid, account.gid)


def socket_directory(link: Path, account: Account | None) -> Path:
    """Create a directory for unix sockets, name it by `link`, and remove its predecessor.

    A socket's path is limited to 107 bytes, so it cannot lie in a data directory of any depth.
    """
    remove_socket_directory(link)
    directory = Path(tempfile.mkdtemp(prefix="wwbsite-", dir="/tmp"))
    private_directory(directory, account)
    link.symlink_to(directory)
    return directory


def remove_socket_directory(link: Path) -> None:
    """Remove what `link` names, and the link."""
    if link.is_symlink():
        shutil.rmtree(link.readlink(), ignore_errors=True)
        link.unlink()
