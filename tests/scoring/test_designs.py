import numpy as np
import pytest

from scoring import designs, masks

# The published orders; those of six factors are checked whole in test_recorded.py.
D4_DEGREE1 = [
    "0011",
    "0101",
    "0110",
    "1000",
    "1001",
    "1110",
    "0010",
    "0100",
    "1011",
    "1101",
    "0001",
    "1010",
    "0111",
    "1100",
]
D4_DEGREE2 = [
    "0011",
    "0101",
    "0110",
    "1000",
    "1001",
    "1010",
    "1100",
    "0001",
    "0010",
    "0100",
    "0111",
    "1011",
    "1101",
    "1110",
]
D6_DEGREE1 = ["000111", "011001", "001010", "101101", "011100", "110010", "100001", "110100"]
D6_DEGREE2 = ["000111", "011001", "101010", "110100", "010010", "001100", "100001", "001011"]


@pytest.mark.parametrize(
    ("d", "degree", "order"),
    [(4, 1, D4_DEGREE1), (4, 2, D4_DEGREE2), (6, 1, D6_DEGREE1), (6, 2, D6_DEGREE2)],
)
def test_the_published_purchase_orders_are_met_on_any_processor(d, degree, order):
    cells = [0, 2**d - 1]
    bought = []
    for _ in order:
        candidates = np.setdiff1d(np.arange(2**d), cells)
        cells.append(designs.most_uncertain(d, degree, np.array(cells), candidates))
        bought.append(masks.mask_of(cells[-1], d))
    assert bought == order


def test_a_design_chooses_among_its_candidates_only():
    assert designs.most_uncertain(4, 1, np.array([0, 15]), np.array([1, 14])) == 1


def test_a_random_order_is_a_permutation_without_the_anchors():
    assert sorted(designs.random_order(4, 7)) == list(range(1, 15))


def test_the_published_random_order_of_seed_0():
    bought = [masks.mask_of(index, 4) for index in designs.random_order(4, 0)]
    assert bought == (
        [
            "1100",
            "0111",
            "1011",
            "1000",
            "0001",
            "1110",
            "0101",
            "0110",
            "1001",
            "1010",
            "0011",
            "0100",
            "1101",
            "0010",
        ]
    )


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="seed must be at least 0"):
        designs.random_order(4, -1)
