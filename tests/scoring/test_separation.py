import math

import numpy as np
import pytest

from scoring.separation import overlap_ranks


def test_case_c37():
    # A .70 [.66, .74], B .68 [.63, .73], C .61 [.58, .64], D .40 [.35, .45].
    best, worst = overlap_ranks([0.66, 0.63, 0.58, 0.35], [0.74, 0.73, 0.64, 0.45])
    assert best.tolist() == [1, 1, 2, 4]
    assert worst.tolist() == [2, 3, 3, 4]
    not_separated_from_first = [name for name, rank in zip("ABCD", best, strict=True) if rank == 1]
    assert not_separated_from_first == ["A", "B"]


def test_intervals_that_touch_are_not_separated():
    best, worst = overlap_ranks([0.5, 0.2], [0.8, 0.5])
    assert (best.tolist(), worst.tolist()) == ([1, 1], [2, 2])


def test_an_entry_without_an_interval_has_no_rank_and_takes_none_from_the_others():
    best, worst = overlap_ranks([math.nan, 0.7, 0.1], [math.nan, 0.9, 0.2])
    assert np.isnan([best[0], worst[0]]).all()
    assert (best[1:].tolist(), worst[1:].tolist()) == ([1, 2], [1, 2])


@pytest.mark.parametrize(("lower", "upper"), [([0.1], [0.2, 0.3]), ([0.5], [0.4])])
def test_impossible_bounds_are_refused(lower, upper):
    with pytest.raises(ValueError, match="bounds of as many intervals"):
        overlap_ranks(lower, upper)
