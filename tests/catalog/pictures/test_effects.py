"""Conditional effects as strips of dots."""

import math

import pytest

from catalog.pictures import Picture, effect_table, effects_picture
from catalog.pictures.drawing import MINUS, WIDTH
from catalog.surfaces import summarise
from scoring.masks import all_masks
from tests.catalog.pictures.svg import (
    assert_accessible_and_inert,
    assert_inside_the_frame,
    number,
    parse,
    texts,
    with_class,
)

# A: +0.25 then -0.25 (reverses); B: +0.5 then 0. Worked by hand.
REVERSING = {"00": 0.0, "01": 0.5, "10": 0.25, "11": 0.25}


def draw(surface: dict[str, float], name: str = "a factor") -> Picture:
    letters = "ABCDEFGH"[: len(next(iter(surface)))]
    summary = summarise(letters, surface)
    return effects_picture(summary.factors, dict.fromkeys(letters, name), title="Effects")


@pytest.mark.parametrize("d", [2, 4, 6])
def test_there_is_one_dot_for_each_factor_and_background(d):
    surface = {mask: (7 * index % 2**d) / 2**d for index, mask in enumerate(all_masks(d))}
    picture = draw(surface)
    assert_accessible_and_inert(picture)
    assert_inside_the_frame(picture)
    assert len(with_class(parse(picture), "dot")) == len(picture.table.rows) == d * 2 ** (d - 1)


def test_dots_lie_on_their_side_of_the_zero_line_and_reversals_are_said():
    root = parse(draw(REVERSING))
    (zero,) = with_class(root, "zero")
    centre = number(zero, "x1")
    sides = {
        sign: [number(dot, "cx") - centre for dot in with_class(root, "dot", sign)]
        for sign in ("above", "below", "none")
    }
    assert all(x > 0 for x in sides["above"])
    assert all(x < 0 for x in sides["below"])
    assert sides["none"] == [0]
    # 0.5 lies twice as far from zero as 0.25, and as -0.25 on the other side.
    assert sorted(sides["above"]) == pytest.approx(
        [-sides["below"][0], -2 * sides["below"][0]], abs=0.2
    )
    assert "helps 1, hurts 1" in texts(root)
    assert "helps 1, hurts 0, neither 1" in texts(root)
    assert "1 of the factors help on some backgrounds" in draw(REVERSING).svg


def test_dots_of_a_four_factor_strip_do_not_cover_each_other():
    flat_steps = {mask: 0.1 * mask.count("1") for mask in all_masks(4)}  # all effects equal 0.1
    dots = with_class(parse(draw(flat_steps)), "dot")
    centres = [(number(dot, "cx"), number(dot, "cy")) for dot in dots]
    radius = number(dots[0], "r")
    closest = min(
        math.dist(first, second)
        for index, first in enumerate(centres)
        for second in centres[:index]
    )
    assert closest >= radius


def test_the_axis_has_round_ticks_and_a_unit():
    words = texts(parse(draw(REVERSING)))
    assert {f"{MINUS}0.4", f"{MINUS}0.2", "0", "+0.2", "+0.4", "+0.6"} <= set(words)
    assert any("change in utility" in text for text in words)


def test_the_labels_at_both_ends_of_the_axis_are_whole():
    thousandths = {"00": 0.947, "01": 0.947, "10": 0.931, "11": 0.943}
    root = parse(draw(thousandths))
    digits = [one for one in with_class(root, "tick") if one.get("text-anchor") == "middle"]
    assert {f"{MINUS}0.020", "+0.015"} <= {one.text for one in digits}
    for one in digits:
        half = 0.32 * 11 * len(one.text or "")  # at 11 px; a digit of DejaVu Sans is 0.64 em wide
        assert half <= number(one, "x") <= WIDTH - half


def test_a_surface_without_effects_is_drawn():
    root = parse(draw(dict.fromkeys(all_masks(2), 0.5)))
    assert len(with_class(root, "dot", "none")) == 4


def test_the_table_names_background_and_effect_with_a_true_minus():
    assert draw(REVERSING).table.rows == (
        ("A", "-0", "+0.250"),
        ("A", "-1", f"{MINUS}0.250"),
        ("B", "0-", "+0.500"),
        ("B", "1-", "0.000"),
    )


def test_the_effect_table_gives_extremes_counts_and_reversals_at_each_floor():
    table = effect_table(summarise("AB", REVERSING).factors)
    assert table.header[6:] == tuple(f"Reverses above {floor} %" for floor in (0, 1, 5, 10))
    assert table.rows == (
        ("A", "0.000", f"{MINUS}0.250", "+0.250", "1", "1", "yes", "yes", "yes", "yes"),
        ("B", "+0.250", "0.000", "+0.500", "1", "0", "no", "no", "no", "no"),
    )


def test_a_hostile_and_very_long_factor_name_is_cut_and_escaped():
    picture = draw(REVERSING, name="<svg onload=alert(1)>" + "x" * 300)
    assert "<svg onload" not in picture.svg.removeprefix("<svg")
    assert max(map(len, texts(parse(picture)))) < 60
