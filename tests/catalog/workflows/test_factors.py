import pytest

from catalog.workflows import FAMILIES
from catalog.workflows.factors import IllegalMask, Switches, masks, representative


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


@pytest.mark.parametrize(
    ("family", "n_classes"),
    # numerical-controls.md, "Code-equivalence classes"
    [("forecasting", 64), ("image_restoration", 36)],
)
def test_six_factors_have_the_stated_number_of_code_equivalence_classes(family, n_classes):
    factors = FAMILIES[family].factors
    assert len({representative(mask, factors) for mask in masks(6)}) == n_classes


def test_four_factor_masks_are_their_own_representatives():
    factors = FAMILIES["image_restoration"].factors[:4]
    assert [representative(mask, factors) for mask in masks(4)] == list(masks(4))
