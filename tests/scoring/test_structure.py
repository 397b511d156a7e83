"""Walsh-Hadamard coefficients, shares of variance by order, and counts over surfaces."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.masks import all_masks
from scoring.structure import (
    REVERSAL_FLOORS,
    catalogue_structure,
    order_shares,
    structure,
    walsh_hadamard,
)
from tests.shared import SHARED, needs_shared

SURFACES = st.integers(2, 6).flatmap(
    lambda d: arrays(np.float64, 2**d, elements=st.floats(0, 1, width=32))
)


def sign(mask: str, subset: str) -> int:
    """Product of s_i over the factors that the subset, written as a mask, has on."""
    off = sum(level == "0" for level, chosen in zip(mask, subset, strict=True) if chosen == "1")
    return -1 if off % 2 else 1


def test_the_coefficients_of_two_factors_are_those_worked_by_hand():
    # Quarters of the sums with signs: mean ++++, then B -+-+, A --++, A with B +--+.
    assert walsh_hadamard([0, 0.2, 0.6, 1]) == pytest.approx([0.45, 0.15, 0.35, 0.05], abs=1e-15)


@given(SURFACES)
def test_each_coefficient_is_the_mean_of_utility_times_sign(surface):
    every = all_masks(surface.size.bit_length() - 1)
    expected = [
        math.fsum(u * sign(mask, subset) for mask, u in zip(every, surface, strict=True))
        / surface.size
        for subset in every
    ]
    assert walsh_hadamard(surface) == pytest.approx(expected, abs=1e-12)


@given(SURFACES)
def test_the_coefficients_give_the_surface_back_and_hold_its_variance(surface):
    coefficients = walsh_hadamard(surface)
    every = all_masks(surface.size.bit_length() - 1)
    rebuilt = [
        sum(c * sign(mask, subset) for c, subset in zip(coefficients, every, strict=True))
        for mask in every
    ]
    assert rebuilt == pytest.approx(surface.tolist(), abs=1e-12)
    assert (coefficients[1:] ** 2).sum() == pytest.approx(surface.var(), abs=1e-12)


@pytest.mark.parametrize("d", [2, 4, 6, 8])
def test_an_additive_surface_is_all_main_effects_and_a_parity_all_of_the_highest_order(d):
    additive = [sum((i + 1) * (bit == "1") for i, bit in enumerate(m)) / 99 for m in all_masks(d)]
    parity = [mask.count("1") % 2 for mask in all_masks(d)]
    assert order_shares(additive) == pytest.approx([1, *[0] * (d - 1)], abs=1e-12)
    assert order_shares(parity) == pytest.approx([*[0] * (d - 1), 1], abs=1e-12)


def test_one_bright_cell_has_the_binomial_shares():
    # Every coefficient of a single cell has the same size: orders share as 3, 3, 1 of 7.
    found = structure([0, 0, 0, 0, 0, 0, 0, 1])
    assert found.order_shares == pytest.approx((3 / 7, 3 / 7, 1 / 7))
    assert found.higher_order_share == pytest.approx(1 / 7)


def test_a_flat_surface_has_undefined_shares_and_no_reversal():
    flat = structure([0.3] * 8)
    assert all(math.isnan(share) for share in flat.order_shares)
    assert math.isnan(flat.higher_order_share)
    assert not any(itertools.chain(*flat.reverses))


def test_a_reversal_counts_at_the_floors_that_both_signs_exceed():
    # A: +0.04 and -0.02 of a range of 1; B: +1 and +0.94.
    assert structure([0, 1, 0.04, 0.98]).reverses == (
        (True, False),
        (True, False),
        (False, False),
        (False, False),
    )


def test_counts_over_surfaces_add_up_and_leave_flat_ones_out_of_the_median():
    bright, flat = structure([0, 0, 0, 0, 0, 0, 0, 1]), structure([0.5] * 4)
    counts = catalogue_structure([bright, flat])
    assert (counts.n_surfaces, counts.n_masks, counts.n_factors) == (2, 12, 5)
    assert (counts.n_effects, counts.n_interactions) == (12 + 4, 3 + 1)
    assert counts.n_reversing == counts.n_factors_reversing == (0, 0, 0, 0)
    assert counts.median_higher_order_share == pytest.approx(1 / 7)


def test_no_surface_gives_zero_counts_and_an_undefined_median():
    counts = catalogue_structure([])
    assert counts.n_surfaces == counts.n_effects == 0
    assert math.isnan(counts.median_higher_order_share)


@pytest.mark.parametrize("function", [walsh_hadamard, order_shares, structure])
@pytest.mark.parametrize("surface", [[0.1, 0.2, 0.3], [0, 0, 0, math.nan], [0, 0, 0, 1.5]])
def test_what_is_no_surface_is_refused(function, surface):
    with pytest.raises(ValueError, match="surface must"):
        function(surface)


@needs_shared
def test_of_the_published_tables_banknote_alone_has_no_reversal():
    """specs/surface-episodes.md: 35 of 36 conditions at floor 1e-12, banknote is the exception."""
    reversing = {}
    for path in sorted((SHARED / "data/wwb/references").glob("*.json")):
        truth = json.loads(path.read_text())["truth"]
        surface = [truth[mask] for mask in sorted(truth)]
        reversing[path.stem] = any(structure(surface).reverses[REVERSAL_FLOORS.index(0.0)])
    assert len(reversing) == 18
    assert [slug for slug, reverses in reversing.items() if not reverses] == ["banknote"]
