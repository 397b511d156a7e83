"""Variance by order of interaction as one bar a task."""

import pytest

from catalog.pictures import orders_picture
from catalog.pictures.drawing import WIDTH
from scoring.structure import structure
from tests.catalog.pictures.svg import (
    assert_accessible_and_inert,
    assert_inside_the_frame,
    number,
    parse,
    texts,
    with_class,
)

# One bright cell of three factors: shares 3/7, 3/7, 1/7 (tests/scoring/test_structure.py).
BRIGHT = structure([0, 0, 0, 0, 0, 0, 0, 1])
FLAT = structure([0.5] * 4)


def test_a_bar_is_as_long_as_the_picture_and_its_parts_as_the_shares():
    picture = orders_picture({"bright": BRIGHT})
    assert_accessible_and_inert(picture)
    assert_inside_the_frame(picture)
    root = parse(picture)
    # The first of each class is the legend's.
    widths = [number(with_class(root, f"order-{k}")[1], "width") for k in (1, 2, 3)]
    assert widths == pytest.approx([(WIDTH - 2) * share / 7 for share in (3, 3, 1)], abs=0.1)
    assert "three or more 14.3 %" in texts(root)


def test_a_flat_task_has_no_bar_and_says_why():
    picture = orders_picture({"flat": FLAT})
    root = parse(picture)
    assert len(with_class(root, "order-1")) == 1
    assert "no variance" in texts(root)
    assert picture.table.rows == (("flat", *["undefined (no variance)"] * 3),)


def test_the_table_gives_per_cent_with_one_decimal():
    assert orders_picture({"bright": BRIGHT}).table.rows == (
        ("bright", "42.9 %", "42.9 %", "14.3 %"),
    )
