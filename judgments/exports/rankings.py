"""The ranks of one participant in one scenario, from the six choices."""

from collections.abc import Iterable
from functools import cache

from judgments.models import Choice
from scoring.ranks import PAIRS, doubled_mid_ranks, doubled_wins

# What the action on the left gets of a win.
_LEFT_WINS = {Choice.LEFT: 1.0, Choice.EQUAL: 0.5, Choice.RIGHT: 0.0}


def mid_ranks(choices: Iterable[tuple[int, int, str]]) -> tuple[float, ...]:
    """Return the mid-ranks of the four actions, 1 for the one chosen most often.

    Parameters
    ----------
    choices : iterable of (left number, right number, choice)
        One for each pair; a tie is half a win for both.

    Raises
    ------
    KeyError
        If a pair is missing or could not be judged.
    """
    outcomes: dict[tuple[int, int], float] = {}
    for left, right, choice in choices:
        left_wins = _LEFT_WINS[Choice(choice)]
        pair = (min(left, right), max(left, right))
        outcomes[pair] = left_wins if left < right else 1 - left_wins
    return _ranks(tuple(outcomes[pair] for pair in PAIRS))


@cache  # of at most 3^6 outcomes
def _ranks(outcomes: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(float(rank) / 2 for rank in doubled_mid_ranks(doubled_wins(outcomes)))
