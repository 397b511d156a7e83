"""One-step forecasts of a series by ridge regression on its own past."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome
from catalog.workflows.stages import Stage, compute


@dataclass(frozen=True)
class Series:
    """A gapless series in original units; points before `cut` train, the others are forecast.

    Attributes
    ----------
    values : ndarray of float, shape (n,)
        Original units, without nan.
    cut : int
        int(0.75 n): index of the first point that is forecast.
    scale : float
        Interquartile range of the points before the cut, original units.
    n_missing : int
        Readings that were filled in.
    """

    values: FloatArray
    cut: int
    scale: float
    n_missing: int

    @property
    def cohort(self) -> dict[str, int]:
        """Count the points, the training points and the readings that were filled in."""
        return {"points": len(self.values), "train": self.cut, "missing": self.n_missing}


def prepare(readings: FloatArray) -> Series:
    """Fill gaps forward and cut the series at three quarters.

    Parameters
    ----------
    readings : ndarray of shape (n,)
        Values in time order and original units, nan where missing; the first is present.

    Returns
    -------
    Series
        `scale` is the interquartile range of the training points.

    Examples
    --------
    >>> prepare(np.array([1.0, np.nan, 3.0, 4.0])).values
    array([1., 1., 3., 4.])
    """
    missing = np.isnan(readings)
    last_seen = np.maximum.accumulate(np.where(missing, 0, np.arange(len(readings))))
    values = readings[last_seen]
    cut = int(0.75 * len(values))
    lower, upper = np.quantile(values[:cut], [0.25, 0.75])
    return Series(values, cut, scale=float(upper - lower), n_missing=int(missing.sum()))


def run(series: Series, mask: str, stage: Stage = compute) -> Outcome:
    """Forecast each point after the cut from the observed points before it.

    Parameters
    ----------
    series : Series
        The prepared series.
    mask : str
        Four or six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value: mean absolute error in original units. Prediction: shape (n - cut,).

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> line = prepare(np.arange(60.0))
    >>> run(line, "0000").native_value < run(line, "0001").native_value
    True
    """
    on = Switches.of(mask)
    observed, cut = series.values, series.cut

    levels = stage(np.log1p, observed) if on.C else observed
    values = stage(first_differences, levels) if on.F else levels

    times = np.arange(12, len(values))  # the same rows for every mask
    train = times < cut
    features = stage(lagged, values, n_lags=12 if on.B else 1)
    if on.A:
        features = np.column_stack([features, times / cut])

    scaler = RobustScaler() if on.E else StandardScaler()
    ridge = Ridge(alpha=10.0 if on.D else 1.0, solver="svd")
    model = make_pipeline(scaler, ridge).fit(features[train], values[12:cut])
    forecast = model.predict(features[~train])

    if on.F:
        forecast = forecast + levels[cut - 1 : -1]
    if on.C:
        forecast = np.expm1(forecast)
    mae = np.mean(np.abs(forecast - observed[cut:]))
    return Outcome.of(
        native_value=mae, utility=1.0 / (1.0 + mae / series.scale), prediction=forecast
    )


def first_differences(levels: FloatArray) -> FloatArray:
    """Subtract from each level the one before it; the first value is 0.

    Parameters
    ----------
    levels : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> first_differences(np.array([3.0, 5.0, 4.0]))
    array([ 0.,  2., -1.])
    """
    return np.diff(levels, prepend=levels[0])


def lagged(values: FloatArray, n_lags: int) -> FloatArray:
    """Put the values 1, 2, ..., n_lags steps back beside each other for the times 12, 13, ...

    Parameters
    ----------
    values : ndarray of shape (n,)
    n_lags : int
        1 to 12.

    Returns
    -------
    ndarray of shape (n - 12, n_lags)

    Examples
    --------
    >>> lagged(np.arange(14.0), n_lags=2)
    array([[11., 10.],
           [12., 11.]])
    """
    times = np.arange(12, len(values))
    return np.column_stack([values[times - lag] for lag in range(1, n_lags + 1)])


FAMILY = Family(
    name="forecasting",
    title="Forecasting",
    factors=(
        Factor("A", "Trend feature", "no trend column", "time / cut as one more feature"),
        Factor("B", "Lags", "lag 1 only", "lags 1 to 12"),
        Factor("C", "Scale of the series", "original units", "ln(1 + series), mapped back"),
        Factor("D", "Ridge penalty", "alpha 1", "alpha 10"),
        Factor("E", "Feature scaler", "mean and standard deviation", "median and quartiles"),
        Factor("F", "Differencing", "model levels", "model first differences, added back"),
    ),
    native_metric="one-step mean absolute error in original units",
    utility_rule=(
        "1 / (1 + MAE / s), MAE over the points from the cut (int(0.75 n)) to the end, "
        "s = interquartile range of the points before the cut, both in original units"
    ),
    prepare=prepare,
    run=run,
    code=(prepare, run, first_differences, lagged),
)
