import numpy as np
import pytest

from catalog.workflows.forecasting import Series, first_differences, lagged, prepare, run
from catalog.workflows.readers import series_by_year, series_column
from catalog.workflows.sources import SOURCES


@pytest.mark.parametrize(
    ("name", "scale"),
    # workflows.md, "Exact scales"
    [
        ("co2", 20.400000000000034),
        ("elnino", 3.7200000000000024),
        ("nile", 300.0),
        ("sunspots", 49.900000000000006),
    ],
)
def test_the_scale_is_the_published_one_to_the_last_digit(name, scale):
    series = SOURCES[name].prepare()
    assert isinstance(series, Series)
    assert series.scale == scale


def test_a_gap_takes_the_reading_before_it():
    filled = prepare(np.array([1.0, np.nan, np.nan, 4.0, np.nan]))
    assert filled.values.tolist() == [1.0, 1.0, 1.0, 4.0, 4.0]
    assert (filled.cut, filled.n_missing) == (3, 3)


def test_a_column_is_read_in_file_order_with_empty_fields_as_nan():
    column = series_column(b"t,x\n2,5\n1,\n", column="x")
    assert column[0] == 5.0
    assert np.isnan(column[1])
    with pytest.raises(ValueError, match="not in list"):
        series_column(b"t,x\n2,5\n", column="y")


def test_year_rows_are_unrolled_in_calendar_order():
    assert series_by_year(b"YEAR,JAN,FEB\n1950,1,2\n1951,3,4\n").tolist() == [1, 2, 3, 4]


def test_rows_begin_at_time_12_and_lag_1_is_the_first_column():
    table = lagged(np.arange(15.0), n_lags=12)
    assert table.shape == (3, 12)
    assert table[0].tolist() == list(range(11, -1, -1))


def test_the_first_difference_is_zero():
    assert first_differences(np.array([4.0, 7.0, 5.0])).tolist() == [0.0, 3.0, -2.0]


@pytest.mark.parametrize("mask", ["000000", "000001", "001000", "001001"])
def test_levels_logarithms_and_differences_all_forecast_in_original_units(mask):
    growth = prepare(100.0 * np.power(1.02, np.arange(80.0)))
    forecast = run(growth, mask).prediction
    assert forecast.shape == (20,)
    assert forecast == pytest.approx(growth.values[60:], rel=0.1)
