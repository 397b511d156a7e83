import math

import pytest

from scoring.leave_one_out import differences_without


def test_a_family_without_its_only_source_counts_no_longer():
    # Whole: x = 0.4 and 0.2, y = 0.1: 0.2. Without c only x is left: 0.3.
    first, second = [0.9, 0.7, 0.6], [0.5, 0.5, 0.5]
    found = differences_without(first, second, ["a", "b", "c"], ["x", "x", "y"])
    assert found == pytest.approx({"a": 0.15, "b": 0.25, "c": 0.3})


def test_a_single_source_leaves_nothing_to_compare():
    [difference] = differences_without([1.0], [0.0], ["a"], ["x"]).values()
    assert math.isnan(difference)


def test_swapping_the_entries_swaps_the_sign():
    first, second, labels = [0.3, 0.9], [0.4, 0.1], (["a", "b"], ["x", "y"])
    swapped = differences_without(second, first, *labels)
    assert differences_without(first, second, *labels) == {s: -d for s, d in swapped.items()}


def test_a_source_may_come_once():
    with pytest.raises(ValueError, match="different"):
        differences_without([1.0, 1.0], [0.0, 0.0], ["a", "a"], ["x", "x"])
