"""Logistic regression on a table, after options for its features."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectPercentile, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome
from catalog.workflows.stages import Stage, compute
from catalog.workflows.tabular import Split, signed_log, split_by_group, without_repeats

Sides = tuple[FloatArray, FloatArray]
Labels = NDArray[np.int64]


def run(split: Split, mask: str, stage: Stage = compute) -> Outcome:
    """Fit on the training rows and classify the evaluation rows.

    Parameters
    ----------
    split : Split
        Targets are class labels.
    mask : str
        Four or six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value and utility: balanced accuracy. Prediction: labels, shape (n_evaluation,).

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> from catalog.workflows.tabular import Table
    >>> x = np.linspace(-3.0, 3.0, 40)
    >>> split = split_by_group(Table(x.reshape(40, 1), (x > 0).astype(float), n_raw=40))
    >>> run(split, "0100").utility
    1.0
    """
    on = Switches.of(mask)
    labels = split.train_target.astype(np.int64)

    train, evaluation = split.train, split.evaluation
    if on.A:
        train, evaluation = stage(signed_log, train), stage(signed_log, evaluation)
    if on.B:
        train, evaluation = stage(standardised, train, evaluation)
    if on.E:
        train, evaluation = stage(best_half, train, evaluation, labels)
    if on.F:
        train, evaluation = stage(principal_components, train, evaluation)

    model = LogisticRegression(
        C=0.05 if on.D else 1.0,
        class_weight="balanced" if on.C else None,
        max_iter=3000,
        random_state=17,
    )
    with warnings.catch_warnings():
        # A fit that meets the iteration limit is part of the workflow, not a fault.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(train, labels)
    predicted = model.predict(evaluation)

    balanced_accuracy = balanced_accuracy_score(split.evaluation_target, predicted)
    return Outcome.of(
        native_value=balanced_accuracy, utility=balanced_accuracy, prediction=predicted
    )


def standardised(train: FloatArray, evaluation: FloatArray) -> Sides:
    """Scale both sides by the training mean and standard deviation of each feature.

    Parameters
    ----------
    train, evaluation : ndarray of shape (n_rows, n_features)

    Returns
    -------
    train, evaluation : ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> standardised(np.array([[1.0], [3.0]]), np.array([[4.0]]))[1]
    array([[2.]])
    """
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), scaler.transform(evaluation)


def best_half(train: FloatArray, evaluation: FloatArray, labels: Labels) -> Sides:
    """Keep the half of the features with the largest ANOVA F on the training labels.

    Parameters
    ----------
    train, evaluation : ndarray of shape (n_rows, n_features)
    labels : ndarray of shape (n_train,)

    Returns
    -------
    train, evaluation : ndarray of shape (n_rows, n_features // 2)

    Examples
    --------
    >>> rows = np.array([[0.0, 5.0], [0.1, 5.1], [1.0, 5.0], [1.1, 5.1]])
    >>> best_half(rows, rows[:1], np.array([0, 0, 1, 1]))[1]
    array([[0.]])
    """
    selector = SelectPercentile(f_classif, percentile=50).fit(train, labels)
    return selector.transform(train), selector.transform(evaluation)


def principal_components(train: FloatArray, evaluation: FloatArray) -> Sides:
    """Keep the fewest components that explain 95 % of the training variance.

    Parameters
    ----------
    train, evaluation : ndarray of shape (n_rows, n_features)

    Returns
    -------
    train, evaluation : ndarray of shape (n_rows, n_components)

    Examples
    --------
    >>> line = np.outer(np.arange(5.0), [1.0, 2.0])
    >>> principal_components(line, line)[0].shape
    (5, 1)
    """
    pca = PCA(n_components=0.95, svd_solver="full").fit(train)
    return pca.transform(train), pca.transform(evaluation)


FAMILY = Family(
    name="classification",
    title="Classification",
    factors=(
        Factor("A", "Signed logarithm", "features as they are", "sign(x) ln(1 + |x|)"),
        Factor("B", "Standardisation", "none", "training mean 0 and standard deviation 1"),
        Factor("C", "Class weights", "all rows weigh the same", "all classes weigh the same"),
        Factor("D", "Regularisation", "C = 1", "C = 0.05 (stronger)"),
        Factor("E", "Feature selection", "all features", "the best half by ANOVA F"),
        Factor("F", "Principal components", "none", "those that explain 95 % of the variance"),
    ),
    native_metric="balanced accuracy on the evaluation rows",
    utility_rule="balanced accuracy: the mean over classes of the recall on the evaluation rows",
    prepare=split_by_group,
    run=run,
    code=(
        split_by_group,
        without_repeats,
        run,
        signed_log,
        standardised,
        best_half,
        principal_components,
    ),
)
