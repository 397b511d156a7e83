"""The map of the 693 designs against plain enumeration."""

import pytest

from catalog.pictures import best_by_size, information_picture
from scoring.costs import Design, affordable, all_designs, costs
from scoring.information import information_gain
from tests.catalog.pictures.svg import (
    assert_accessible_and_inert,
    assert_inside_the_frame,
    parse,
    with_class,
)

PRIOR = (0.3, 0.1, 0.2, 0.15, 0.05, 0.2)
RATES = information_gain(PRIOR) / costs()


@pytest.fixture
def picture():
    return information_picture(
        RATES,
        6,
        best=Design((0, 2), 8),
        readings=(Design((0, 1), 2), Design((0, 1), 8)),
        policies={"a": Design((0, 2), 8), "b": Design((1, 2), 8), "c": Design((3,), 2)},
        title="Designs",
    )


def test_every_size_shows_its_best_design():
    cells = best_by_size(RATES, 6)
    assert len(cells) == 66
    for (size, n), cell in cells.items():
        alike = [d for d in all_designs() if len(d.interventions) == size and d.n == n]
        assert cell.rate == pytest.approx(max(RATES[d.index] for d in alike), rel=1e-9)


def test_the_picture_is_accessible_and_inside_its_frame(picture):
    assert_accessible_and_inert(picture)
    assert_inside_the_frame(picture)


def test_only_affordable_sizes_are_coloured(picture):
    sizes = {(len(d.interventions), d.n) for d in all_designs() if affordable(6)[d.index]}
    assert len(with_class(parse(picture), "design")) == 66
    assert len(with_class(parse(picture), "beyond")) == 66 - len(sizes)


def test_the_edge_runs_once_through_every_row_and_column(picture):
    lines = with_class(parse(picture), "budget-edge")
    upright = [one for one in lines if one.get("x1") == one.get("x2")]
    # Budget 6: |A| = 1 affords n to 12 (cost 5.8), |A| = 6 affords n = 2, 3, 4 (cost 6.0).
    assert len(upright) == 5
    assert len(lines) - len(upright) == 8


def test_best_design_and_readings_are_marked(picture):
    assert len(with_class(parse(picture), "mark", "best")) == 1
    assert len(with_class(parse(picture), "mark", "reading")) == 2 + 1  # and the legend


def test_a_policy_is_marked_at_the_size_that_it_runs_those_of_one_size_together(picture):
    letters = with_class(parse(picture), "policy-letter")
    assert [one.text for one in letters] == ["ab", "c"]
    assert len(with_class(parse(picture), "mark", "policy")) == 2
    rows = {row[0]: row[-1] for row in picture.table.rows}
    assert {size: marks for size, marks in rows.items() if marks} == {"2, 8": "a, b", "1, 2": "c"}


def test_the_table_holds_every_size(picture):
    assert len(picture.table.rows) == 66
    assert picture.table.rows[0] == ("1, 2", "{I0}, 2 seeds", "2.30", "0.0092", "yes", "c")
