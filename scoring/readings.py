"""Score an instruction by the experiments that it admits.

An action leaves some parts of its experiment open. A fixed executor fills them, in as many ways as
the action admits: its readings. Their mean information per cost is the value of the instruction.

References
----------
.. [1] Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
   arXiv 2611.00773v1.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring import costs
from scoring.costs import Design
from scoring.information import N_INTERVENTIONS, check_prior, information_gain
from scoring.masks import Floats

MODES = ("default", "conservative", "permissive")
N_RESOLVED_INTERVENTIONS = 2
RESOLVED_SEEDS = (2, 8)
# What an action name alone admits, whatever the name.
NAME_READINGS = (
    Design((0,), 2),
    Design((0, 1), 2),
    Design((0, 1, 2, 3), 2),
    Design((0,), 4),
)
ZERO = 1e-12  # nats per cost; below it there is nothing to learn, and no share of it
NEGATIVE_GAP = -1e-10  # nats; a resolution gap below it is more than rounding
CACHED_STATES = 256


class UnknownModeError(ValueError):
    """An executor mode is not one of `MODES`."""


@dataclass(frozen=True)
class Action:
    """What an instruction states about its experiment; None is left to the executor.

    Attributes
    ----------
    target : int, optional
        Mechanism under test, 0 to 5; its intervention has the same number.
    interventions : tuple of int, optional
        The set A in ascending order, at least one of 0 to 5.
    n : int, optional
        Seeds per condition, 2 to 12.

    Raises
    ------
    ValueError
        If the target is not one of 0 to 5.
    """

    target: int | None = None
    interventions: tuple[int, ...] | None = None
    n: int | None = None

    def __post_init__(self) -> None:
        check_target(self.target)


@dataclass(frozen=True)
class ReadingScore:
    """What a reading set is worth in one state.

    Attributes
    ----------
    rate : float
        U_B, nats per unit cost: mean over the readings of IG / C, unaffordable ones counting 0.
    ungated_rate : float
        The same with unaffordable readings at their own IG / C.
    best_rate : float
        Largest IG / C of an affordable design.
    efficiency : float
        Q_B = rate / best_rate, in [0, 1]; nan where nothing can be learnt.
    ambiguity : float
        1 - 1 / n_readings; nan without readings.
    n_readings, n_affordable : int
        Size of the reading set, and how many of it the budget affords.
    best_gain : float
        I*, nats: largest IG of an affordable design.
    best_target_gain : float
        I*_t, nats: the same among designs that contain the target's intervention.
    mean_gain : float
        Mean ungated IG of the readings, nats; nan without readings.
    target_gap, resolution_gap, total_gap : float
        I* - I*_t, I*_t - mean_gain and their sum, signed, nats; nan without readings.
    """

    rate: float
    ungated_rate: float
    best_rate: float
    efficiency: float
    ambiguity: float
    n_readings: int
    n_affordable: int
    best_gain: float
    best_target_gain: float
    mean_gain: float
    target_gap: float
    resolution_gap: float
    total_gap: float


@dataclass(frozen=True)
class GapSummary:
    """Where a collection of responses loses information; only parsed ones count.

    Attributes
    ----------
    target_gap, resolution_gap, total_gap : float
        Means over the parsed responses, nats; nan without any.
    n_responses, n_parsed : int
        All responses, and those in the means.
    n_negative : int
        Parsed responses whose resolution gap is below -1e-10: their readings average more than the
        best affordable design with the target, because a gap is not gated.
    """

    target_gap: float
    resolution_gap: float
    total_gap: float
    n_responses: int
    n_parsed: int
    n_negative: int


def check_target(target: int | None) -> None:
    """Raise unless a target is one of the six mechanisms, or not stated.

    Parameters
    ----------
    target : int or None
        Mechanism under test, 0 to 5.

    Raises
    ------
    ValueError
        If it is something else.

    Examples
    --------
    >>> check_target(6)
    Traceback (most recent call last):
    ...
    ValueError: target must be an integer from 0 to 5, got 6
    """
    if target is not None and target not in range(N_INTERVENTIONS):
        msg = f"target must be an integer from 0 to {N_INTERVENTIONS - 1}, got {target!r}"
        raise ValueError(msg)


def reading_set(action: Action, *, mode: str = "default") -> tuple[Design, ...]:
    """Return the complete experiments that an action admits.

    Parameters
    ----------
    action : Action
        What the instruction states.
    mode : {"default", "conservative", "permissive"}
        All readings; the cheaper half; the dearer half. Halves round up, and readings of equal cost
        keep their order.

    Returns
    -------
    tuple of Design
        One if interventions and seeds are stated. If one of them is, the other is filled: seeds by
        2 and by 8, interventions by the resolver's pair. If only the target is, both are. If none
        is, the four readings of an action name.

    Raises
    ------
    UnknownModeError
        If the mode is not known.
    ValueError
        If the stated interventions or seeds are not those of a design.

    Notes
    -----
    The resolver's belief is q(h) = 0.75 focus(h) + 0.25 / 6 with focus 0.8 on the target and 0.04
    elsewhere; it runs the interventions of the two highest q, ties in ascending order. So the pair
    is the target and the lowest other one, or 0 and 1 if no target is stated.

    Examples
    --------
    >>> reading_set(Action(target=3))
    (Design(interventions=(0, 3), n=2), Design(interventions=(0, 3), n=8))
    >>> reading_set(Action(target=3), mode="conservative")
    (Design(interventions=(0, 3), n=2),)
    """
    candidates = _candidates(action)
    by_cost = sorted(candidates, key=lambda design: design.cost_units)
    half = math.ceil(len(by_cost) / 2)
    match mode:
        case "default":
            return candidates
        case "conservative":
            return tuple(by_cost[:half])
        case "permissive":
            return tuple(by_cost[-half:])
        case _:
            msg = f"mode must be one of {', '.join(MODES)}; got {mode!r}"
            raise UnknownModeError(msg)


def score(
    prior: ArrayLike,
    budget: int,
    readings: Sequence[Design],
    mu: ArrayLike | None = None,
    *,
    target: int | None = None,
) -> ReadingScore:
    """Return what a reading set is worth in one state.

    Parameters
    ----------
    prior : array_like, shape (6,)
        Probability of each mechanism; sums to 1.
    budget : int
        In units of cost, at least 3.
    readings : sequence of Design
        `reading_set` of the action. None stand for an invalid response, which scores 0.
    mu : array_like, shape (6, 6), optional
        Which intervention removes which mechanism (`scoring.information.information_gain`).
    target : int, optional
        The stated target, for the gaps; not stated, the mechanism of the highest prior, the first
        of equal ones.

    Returns
    -------
    ReadingScore

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> result = score([1 / 6] * 6, 8, reading_set(Action(target=3)), target=3)
    >>> round(result.efficiency, 4), result.ambiguity, result.n_affordable
    (0.2639, 0.5, 2)
    """
    check_target(target)
    gains = gain_table(prior, mu)
    within = costs.affordable(budget)
    focus = top_prior(prior) if target is None else target
    with_focus = within & costs.contains(focus)
    rates = gains / costs.costs()
    best_rate = float(rates[within].max())
    best_gain, best_target_gain = float(gains[within].max()), float(gains[with_focus].max())
    gated = [float(rates[d.index]) if within[d.index] else 0.0 for d in readings]
    rate = _mean(gated, empty=0.0)
    mean_gain = _mean([float(gains[d.index]) for d in readings], empty=math.nan)
    n_readings = len(readings)
    return ReadingScore(
        rate=rate,
        ungated_rate=_mean([float(rates[d.index]) for d in readings], empty=0.0),
        best_rate=best_rate,
        efficiency=rate / best_rate if best_rate > ZERO else math.nan,
        ambiguity=1.0 - 1.0 / n_readings if n_readings else math.nan,
        n_readings=n_readings,
        n_affordable=sum(bool(within[d.index]) for d in readings),
        best_gain=best_gain,
        best_target_gain=best_target_gain,
        mean_gain=mean_gain,
        target_gap=best_gain - best_target_gain if n_readings else math.nan,
        resolution_gap=best_target_gain - mean_gain,
        total_gap=best_gain - mean_gain,
    )


def summarise_gaps(scores: Iterable[ReadingScore]) -> GapSummary:
    """Return the mean gaps of a collection, with its denominators.

    Parameters
    ----------
    scores : iterable of ReadingScore
        One per response, the invalid ones included.

    Returns
    -------
    GapSummary

    Examples
    --------
    >>> parsed = score([1 / 6] * 6, 8, [Design((0, 1, 2, 3, 4, 5), 9)])
    >>> summary = summarise_gaps([parsed, score([1 / 6] * 6, 8, [])])
    >>> summary.n_parsed, summary.n_responses, round(summary.total_gap, 4)
    (1, 2, 0.055)
    """
    listed = list(scores)
    parsed = [result for result in listed if result.n_readings]
    return GapSummary(
        target_gap=_mean([result.target_gap for result in parsed], empty=math.nan),
        resolution_gap=_mean([result.resolution_gap for result in parsed], empty=math.nan),
        total_gap=_mean([result.total_gap for result in parsed], empty=math.nan),
        n_responses=len(listed),
        n_parsed=len(parsed),
        n_negative=sum(result.resolution_gap < NEGATIVE_GAP for result in parsed),
    )


def top_prior(prior: ArrayLike) -> int:
    """Return the mechanism of the highest prior, the first of equal ones.

    Parameters
    ----------
    prior : array_like, shape (6,)
        Probability of each mechanism.

    Returns
    -------
    int
        0 to 5.

    Raises
    ------
    ValueError
        If it is not a distribution over six mechanisms.

    Examples
    --------
    >>> top_prior([0.1, 0.3, 0.1, 0.3, 0.1, 0.1])
    1
    """
    return int(check_prior(prior).argmax())


def gain_table(prior: ArrayLike, mu: ArrayLike | None = None) -> Floats:
    """Return `scoring.information.information_gain`, remembered for the last states asked.

    A state is scored once for every response to it.

    Parameters
    ----------
    prior, mu : array_like
        As there.

    Returns
    -------
    ndarray of float, shape (63, 11)
        Nats; shared, therefore read-only.

    Raises
    ------
    ValueError
        As there.

    Examples
    --------
    >>> gain_table([0.5, 0.5, 0, 0, 0, 0]).shape
    (63, 11)
    """
    removals = None if mu is None else tuple(map(tuple, np.asarray(mu).tolist()))
    return _remembered_gains(tuple(check_prior(prior).tolist()), removals)


@functools.lru_cache(maxsize=CACHED_STATES)
def _remembered_gains(
    prior: tuple[float, ...], removals: tuple[tuple[int, ...], ...] | None
) -> Floats:
    gains = information_gain(prior, removals)
    gains.setflags(write=False)
    return gains


def _candidates(action: Action) -> tuple[Design, ...]:
    if action == Action():
        return NAME_READINGS
    interventions = action.interventions
    if interventions is None:
        # The highest q first: the target, then all others alike.
        by_belief = sorted(range(N_INTERVENTIONS), key=lambda j: (j != action.target, j))
        interventions = tuple(sorted(by_belief[:N_RESOLVED_INTERVENTIONS]))
    seeds = RESOLVED_SEEDS if action.n is None else (action.n,)
    return tuple(Design(interventions, n) for n in seeds)


def _mean(values: Sequence[float], *, empty: float) -> float:
    return math.fsum(values) / len(values) if values else empty
