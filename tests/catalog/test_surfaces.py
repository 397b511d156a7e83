"""What a complete surface says about its factors."""

import pytest

from catalog.surfaces import PairInteraction, summarise
from catalog.workflows.tables import read_table

# A: +0.25, -0.25; B: +0.5, 0; AB: 0.25 - 0.25 - 0.5 + 0 = -0.5. Worked by hand.
SURFACE = {"00": 0.0, "01": 0.5, "10": 0.25, "11": 0.25}


def test_a_two_factor_surface_is_summarised_as_by_hand():
    summary = summarise("AB", SURFACE)
    assert (summary.best, summary.worst, summary.utility_range) == ("01", "00", 0.5)
    a, b = summary.factors
    assert (a.backgrounds, a.effects) == (("-0", "-1"), (0.25, -0.25))
    assert (b.backgrounds, b.effects) == (("0-", "1-"), (0.5, 0.0))
    assert (a.mean, a.n_helps, a.n_hurts) == (0.0, 1, 1)
    assert (b.mean, b.n_helps, b.n_hurts) == (0.25, 1, 0)
    assert a.reverses == (True,) * 4
    assert b.reverses == (False,) * 4
    assert summary.pairs == (PairInteraction("A", "B", -0.5),)


def test_a_reversal_counts_only_above_its_floor():
    # A: +0.04 and -0.02 of a range of 1: above the floor of 1 %, not of 5 %.
    surface = {"00": 0.0, "01": 1.0, "10": 0.04, "11": 0.98}
    assert summarise("AB", surface).factors[0].reverses == (True, True, False, False)


def test_the_factors_of_the_nile_do_what_its_table_says():
    table = read_table("nile").utility
    factor_c = summarise("ABCD", table).factors[2]
    assert factor_c.backgrounds[0] == "00-0"
    assert factor_c.effects[0] == table["0010"] - table["0000"]
    assert factor_c.reverses[0]


def test_a_surface_with_a_hole_is_refused():
    with pytest.raises(KeyError, match="11"):
        summarise("AB", {"00": 0.0, "01": 0.5, "10": 0.25})
