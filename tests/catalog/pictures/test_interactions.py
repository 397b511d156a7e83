"""Pair interactions as a triangle of squares."""

import pytest

from catalog.pictures import Picture, interactions_picture
from catalog.pictures.drawing import MINUS
from catalog.surfaces import PairInteraction
from tests.catalog.pictures.svg import (
    assert_accessible_and_inert,
    assert_inside_the_frame,
    number,
    parse,
    texts,
    with_class,
)


def draw(letters: str, *means: float) -> Picture:
    names = [(a, b) for index, a in enumerate(letters) for b in letters[index + 1 :]]
    pairs = [PairInteraction(a, b, mean) for (a, b), mean in zip(names, means, strict=True)]
    return interactions_picture(letters, pairs, title="Interactions")


@pytest.mark.parametrize(("letters", "n_pairs"), [("AB", 1), ("ABCD", 6), ("ABCDEFGH", 28)])
def test_there_is_one_cell_a_pair(letters, n_pairs):
    picture = draw(letters, *[0.1] * n_pairs)
    assert_accessible_and_inert(picture)
    assert_inside_the_frame(picture)
    assert len(with_class(parse(picture), "cell")) == n_pairs


def test_the_area_of_a_square_is_proportional_to_the_interaction():
    squares = with_class(parse(draw("ABC", 0.4, -0.1, 0.0)), "square")
    areas = [number(one, "width") * number(one, "height") for one in squares]
    assert areas[1] / areas[0] == pytest.approx(0.25, abs=0.01)
    assert areas[2] == 0
    assert [("below" in one.get("class", "")) for one in squares[:2]] == [False, True]


def test_the_description_names_the_strongest_pair_and_the_numbers_are_printed():
    picture = draw("ABC", 0.1, -0.3, 0.2)
    assert f"the strongest is A with C, {MINUS}0.300" in picture.svg
    assert {"+0.100", f"{MINUS}0.300", "+0.200"} <= set(texts(parse(picture)))
    assert picture.table.rows[1] == ("A with C", f"{MINUS}0.300")


def test_an_additive_surface_is_drawn_without_squares():
    squares = with_class(parse(draw("ABC", 0.0, 0.0, 0.0)), "square")
    assert [number(one, "width") for one in squares] == [0, 0, 0]
