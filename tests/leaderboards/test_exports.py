"""CSV that a spreadsheet shows and does not run."""

import pytest

from leaderboards.exports import text_cell, write_csv


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\tx", "\rx", "'quoted"])
def test_text_that_could_be_a_formula_gets_one_apostrophe_that_can_be_taken_off_again(text):
    assert text_cell(text) == f"'{text}"
    assert text_cell(text)[1:] == text


def test_other_text_stays_as_it_is():
    assert text_cell("walker = 1") == "walker = 1"


def test_rows_end_and_quote_as_rfc_4180_says():
    assert write_csv(["a", "b"], [['x"y', "1,5"]]) == 'a,b\r\n"x""y","1,5"\r\n'
