"""Many threads of one test on one database, let go together."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection


def at_once(
    actions: Sequence[Callable[[], Any]], *, refusals: tuple[type[Exception], ...] = ()
) -> list[Any]:
    """Run the actions in as many threads, let go together; return results or refusals."""
    barrier = Barrier(len(actions))

    def run(action: Callable[[], Any]) -> Any:
        try:
            barrier.wait()
            return action()
        except refusals as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


def wait_for_a_waiting_query(work: Future[Any]) -> None:
    """Return as soon as another connection waits for what this one has locked."""
    with connection.cursor() as cursor:
        while not work.done():
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
