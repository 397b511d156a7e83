"""Where things lie in the pictures of a board. Both axes run from 0 to 1 and are never cut."""

from collections.abc import Sequence
from dataclasses import dataclass

_TICKS = ((0.0, "0"), (0.25, ""), (0.5, "0.5"), (0.75, ""), (1.0, "1"))
_MARGIN = 0.03  # room for half a dot at either end
_PROFILE_STEP, _PROFILE_HEIGHT, _PROFILE_EDGE = 8, 20, 3


@dataclass(frozen=True)
class Tick:
    """One place of the shared axis; on a phone there is room for few labels."""

    x: str
    text: str


@dataclass(frozen=True)
class Whisker:
    """A dot and its 95 % interval, in per cent of the drawing's width."""

    dot: str
    low: str
    high: str


@dataclass(frozen=True)
class ProfileDot:
    """One family's dot: its column from the left, its height for the score."""

    x: int
    y: str
    position: int


def place(score: float) -> str:
    """Return where a score from 0 to 1 lies on the shared axis."""
    return f"{100 * (_MARGIN + score * (1 - 2 * _MARGIN)):.2f}%"


def axis() -> list[Tick]:
    """Return the ticks of the shared axis."""
    return [Tick(place(value), text) for value, text in _TICKS]


def whisker(score: float, low: float | None, high: float | None) -> Whisker:
    """Return the dot with its interval; without one, both ends lie on the dot."""
    return Whisker(
        dot=place(score),
        low=place(score if low is None else low),
        high=place(score if high is None else high),
    )


def profile(scores: Sequence[tuple[int, float]]) -> list[ProfileDot]:
    """Return one dot a family, from (position in the catalogue, score) pairs."""
    height = _PROFILE_HEIGHT - 2 * _PROFILE_EDGE
    return [
        ProfileDot(
            x=_PROFILE_STEP * (position - 1) + _PROFILE_STEP // 2,
            y=f"{_PROFILE_EDGE + height * (1 - score):.1f}",
            position=position,
        )
        for position, score in scores
    ]
