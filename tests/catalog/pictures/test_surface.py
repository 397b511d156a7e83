"""The response surface as ladder and as map."""

import pytest

from catalog.pictures import Picture, surface_picture
from scoring.masks import all_masks
from tests.catalog.pictures.svg import (
    NAMESPACE,
    assert_accessible_and_inert,
    assert_inside_the_frame,
    box,
    nodes,
    number,
    parse,
    texts,
    with_class,
)

HOSTILE = '"><script>alert(1)</script>'


def whole(d: int) -> Picture:
    """Draw a surface whose utility is the mask's index over 2^d."""
    surface = {mask: index / 2**d for index, mask in enumerate(all_masks(d))}
    return surface_picture("ABCDEFGH"[:d], surface, title="A whole surface")


def places_of(picture: Picture) -> dict[str, tuple[float, float]]:
    """Return the centre of each node by the mask printed in it."""
    found = {}
    for group in nodes(parse(picture)):
        mask = next((one.text for one in with_class(group, "mask")), None)
        if mask:
            rect = box(group)
            x = number(rect, "x") + number(rect, "width") / 2
            found[mask] = (x, number(rect, "y") + number(rect, "height") / 2)
    return found


@pytest.mark.parametrize("d", range(2, 9))
def test_every_size_is_a_named_image_inside_its_frame(d):
    assert_accessible_and_inert(whole(d))
    assert_inside_the_frame(whole(d))


@pytest.mark.parametrize("d", [2, 4, 5])
def test_a_ladder_has_one_column_for_each_number_of_options_on(d):
    places = places_of(whole(d))
    assert set(places) == set(all_masks(d))
    columns = {mask: round(x) for mask, (x, _) in places.items()}
    by_count = [{columns[mask] for mask in columns if mask.count("1") == n} for n in range(d + 1)]
    assert all(len(column) == 1 for column in by_count)
    lefts = [column.pop() for column in by_count]
    assert lefts == sorted(lefts)


def test_no_two_nodes_of_a_ladder_overlap():
    rects = [box(one) for one in nodes(parse(whole(5)))]
    for first in rects:
        for second in rects:
            apart = abs(number(first, "x") - number(second, "x")) >= number(first, "width") or abs(
                number(first, "y") - number(second, "y")
            ) >= number(first, "height")
            assert first is second or apart


def test_the_edges_of_a_ladder_join_masks_that_differ_in_one_factor():
    picture = whole(4)
    root = parse(picture)
    half = number(box(nodes(root)[0]), "width") / 2
    masks = {(round(x), round(y)): mask for mask, (x, y) in places_of(picture).items()}
    joined = {
        (
            masks[round(number(edge, "x1") - half), round(number(edge, "y1"))],
            masks[round(number(edge, "x2") + half), round(number(edge, "y2"))],
        )
        for edge in with_class(root, "edge")
    }
    # A hypercube of 4 dimensions has 4 * 2^3 edges.
    assert len(joined) == 32
    assert all(int(on, 2) - int(off, 2) in (1, 2, 4, 8) for off, on in joined)


def test_neighbours_of_a_map_differ_in_one_factor():
    heads = [one.text for one in with_class(parse(whole(6)), "mask", "tick")]
    columns, rows = heads[:8], heads[8:]
    assert columns == rows == ["000", "001", "011", "010", "110", "111", "101", "100"]


def test_the_map_shows_each_utility_where_row_and_column_say():
    root = parse(whole(6))
    heads = {round(number(one, "x")): one for one in with_class(root, "mask", "tick")[:8]}
    sides = {round(number(one, "y")): one for one in with_class(root, "mask", "tick")[8:]}
    shown = {
        f"{sides[round(number(one, 'y'))].text}{heads[round(number(one, 'x'))].text}": one.text
        for one in with_class(root, "utility")
    }
    assert shown == {mask: f"{index / 64:.3f}"[1:] for index, mask in enumerate(all_masks(6))}


def test_colour_follows_utility_in_five_equal_steps_of_the_known_range():
    root = parse(whole(4))
    steps = {
        mask.text: next(name for name in group.get("class", "").split() if "ramp" in name)
        for group in nodes(root)
        for mask in with_class(group, "mask")
    }
    # Range 0 to 15/16: index i lies at i/15 of it, so the steps are floor(i/3), 15 in the last.
    assert steps == {
        mask: f"ramp-{min(5, index // 3 + 1)}" for index, mask in enumerate(all_masks(4))
    }


def test_equal_utilities_all_get_the_middle_colour():
    flat = surface_picture("AB", dict.fromkeys(all_masks(2), 0.5), title="Flat")
    assert len(nodes(parse(flat), "ramp-3")) == 4


@pytest.mark.parametrize("d", [4, 6])
def test_each_standing_has_its_own_mark_and_unmeasured_nodes_show_no_number(d):
    measured = {"0" * d: 0.25, "1" * d: 0.75, "1" + "0" * (d - 1): 0.5}
    inferred = {"1" + "0" * (d - 2) + "1": 0.5}
    picture = surface_picture("ABCDEF"[:d], measured, title="An episode so far", inferred=inferred)
    root = parse(picture)

    counts = {
        name: len(nodes(root, name)) for name in ("anchor", "measured", "inferred", "unmeasured")
    }
    assert counts == {"anchor": 2, "measured": 1, "inferred": 1, "unmeasured": 2**d - 4}
    assert len(with_class(root, "utility")) == 4
    assert {"free anchor", "measured", "inferred", "not measured"} <= set(texts(root))
    rows = {row[0]: row[1:] for row in picture.table.rows}
    assert len(rows) == 2**d
    assert rows["0" * d] == ("0.250", "anchor")
    assert rows["0" * (d - 1) + "1"] == ("not measured", "unmeasured")


def test_a_surface_of_which_nothing_is_known_is_drawn_without_a_scale():
    picture = surface_picture("AB", {}, title="Nothing")
    assert_accessible_and_inert(picture)
    assert "0 of 4 configurations are known." in picture.svg


def test_hostile_words_stay_words():
    picture = surface_picture("ABCDEF", {}, title=HOSTILE, key="k")
    assert "<script>" not in picture.svg
    assert parse(picture).findtext(f"{NAMESPACE}title") == HOSTILE
