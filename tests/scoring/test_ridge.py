import numpy as np
import pytest

from scoring import ridge


def test_features_are_signs_then_products_in_lexicographic_pair_order():
    assert ridge.features(3, 1)[0b100].tolist() == [1, -1, -1]
    assert ridge.features(3, 2)[0b100].tolist() == [1, -1, -1, -1, -1, 1]


@pytest.mark.parametrize("degree", [0, 3, "1"])
def test_only_degrees_one_and_two_exist(degree):
    with pytest.raises(ValueError, match="degree must be 1 or 2"):
        ridge.features(4, degree)


def test_two_observations_tie_all_penalties_and_the_largest_wins():
    # Left out, one observation remains and predicts itself: loss (0.6 - 0.2)^2 for every penalty.
    fit = ridge.fit(ridge.features(4, 1)[[0, 15]], np.array([0.2, 0.6]))
    assert fit.alpha == 10.0
    assert fit.leave_one_out_loss == pytest.approx(0.16, rel=0, abs=1e-15)
    # Centred columns are +-1, so Xc'Xc = 2 * ones, Xc'yc = 0.4: beta = 0.4 / (4 * 2 + 10).
    assert fit.coefficients == pytest.approx([0.4 / 18] * 4, rel=0, abs=1e-15)
    assert fit.intercept == pytest.approx(0.4, rel=0, abs=1e-15)


def test_an_additive_surface_gets_the_smallest_penalty_and_is_recovered():
    x = ridge.features(4, 1)
    surface = 0.5 + x @ np.array([0.1, -0.05, 0.2, 0.02])
    cells = np.array([0, 15, 3, 5, 6, 8, 9])
    assert ridge.fit(x[cells], surface[cells]).alpha == 1e-5
    assert ridge.reconstruct(4, 1, cells, surface[cells]) == pytest.approx(surface, abs=1e-5)


def test_predictions_are_clipped_and_measured_cells_kept_exactly():
    cells, values = np.array([0, 3, 1]), np.array([1 / 3, 1.0, 1.0])
    surface = ridge.reconstruct(2, 2, cells, values)
    assert surface[cells].tolist() == values.tolist()
    assert surface.min() >= 0
    assert surface.max() <= 1


def test_the_leave_one_out_loss_is_that_of_explicit_refits():
    rng = np.random.default_rng(3)
    cells = np.array([0, 15, 3, 5, 6, 8])
    x, y = ridge.features(4, 1)[cells], rng.random(6)
    fit = ridge.fit(x, y)
    squares = []
    for left_out in range(6):
        kept = np.arange(6) != left_out
        centred = x[kept] - x[kept].mean(axis=0)
        gram = centred.T @ centred + fit.alpha * np.eye(4)
        beta = np.linalg.inv(gram) @ centred.T @ (y[kept] - y[kept].mean())
        fitted = y[kept].mean() + (x[left_out] - x[kept].mean(axis=0)) @ beta
        squares.append((y[left_out] - fitted) ** 2)
    assert fit.leave_one_out_loss == pytest.approx(np.mean(squares), rel=0, abs=1e-14)


@pytest.mark.parametrize("k", [0, 1])
def test_fewer_than_two_observations_are_refused(k):
    with pytest.raises(ValueError, match="at least two"):
        ridge.fit(np.ones((k, 4)), np.ones(k))
