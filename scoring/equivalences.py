"""Masks that a workflow's code provably treats alike.

A guard says that one factor's level makes another factor inactive: the code never reads it. The
representative of a mask has its inactive factors off; masks with one representative form a class.

References
----------
.. [1] WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
from numpy.typing import ArrayLike

from scoring import masks, surfaces
from scoring.masks import Floats, Indices


class UnknownFamilyError(ValueError):
    """A family has no entry in the table of guards."""


@dataclass(frozen=True)
class Guard:
    """While factor ``switch`` is at ``level``, factor ``inactive`` changes nothing.

    Attributes
    ----------
    switch, inactive : str
        Letters of factors, A to F.
    level : int
        0 or 1.
    """

    switch: str
    level: int
    inactive: str


# Declared from the published workflow code. Guards involve the six-factor workflows only.
GUARDS: Mapping[str, tuple[Guard, ...]] = {
    "classification": (),
    "regression": (Guard("C", 0, "E"), Guard("B", 0, "F")),
    "clustering": (Guard("C", 0, "E"),),
    "forecasting": (),
    "image_restoration": (Guard("B", 0, "E"), Guard("A", 0, "F")),
    "retrieval": (Guard("E", 1, "C"),),
    "beat_detection": (),
    "graph_link_prediction": (),
}
GUARDED_FACTORS = 6


def guards_of(family: str, d: int) -> tuple[Guard, ...]:
    """Return the guards in the code of a family's workflow with so many factors.

    Parameters
    ----------
    family : str
        The family's slug; one that is not in `GUARDS` has none.
    d : int
        Number of binary factors.

    Returns
    -------
    tuple of Guard
        Empty if no two masks are provably equal.

    Examples
    --------
    >>> guards_of("clustering", 6)
    (Guard(switch='C', level=0, inactive='E'),)
    >>> guards_of("clustering", 4)
    ()
    """
    return GUARDS.get(family, ()) if d == GUARDED_FACTORS else ()


def representatives(family: str | None, d: int) -> Indices:
    """Return the representative of every mask of a family's workflow.

    Parameters
    ----------
    family : str or None
        A key of `GUARDS`; None, a family that was not given, is refused like an unknown one.
    d : int
        Number of binary factors, 2 to 8. Guards are declared for six; with any other number no
        equivalence is claimed.

    Returns
    -------
    ndarray of int, shape (2^d,)
        Index of the mask with the inactive factors off; the identity where nothing is claimed.

    Raises
    ------
    UnknownFamilyError
        If the family is not known or not given.
    ValueError
        If ``d`` is out of range.

    Examples
    --------
    >>> masks.mask_of(representatives("retrieval", 6)[0b111111], 6)
    '110111'
    >>> len(set(representatives("regression", 6).tolist()))
    36
    """
    if family is None or family not in GUARDS:
        msg = f"family must be one of {', '.join(GUARDS)}; got {family!r}"
        raise UnknownFamilyError(msg)
    levels = masks.bits(d)
    active = levels.copy()
    for guard in guards_of(family, d):
        switch, inactive = map(ascii_uppercase.index, (guard.switch, guard.inactive))
        active[levels[:, switch] == guard.level, inactive] = 0
    return active @ (1 << np.arange(d)[::-1])


def contradictions(
    representative: Indices, utility: ArrayLike, prediction_sha256: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return the claimed equivalences that a reference table refutes.

    Parameters
    ----------
    representative : ndarray of int, shape (2^d,)
        From `representatives`.
    utility : array_like, shape (2^d,)
        Reference utilities in [0, 1].
    prediction_sha256 : sequence of str, length 2^d
        Digest of what the workflow predicted under each mask.

    Returns
    -------
    tuple of (str, str)
        Mask and representative whose utilities or digests differ; empty if the claim stands.

    Raises
    ------
    ValueError
        If ``utility`` is not a surface or the lengths differ.

    Examples
    --------
    >>> contradictions(np.array([0, 0, 2, 3]), [0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "c"])
    (('01', '00'),)
    """
    surface, d = surfaces.check_surface("utility", utility)
    pairs = zip(range(2**d), representative.tolist(), prediction_sha256, strict=True)
    return tuple(
        (masks.mask_of(index, d), masks.mask_of(of, d))
        for index, of, digest in pairs
        if digest != prediction_sha256[of] or surface[index] != surface[of]
    )


def project(
    prediction: ArrayLike, observed: Mapping[str, float], representative: Indices
) -> Floats:
    """Return the prediction made consistent within every class of equivalent masks.

    Parameters
    ----------
    prediction : array_like, shape (2^d,)
        Predicted utilities in [0, 1]; not changed.
    observed : mapping of str to float
        Mask to measured utility.
    representative : ndarray of int, shape (2^d,)
        From `representatives`.

    Returns
    -------
    ndarray of float, shape (2^d,)
        Per class the measured value if any member was measured, else the mean of its predictions.

    Raises
    ------
    ValueError
        If ``prediction`` is not a surface, its length differs from ``representative``'s, or an
        observation is not a utility.
    scoring.masks.IllegalMaskError
        If an observed mask is not legal.

    Examples
    --------
    >>> project([0.1, 0.3, 0.5, 0.7], {"11": 0.6}, np.array([0, 0, 2, 2]))
    array([0.2, 0.2, 0.6, 0.6])
    """
    surface, d = surfaces.check_surface("prediction", prediction)
    if representative.shape != surface.shape:
        msg = f"representative must have prediction's shape, got {representative.shape}"
        raise ValueError(msg)
    known = known_classes(observed, representative, d)
    projected = np.empty_like(surface)
    for index in set(representative.tolist()):
        members = representative == index
        predictions = surface[members].tolist()
        mean = math.fsum(predictions) / len(predictions)
        projected[members] = known.get(index, mean)
    return projected


def known_classes(
    observed: Mapping[str, float], representative: Indices, d: int
) -> dict[int, float]:
    """Return what the observations say about classes of equivalent masks.

    Parameters
    ----------
    observed : mapping of str to float
        Mask to measured utility in [0, 1].
    representative : ndarray of int, shape (2^d,)
        From `representatives`.
    d : int
        Number of binary factors, 2 to 8.

    Returns
    -------
    dict of int to float
        Index of the representative to utility, in the order of measurement; of several measured
        members the first one counts.

    Raises
    ------
    ValueError
        If an observation is not a utility.
    scoring.masks.IllegalMaskError
        If an observed mask is not legal.

    Examples
    --------
    >>> known_classes({"11": 0.6, "00": 0.1}, np.array([0, 0, 2, 2]), 2)
    {2: 0.6, 0: 0.1}
    """
    known: dict[int, float] = {}
    for mask, utility in observed.items():
        index = int(representative[masks.index_of(mask, d)])
        known.setdefault(index, surfaces.check_utility(mask, utility))
    return known
