"""Tables of features and a target, without repeated rows, and their split into two sides."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from catalog.workflows.outcomes import FloatArray


@dataclass(frozen=True)
class Table:
    """Rows of features with one target each (a label is a whole number), in file order.

    Attributes
    ----------
    features : ndarray of float, shape (n, p)
        In the units of the file.
    target : ndarray of float, shape (n,)
        A number, or a label 0, 1, ...
    n_raw : int
        Rows read, before repeated ones were dropped.
    """

    features: FloatArray
    target: FloatArray
    n_raw: int

    @property
    def cohort(self) -> dict[str, int]:
        """Count the rows read, the rows used, the features and the different targets."""
        return {
            "raw": self.n_raw,
            "used": len(self.features),
            "features": self.features.shape[1],
            "classes": len(np.unique(self.target)),
        }


@dataclass(frozen=True)
class Split:
    """The training rows and the evaluation rows of a table.

    Attributes
    ----------
    train, evaluation : ndarray of float, shape (n_train, p) and (n_evaluation, p)
        Features.
    train_target, evaluation_target : ndarray of float, shape (n_train,) and (n_evaluation,)
        Targets or labels.
    n_raw : int
        As in `Table`.
    """

    train: FloatArray
    train_target: FloatArray
    evaluation: FloatArray
    evaluation_target: FloatArray
    n_raw: int

    @property
    def cohort(self) -> dict[str, int]:
        """Count the rows read, used, trained on and evaluated on, and the features."""
        n_train, n_evaluation = len(self.train), len(self.evaluation)
        return {
            "raw": self.n_raw,
            "used": n_train + n_evaluation,
            "train": n_train,
            "evaluation": n_evaluation,
            "features": self.train.shape[1],
        }


def without_repeats(table: Table) -> Table:
    """Drop the rows whose features and target repeat an earlier row.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Table
        The rows that are left, in file order.

    Examples
    --------
    >>> repeated = Table(np.array([[2.0], [1.0], [2.0]]), np.array([0.0, 0.0, 0.0]), n_raw=3)
    >>> without_repeats(repeated).features.ravel()
    array([2., 1.])
    """
    rows = np.column_stack([table.features, table.target])
    _, first = np.unique(rows, axis=0, return_index=True)
    kept = np.sort(first)
    return Table(table.features[kept], table.target[kept], table.n_raw)


def split_by_group(table: Table) -> Split:
    """Hold out 30 % of the distinct feature rows, so that equal rows stay on one side.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Split

    Examples
    --------
    >>> ten = Table(np.arange(10.0).reshape(10, 1), np.arange(10.0), n_raw=10)
    >>> len(split_by_group(ten).evaluation)
    3
    """
    table = without_repeats(table)
    _, groups = np.unique(table.features, axis=0, return_inverse=True)
    splitter = GroupShuffleSplit(n_splits=1, test_size=0.3, random_state=20260907)
    train, evaluation = next(splitter.split(table.features, groups=groups.reshape(-1)))
    return Split(
        train=table.features[train],
        train_target=table.target[train],
        evaluation=table.features[evaluation],
        evaluation_target=table.target[evaluation],
        n_raw=table.n_raw,
    )


def signed_log(features: FloatArray) -> FloatArray:
    """Replace every x by sign(x) ln(1 + |x|).

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> signed_log(np.array([[0.0, -1.0]])).round(3)
    array([[ 0.   , -0.693]])
    """
    result: FloatArray = np.sign(features) * np.log1p(np.abs(features))
    return result
