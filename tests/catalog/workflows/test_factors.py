import pytest

from catalog.workflows.factors import IllegalMask, Switches, masks


def test_character_i_switches_factor_i():
    assert Switches.of("1000").A
    assert Switches.of("000001") == (False, False, False, False, False, True)


def test_four_factors_leave_e_and_f_off():
    assert Switches.of("1011") == Switches.of("101100")


@pytest.mark.parametrize("mask", ["", "01", "01010", "0000000", "01 0", "0102", "01a0", "0101\n"])
def test_a_mask_of_other_length_or_characters_is_refused(mask):
    with pytest.raises(IllegalMask):
        Switches.of(mask)


def test_masks_are_counted_in_binary_with_factor_a_first():
    assert masks(4)[:3] == ("0000", "0001", "0010")
    assert len(set(masks(6))) == 64
