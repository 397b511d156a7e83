"""The one definition of a number and its two spellings."""

import pytest

from leaderboards.metrics import METRICS, RECOVERY, Direction, Figure, as_row
from leaderboards.models import Standing
from scoring.surfaces import grade


def test_every_metric_is_a_column_of_a_standing():
    columns = {field.name for field in Standing._meta.get_fields()}
    assert {metric.name for metric in METRICS} <= columns


def test_names_carry_their_direction():
    for metric in METRICS:
        is_loss = metric.name.endswith(("_mae", "_regret"))
        assert (metric.direction is Direction.LOWER) == is_loss


def test_a_metric_is_read_from_a_score_where_its_path_says():
    score = as_row(grade([0.0, 0.25, 0.5, 1.0], [0.0, 0.75, 0.5, 1.0]))
    values = {metric.name: metric.read(score) for metric in METRICS}
    # Mask 01 is 0.5 too high: two of four effects are, E = 0.25, A = 0.5.
    assert values == {
        "recovery_score": 0.5,
        "delivered_recovery_score": 0.5,
        "exact_share": 1.0,
        "strict_share": 0.0,
        "selection_regret": 0.0,
        "grid_mae": 0.125,
        "interaction_mae": 0.5,
    }


@pytest.mark.parametrize(
    ("value", "full", "rounded"),
    [(0.1 + 0.2, "0.30000000000000004", "0.300"), (1.0, "1.0", "1.000"), (None, "", "")],
)
def test_the_page_rounds_the_number_that_the_csv_prints_whole(value, full, rounded):
    figure = Figure(RECOVERY, value)
    assert (figure.full, figure.rounded) == (full, rounded)
