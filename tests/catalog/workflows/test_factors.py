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
    [
        ("classification", 64),
        ("regression", 36),
        ("clustering", 48),
        ("forecasting", 64),
        ("image_restoration", 36),
        ("retrieval", 48),
        ("beat_detection", 64),
        ("graph_link_prediction", 64),
    ],
)
def test_six_factors_have_the_stated_number_of_code_equivalence_classes(family, n_classes):
    factors = FAMILIES[family].factors
    assert len({representative(mask, factors) for mask in masks(6)}) == n_classes


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_four_factor_masks_are_their_own_representatives(family):
    factors = family.factors[:4]
    assert [representative(mask, factors) for mask in masks(4)] == list(masks(4))


def test_presence_of_terms_makes_the_term_frequency_inactive():
    factors = FAMILIES["retrieval"].factors
    assert representative("111111", factors) == "110111"
