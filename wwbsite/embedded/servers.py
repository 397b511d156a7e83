"""Which servers stand in for the addresses that nobody gave."""

from collections.abc import Callable, Iterable
from pathlib import Path

from wwbsite.embedded.binaries import Programs, find_postgres, find_valkey
from wwbsite.embedded.postgres import Postgres
from wwbsite.embedded.processes import Account
from wwbsite.embedded.valkey import Valkey

Server = Postgres | Valkey
_KINDS: dict[str, tuple[type[Server], Callable[[], Programs]]] = {
    "DATABASE_URL": (Postgres, find_postgres),
    "REDIS_URL": (Valkey, find_valkey),
}
VARIABLES = tuple(_KINDS)


def make_servers(
    variables: Iterable[str],
    *,
    data: Path,
    sockets: Path,
    logs: Path,
    account: Account | None,
    durable: bool = True,
) -> dict[str, Server]:
    """Return a server for each variable asked for, not started yet.

    Raises ServiceError where its programs are not found.
    """
    servers: dict[str, Server] = {}
    for variable in variables:
        kind, find_programs = _KINDS[variable]
        servers[variable] = kind(
            find_programs().reachable_by(account),
            data / kind.slug,
            sockets=sockets,
            log=logs / f"{kind.slug}.log",
            account=account,
            durable=durable,
        )
    return servers
