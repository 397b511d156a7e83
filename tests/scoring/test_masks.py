import numpy as np
import pytest

from scoring import masks


def test_factor_a_is_the_most_significant_bit():
    assert masks.index_of("1000", 4) == 8
    assert masks.mask_of(8, 4) == "1000"
    assert masks.bits(4)[8].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("d", range(2, 9))
def test_position_equals_index_for_every_mask(d):
    assert [masks.index_of(mask, d) for mask in masks.all_masks(d)] == list(range(2**d))


@pytest.mark.parametrize(
    "mask", ["", "000", "00000", "0002", "00 0", "\u0660" * 4, 0, None, b"0000"]
)
def test_what_is_not_four_characters_0_or_1_is_illegal(mask):
    assert not masks.is_legal(mask, 4)
    with pytest.raises(masks.IllegalMaskError, match="4 characters"):
        masks.index_of(mask, 4)


@pytest.mark.parametrize("d", [1, 9, 0, -2, 2.0, "4", True, None])
def test_only_two_to_eight_factors_are_accepted(d):
    with pytest.raises(ValueError, match="d must be an integer from 2 to 8"):
        masks.check_factors(d)


@pytest.mark.parametrize("index", [-1, 16])
def test_an_index_outside_the_cube_is_refused(index):
    with pytest.raises(ValueError, match="index must be from 0 to 15"):
        masks.mask_of(index, 4)


@pytest.mark.parametrize(("d", "n_effects", "n_pairs"), [(4, 32, 6), (6, 192, 15)])
def test_the_numbers_of_effects_and_pairs_are_the_published_ones(d, n_effects, n_pairs):
    low, high = masks.edges(d)
    assert low.size == high.size == n_effects
    assert len(masks.faces(d)[0]) == n_pairs


def test_an_edge_differs_in_its_factor_alone_and_backgrounds_ascend():
    low, high = masks.edges(4)
    for factor in range(4):
        assert ((low[factor] ^ high[factor]) == 8 >> factor).all()
        assert (np.diff(low[factor]) > 0).all()


def test_shared_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        masks.bits(4)[0, 0] = 1
