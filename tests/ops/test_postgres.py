"""The embedded PostgreSQL starts, survives what happened to its data, and keeps to itself."""

import shutil
from contextlib import contextmanager

import psycopg
import pytest

from wwbsite.embedded.binaries import find_postgres
from wwbsite.embedded.postgres import Postgres
from wwbsite.embedded.processes import ServiceError, service_account, socket_directory


@pytest.fixture
def make_postgres(open_path):
    """Return a function that makes one server after another on the same data."""
    account = service_account()
    sockets = socket_directory(open_path / "run", account)

    @contextmanager
    def make():
        server = Postgres(
            find_postgres().reachable_by(account),
            open_path / "postgres",
            sockets=sockets,
            log=open_path / "postgres.log",
            account=account,
            durable=False,
        )
        try:
            yield server
        finally:
            server.stop()

    yield make
    shutil.rmtree(sockets)


def test_data_survive_a_restart(make_postgres):
    with make_postgres() as server:
        server.start()
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    with make_postgres() as server:
        server.start()
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


def test_no_port_is_opened_and_only_we_reach_the_socket(make_postgres):
    with make_postgres() as server:
        server.start()
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
            assert connection.execute("SHOW unix_socket_permissions").fetchone() == ("0700",)


def test_strings_sort_by_code_point_on_every_machine(make_postgres):
    with make_postgres() as server:
        server.start()
        with psycopg.connect(server.url) as connection:
            rows = connection.execute("SELECT * FROM (VALUES ('a'), ('B'), ('ä')) v ORDER BY 1")
            assert [row[0] for row in rows] == ["B", "a", "ä"]


def test_an_interrupted_creation_is_started_over(make_postgres, open_path):
    partial = open_path / "postgres.partial"
    partial.mkdir()
    (partial / "PG_VERSION").write_text("half written")
    with make_postgres() as server:
        server.start()
    assert not partial.exists()


def test_data_of_another_major_version_are_refused_and_left_alone(make_postgres, open_path):
    data = open_path / "postgres"
    data.mkdir()
    (data / "PG_VERSION").write_text("15\n")
    with make_postgres() as server, pytest.raises(ServiceError) as refusal:
        server.start()
    line = str(refusal.value)
    assert "was made by PostgreSQL 15, and this is 18" in line
    assert "pg_dump" in line
    assert "\n" not in line
    assert [path.name for path in data.iterdir()] == ["PG_VERSION"]
