"""What the clock asks for. The table is the queue: nothing is passed, and twice is once."""

from celery import shared_task

from leaderboards import actions


@shared_task(name="leaderboards.recompute_stale_boards")  # type: ignore[untyped-decorator]  # celery has no types
def recompute_stale_boards() -> None:
    """Bring every score and board up to the facts, unless somebody else is doing so."""
    with actions.recomputation(waits=False) as is_alone:
        if is_alone:
            actions.recompute_stale_boards()
