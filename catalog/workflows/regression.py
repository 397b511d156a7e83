"""Ridge regression on a table, after options for its target and features."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.preprocessing import PolynomialFeatures, RobustScaler, StandardScaler

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome
from catalog.workflows.stages import Stage, compute
from catalog.workflows.tabular import Split, split_by_group, without_repeats


def run(split: Split, mask: str, stage: Stage = compute) -> Outcome:
    """Fit on the training rows and predict the targets of the evaluation rows.

    Parameters
    ----------
    split : Split
        Targets are numbers above -1.
    mask : str
        Four or six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value: mean absolute error in the target's units. Prediction: shape
        (n_evaluation,).

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> from catalog.workflows.tabular import Table
    >>> x = np.arange(40.0)
    >>> split = split_by_group(Table(x.reshape(40, 1), x**2, n_raw=40))
    >>> run(split, "0110").native_value < run(split, "0100").native_value
    True
    """
    on = Switches.of(mask)

    train, evaluation = split.train, split.evaluation
    if on.B:
        train, evaluation = stage(scaled, train, evaluation, robust=on.F)
    if on.C:
        train = stage(with_products, train, interaction_only=on.E)
        evaluation = stage(with_products, evaluation, interaction_only=on.E)

    target = np.log1p(split.train_target) if on.A else split.train_target
    ridge = Ridge(alpha=10.0 if on.D else 1.0, solver="svd").fit(train, target)
    predicted = ridge.predict(evaluation)
    if on.A:
        predicted = np.expm1(predicted)

    mae = np.mean(np.abs(predicted - split.evaluation_target))
    lower, upper = np.quantile(split.train_target, [0.25, 0.75])
    return Outcome.of(
        native_value=mae, utility=1.0 / (1.0 + mae / (upper - lower)), prediction=predicted
    )


def scaled(
    train: FloatArray, evaluation: FloatArray, *, robust: bool
) -> tuple[FloatArray, FloatArray]:
    """Centre and scale both sides by statistics of the training rows.

    Parameters
    ----------
    train, evaluation : ndarray of shape (n_rows, n_features)
    robust : bool
        Median and interquartile range instead of mean and standard deviation.

    Returns
    -------
    train, evaluation : ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> scaled(np.array([[1.0], [3.0]]), np.array([[4.0]]), robust=True)[1]
    array([[2.]])
    """
    scaler = (RobustScaler() if robust else StandardScaler()).fit(train)
    return scaler.transform(train), scaler.transform(evaluation)


def with_products(features: FloatArray, *, interaction_only: bool) -> FloatArray:
    """Add the product of every pair of features, and their squares unless told otherwise.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
    interaction_only : bool
        Leave the squares out.

    Returns
    -------
    ndarray of shape (n_rows, n_features + n_products)

    Examples
    --------
    >>> with_products(np.array([[2.0, 3.0]]), interaction_only=False)
    array([[2., 3., 4., 6., 9.]])
    """
    polynomial = PolynomialFeatures(2, interaction_only=interaction_only, include_bias=False)
    products: FloatArray = polynomial.fit_transform(features)
    return products


FAMILY = Family(
    name="regression",
    title="Regression",
    factors=(
        Factor("A", "Scale of the target", "original units", "ln(1 + y), mapped back"),
        Factor("B", "Feature scaling", "none", "statistics of the training rows"),
        Factor("C", "Products of features", "features alone", "all products of two features"),
        Factor("D", "Ridge penalty", "alpha 1", "alpha 10"),
        Factor("E", "Squares", "products and squares", "no squares", inactive_when=("C", "0")),
        Factor(
            "F",
            "Scaler",
            "mean and standard deviation",
            "median and quartiles",
            inactive_when=("B", "0"),
        ),
    ),
    native_metric="mean absolute error in the target's units",
    utility_rule=(
        "1 / (1 + MAE / s), MAE on the evaluation rows, "
        "s = interquartile range of the training targets"
    ),
    prepare=split_by_group,
    run=run,
    code=(split_by_group, without_repeats, run, scaled, with_products),
)
