"""What one run of a workflow gives, and the hash by which two runs are compared."""

import hashlib
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Prediction = NDArray[Any]


@dataclass(frozen=True)
class Outcome:
    """The native metric of one mask, its utility in [0, 1], and what was predicted.

    Attributes
    ----------
    native_value : float
        In the unit of the family's native metric.
    utility : float
        In [0, 1], higher is better.
    prediction : ndarray
        Floats, integers or strings; the shape is that of the family.
    prediction_sha256 : str
        See `prediction_sha256`.
    """

    native_value: float
    utility: float
    prediction: Prediction
    prediction_sha256: str

    @classmethod
    def of(cls, *, native_value: float, utility: float, prediction: Prediction) -> Self:
        """Make an outcome whose hash is that of its prediction.

        Parameters
        ----------
        native_value, utility, prediction
            As the attributes.

        Returns
        -------
        Outcome

        Examples
        --------
        >>> Outcome.of(native_value=3.0, utility=0.5, prediction=np.array([1, 0])).utility
        0.5
        """
        return cls(float(native_value), float(utility), prediction, prediction_sha256(prediction))


def prediction_sha256(prediction: Prediction) -> str:
    """Hash a prediction so that library versions and processors agree.

    Floats are rounded to 6 decimals, where rounding noise has gone, and -0.0 is written as 0.0;
    labels and positions are 64-bit integers; both little-endian in C order. Strings (ranked ids)
    are joined by newlines in UTF-8.

    Parameters
    ----------
    prediction : ndarray
        Floats, integers or strings, any shape.

    Returns
    -------
    str
        SHA-256 in lower-case hexadecimal.

    Examples
    --------
    >>> prediction_sha256(np.array([-1e-9])) == prediction_sha256(np.array([0.0]))
    True
    """
    if prediction.dtype.kind == "U":
        raw = "\n".join(prediction.ravel().tolist()).encode()
    elif prediction.dtype.kind == "f":
        raw = (np.round(prediction, 6) + 0.0).astype("<f8").tobytes(order="C")
    else:
        raw = prediction.astype("<i8").tobytes(order="C")
    return hashlib.sha256(raw).hexdigest()
