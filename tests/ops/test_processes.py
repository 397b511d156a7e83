"""Children end with their parent, and what a killed run leaves is cleared away safely."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wwbsite.embedded import processes
from wwbsite.embedded.processes import (
    ServiceError,
    describe_end,
    service_account,
    socket_directory,
    spawn,
    stop,
    stop_leftover,
)


@pytest.fixture
def sleeper():
    # SIGINT as a server takes it: a background job of a shell starts with it ignored.
    script = (
        "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL);"
        "print('ready', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # its command line is to be seen by now
        yield process
        process.kill()


# A background job of a shell starts with SIGINT and SIGQUIT ignored.
@pytest.mark.parametrize("before", ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN);"])
def test_a_child_dies_with_its_killed_parent(tmp_path, before):
    script = (
        "import os, signal, sys; from pathlib import Path;"
        f"from wwbsite.embedded.processes import spawn; {before}"
        "child = spawn(['sleep', '600'], log=Path(sys.argv[1]), env=os.environ, cwd=Path('/'));"
        "print(child.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    command = [sys.executable, "-c", script, tmp_path / "log"]
    parent = subprocess.run(command, capture_output=True, text=True, check=False)
    assert parent.returncode == -signal.SIGKILL
    _wait_until_gone(int(parent.stdout))


def test_a_child_that_ignores_the_request_is_ended_with_its_group(tmp_path):
    script = "trap '' TERM; sleep 600 & echo $!; wait; wait"
    log = tmp_path / "log"
    process = spawn(["sh", "-c", script], log=log, env=os.environ, cwd=tmp_path)
    while not log.read_text().endswith("\n"):
        time.sleep(0.01)
    stop(process, how=signal.SIGTERM, patience_seconds=0.1)
    assert process.returncode == -signal.SIGKILL
    _wait_until_gone(int(log.read_text()))


def test_a_leftover_server_is_stopped_and_its_pid_file_removed(tmp_path, sleeper):
    pid_file = tmp_path / "server.pid"
    pid_file.write_text(f"{sleeper.pid}\nmore\n")
    stop_leftover(pid_file, "time.sleep(600)")
    assert sleeper.wait() == -signal.SIGINT
    assert not pid_file.exists()


def test_another_program_that_got_the_number_of_a_dead_server_is_left_alone(tmp_path, sleeper):
    pid_file = tmp_path / "server.pid"
    pid_file.write_text(str(sleeper.pid))
    stop_leftover(pid_file, f"postgres -D {tmp_path}")
    assert sleeper.poll() is None
    assert not pid_file.exists()


def test_the_end_of_a_child_is_told_with_its_last_words(tmp_path):
    log = tmp_path / "web.log"
    log.write_text("starting\nno module named x\n")
    assert describe_end("web", 3, log) == (
        f"web ended with exit code 3: no module named x (log: {log})"
    )


def test_a_child_that_a_signal_ended_is_not_told_with_words_that_it_wrote_before(tmp_path):
    log = tmp_path / "clock.log"
    log.write_text("scheduler: sending due task sweep\n")
    assert describe_end("clock", -9, log) == (
        "clock was ended by signal 9 (SIGKILL): by somebody, or because memory ran out "
        f"(log: {log})"
    )
    assert describe_end("web", -11, log) == f"web was ended by signal 11 (SIGSEGV) (log: {log})"
    assert describe_end("web", -40, log) == f"web was ended by signal 40 (log: {log})"


def test_a_child_that_met_a_full_disk_is_told_as_that(tmp_path):
    log = tmp_path / "postgres.log"
    log.write_text("FATAL: could not write: No space left on device\nshut down\n")
    assert "the disk is full" in describe_end("PostgreSQL", 1, log)


def test_a_child_whose_own_log_found_no_space_is_told_as_that(tmp_path, monkeypatch):
    log = tmp_path / "prepare.log"
    log.write_text("Traceback\n  ret")
    monkeypatch.setattr(processes, "_FULL_BYTES", 1 << 62)
    assert "the disk is full" in describe_end("prepare", 1, log)


def test_a_user_without_a_name_is_refused_with_a_line(monkeypatch):
    nameless = 3_999_999_999
    monkeypatch.setattr(os, "geteuid", lambda: nameless)
    with pytest.raises(ServiceError, match=f"{nameless} has no entry in /etc/passwd"):
        service_account()


def test_a_new_socket_directory_replaces_that_of_the_run_before(tmp_path):
    account = service_account()
    first = socket_directory(tmp_path / "run", account)
    second = socket_directory(tmp_path / "run", account)
    assert (tmp_path / "run").readlink() == second
    assert not first.exists()
    assert second.stat().st_mode & 0o077 == 0
    second.rmdir()


def _wait_until_gone(pid: int) -> None:
    """Wait for a process that is not our child; the test's time limit is the suite's."""
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_text():
        time.sleep(0.01)
