"""Signed numbers in templates."""

import pytest

from wwbsite.numbers import minus, signed


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(-0.0941, 3, "\N{MINUS SIGN}0.094"), (0.5, 2, "0.50"), (-0.0004, 3, "0.000"), (0, 1, "0.0")],
)
def test_a_difference_has_a_minus_sign_and_no_negative_zero(value, digits, text):
    assert signed(value, digits) == text


def test_a_number_keeps_its_own_digits():
    assert minus(-0.3) == "\N{MINUS SIGN}0.3"
    assert minus(3.5) == "3.5"


def test_an_undefined_difference_has_no_text():
    assert signed(None, 3) == ""
