"""Rebuild every score, board and report from the facts."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from leaderboards import actions
from leaderboards.models import Board, StateBoard
from leaderboards.queries import NothingToPublish
from leaderboards.standings import SentinelOutOfOrder

# Of the column. More draws take gigabytes.
MAX_SEED = 2**31 - 1
MAX_DRAWS = 100_000


class Command(BaseCommand):
    help = "Rebuild scores and boards from the facts; the same facts and seed give the same bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be chosen."""
        parser.add_argument("--board", metavar="SLUG", help="only this board")
        parser.add_argument("--seed", type=int, default=actions.SEED, help="of boards of tasks")
        parser.add_argument("--draws", type=int, default=actions.N_DRAWS, help="of boards of tasks")
        parser.add_argument(
            "--from-scratch", action="store_true", help="delete every score and board first"
        )

    def handle(
        self,
        *args: object,
        board: str | None,
        seed: int,
        draws: int,
        from_scratch: bool,
        **options: object,
    ) -> None:
        """Score, open boards, publish; one line a board."""
        if not (0 <= seed <= MAX_SEED and 1 <= draws <= MAX_DRAWS):
            raise CommandError(
                f"--seed must be from 0 to {MAX_SEED} and --draws from 1 to {MAX_DRAWS}."
            )
        if from_scratch and board is not None:
            raise CommandError("--from-scratch rebuilds every board: leave out --board.")
        with actions.recomputation(waits=True):
            if from_scratch:
                actions.delete_consequences()
            self._recompute(board, seed=seed, n_draws=draws)

    def _recompute(self, slug: str | None, *, seed: int, n_draws: int) -> None:
        actions.score_episodes()
        actions.open_boards()
        actions.open_state_boards()
        boards, state_boards = _boards(slug)
        for board in boards:
            self._publish(board, seed=seed, n_draws=n_draws)
        for of_states in state_boards:
            self._publish_states(of_states)
        if slug is None:
            actions.recompute_stale_agreements()

    def _publish(self, board: Board, *, seed: int, n_draws: int) -> None:
        try:
            computation = actions.publish(board=board, seed=seed, n_draws=n_draws)
        except NothingToPublish as nothing:
            self.stdout.write(str(nothing))
        except SentinelOutOfOrder as error:
            raise CommandError(f"{board.slug}: {error}") from error
        else:
            self.stdout.write(
                f"{board.slug} {computation.input_digest} scoring={computation.scoring_version} "
                f"seed={seed} draws={n_draws} episodes={computation.n_episodes}"
            )

    def _publish_states(self, board: StateBoard) -> None:
        computation = actions.publish_state_board(board=board)
        self.stdout.write(
            f"{board.slug} {computation.input_digest} scoring={computation.scoring_version} "
            f"seed={computation.seed} draws={computation.n_draws} "
            f"proposals={computation.n_proposals}"
        )


def _boards(slug: str | None) -> tuple[list[Board], list[StateBoard]]:
    boards, state_boards = Board.objects.all(), StateBoard.objects.order_by("slug")
    if slug is not None:
        boards, state_boards = boards.filter(slug=slug), state_boards.filter(slug=slug)
        if not (boards or state_boards):
            raise CommandError(f"There is no board {slug}.")
    return list(boards), list(state_boards)
