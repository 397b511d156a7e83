"""Effects and interactions of many tasks, each as a share of its own range."""

import pytest

from catalog.pictures import task_effects_picture, task_interactions_picture
from catalog.pictures.drawing import MINUS
from catalog.surfaces import summarise
from scoring.masks import all_masks
from tests.catalog.pictures.svg import (
    assert_accessible_and_inert,
    assert_inside_the_frame,
    parse,
    texts,
    with_class,
)

# A: +0.25, -0.25; B: +0.5, 0; AB: -0.5, of a range of 0.5. Worked by hand.
REVERSING = summarise("AB", {"00": 0.0, "01": 0.5, "10": 0.25, "11": 0.25})
FLAT = summarise("AB", dict.fromkeys(all_masks(2), 0.3))
SIX = summarise("ABCDEF", {mask: 7 * i % 64 / 64 for i, mask in enumerate(all_masks(6))})


@pytest.mark.parametrize(
    ("draw", "n_dots"),
    [(task_effects_picture, 4 + 4 + 192), (task_interactions_picture, 1 + 1 + 15)],
)
def test_there_is_one_strip_a_task_and_one_dot_a_value(draw, n_dots):
    picture = draw({"reversing": REVERSING, "flat": FLAT, "six": SIX})
    assert_accessible_and_inert(picture)
    assert_inside_the_frame(picture)
    root = parse(picture)
    assert len(with_class(root, "dot")) == len(picture.table.rows) == n_dots
    assert {"reversing", "flat", "six"} <= set(texts(root))


def test_values_are_shares_of_the_range_and_the_table_holds_both():
    effects = task_effects_picture({"task": REVERSING})
    assert effects.table.rows[:2] == (
        ("task", "A", "-0", "+0.250", "+0.500"),
        ("task", "A", "-1", f"{MINUS}0.250", f"{MINUS}0.500"),
    )
    assert "1 of 2 reverse" in texts(parse(effects))
    interactions = task_interactions_picture({"task": REVERSING})
    assert interactions.table.rows == (("task", "A with B", f"{MINUS}0.500", f"{MINUS}1.000"),)
