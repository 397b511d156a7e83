"""What a batch costs: expected values by hand from the rules of the ledger."""

import pytest

from episodes.budget import (
    BudgetExceeded,
    BudgetOutOfRange,
    IllegalMasks,
    check_budget,
    distinct_masks,
    masks_to_charge,
)
from episodes.predictions import Repeated

ARABIC_ZEROS = "\u0660" * 4  # digits to int(), but no mask


@pytest.mark.parametrize("budget", [0, 8, 14])
def test_a_budget_may_pay_for_none_up_to_all_but_the_two_anchors(budget):
    check_budget(budget, n_masks=16)


@pytest.mark.parametrize("budget", [-1, 15, True, 8.0, "8", None])
def test_any_other_budget_is_refused_with_the_field_named(budget):
    with pytest.raises(BudgetOutOfRange) as refusal:
        check_budget(budget, n_masks=16)
    assert refusal.value.details == {"budget": ["must be a whole number from 0 to 14"]}


def test_masks_asked_twice_count_once_in_the_order_first_asked():
    assert distinct_masks(["0010", "0001", "0010"], n_factors=4) == ("0010", "0001")


def test_a_batch_with_illegal_masks_names_each_of_them():
    with pytest.raises(IllegalMasks) as refusal:
        distinct_masks(["0001", "001", "00x0", 1010, None, ["0001"], ARABIC_ZEROS], n_factors=4)
    named = refusal.value.details["masks"]
    assert named == ["001", "00x0", "1010", "null", '["0001"]', ARABIC_ZEROS]


def test_a_long_illegal_mask_is_named_by_its_beginning():
    with pytest.raises(IllegalMasks) as refusal:
        distinct_masks(["1" * 10_000], n_factors=4)
    assert refusal.value.details["masks"] == ["1" * 40 + "..."]


def test_a_key_that_was_sent_twice_is_said_in_words():
    with pytest.raises(IllegalMasks) as refusal:
        distinct_masks([{"a": Repeated()}], n_factors=4)
    assert refusal.value.details["masks"] == ['{"a": "sent twice"}']


def test_only_masks_not_observed_before_are_charged():
    new = masks_to_charge(
        ("0000", "0011", "0001"), observed={"0000", "1111", "0001"}, credits_remaining=1
    )
    assert new == ("0011",)


def test_a_batch_beyond_the_credits_is_refused_with_the_balance():
    with pytest.raises(BudgetExceeded) as refusal:
        masks_to_charge(("0001", "0010"), observed={"0000", "1111"}, credits_remaining=1)
    assert refusal.value.details == {
        "reason": "not_enough_credits",
        "credits_needed": 2,
        "credits_remaining": 1,
    }
