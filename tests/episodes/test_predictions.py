"""Which tables may be graded: the list of refusals in specs/surface-episodes.md."""

import json
import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.predictions import InvalidPredictions, Repeated, check_table
from scoring.surfaces import grade

GOOD = {"00": 0, "01": 0.5, "10": 1, "11": 0.25}


def faults(table: Mapping[str, object]) -> dict[str, str]:
    with pytest.raises(InvalidPredictions) as refusal:
        check_table(table, n_factors=2)
    return refusal.value.details["masks"]


def test_a_complete_table_comes_back_as_floats_in_mask_order():
    table = check_table(dict(reversed(GOOD.items())), n_factors=2)
    assert list(table.items()) == [("00", 0.0), ("01", 0.5), ("10", 1.0), ("11", 0.25)]
    assert all(type(value) is float for value in table.values())


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (True, "not_a_number"),
        (False, "not_a_number"),
        ("0.5", "not_a_number"),
        (None, "not_a_number"),
        ([0.5], "not_a_number"),
        ({}, "not_a_number"),
        (math.nan, "not_finite"),
        (math.inf, "not_finite"),
        (-math.inf, "not_finite"),
        (-0.001, "out_of_range"),
        (math.nextafter(1, 2), "out_of_range"),
        (10**400, "out_of_range"),  # an integer that no double holds
        (Repeated(), "duplicate"),
    ],
)
def test_a_faulty_value_is_named_with_its_reason(value, reason):
    assert faults({**GOOD, "10": value}) == {"10": reason}


def test_a_table_is_graded_the_same_after_it_was_written_and_read_back():
    # Case C41: minus nought is nought.
    table = check_table({**GOOD, "00": -0.0}, n_factors=2)
    again = check_table(json.loads(json.dumps(table)), n_factors=2)
    truth = [0.0, 0.3, 0.6, 0.9]
    expected = grade(truth, list(GOOD.values()))
    assert grade(truth, list(table.values())) == grade(truth, list(again.values())) == expected


def test_every_faulty_mask_is_listed_at_once():
    assert faults({"00": "x", "01": 2, "011": 0.5, "1x": 0.5}) == {
        "00": "not_a_number",
        "01": "out_of_range",
        "10": "missing",
        "11": "missing",
        "011": "illegal",
        "1x": "illegal",
    }


def test_the_empty_table_misses_every_mask():
    assert faults({}) == dict.fromkeys(GOOD, "missing")


@given(st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_any_utilities_pass_unchanged(values):
    table = {format(index, "03b"): value for index, value in enumerate(values)}
    assert check_table(table, n_factors=3) == table
