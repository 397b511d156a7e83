import math

import numpy as np
import pytest

from scoring import gaussian_process, masks

ANCHORS = np.array([0, 15])


def test_the_kernel_decays_with_the_number_of_differing_factors():
    prior = gaussian_process.kernels(masks.bits(4))
    assert prior.shape == (6, 16, 16)
    assert prior[5, 0b0000, 0b0111] == pytest.approx(math.exp(-3 / 8), abs=1e-15)
    assert (np.diagonal(prior, axis1=1, axis2=2) == 1).all()


def test_two_anchors_choose_the_largest_length_scale_and_nugget():
    prior = gaussian_process.kernels(masks.bits(4))
    posterior = gaussian_process.condition(prior, ANCHORS, np.array([0.2, 0.6]))
    assert (posterior.length_scale, posterior.nugget) == (8.0, 0.3)


def test_two_anchors_by_hand():
    # By symmetry c = 0.4 and Q(y - c) = 0.2 / (1 + g - exp(-4/8)) * (-1, 1).
    prior = gaussian_process.kernels(masks.bits(4))
    posterior = gaussian_process.condition(prior, ANCHORS, np.array([0.2, 0.6]))
    weight = 0.2 / (1.3 - math.exp(-0.5))
    expected = 0.4 + weight * (math.exp(-3 / 8) - math.exp(-1 / 8))
    assert posterior.mean[0b0001] == pytest.approx(expected, rel=0, abs=1e-15)
    assert posterior.mean[0b0011] == pytest.approx(0.4, rel=0, abs=1e-15)


def test_the_posterior_covariance_is_that_of_generalised_least_squares():
    rng = np.random.default_rng(4)
    prior = gaussian_process.kernels(masks.bits(4))
    cells, values = np.array([0, 15, 3, 9, 6]), rng.random(5)
    posterior = gaussian_process.condition(prior, cells, values)
    full = prior[gaussian_process.LENGTH_SCALES.index(posterior.length_scale)]
    noisy = full[np.ix_(cells, cells)] + posterior.nugget * np.eye(5)
    # A flat prior on the mean is the limit of a constant with a very large variance.
    wide = 1e6
    cross = full[:, cells] + wide
    limit = full + wide - cross @ np.linalg.solve(noisy + wide, cross.T)
    assert posterior.covariance == pytest.approx(limit, rel=0, abs=1e-5)
    assert np.array_equal(posterior.covariance, posterior.covariance.T)


def test_leave_one_out_residuals_are_those_of_explicit_refits():
    rng = np.random.default_rng(5)
    prior = gaussian_process.kernels(masks.bits(4))
    cells, values = np.array([0, 15, 3, 9, 6, 12]), rng.random(6)

    def explicit_loss(scale: int, nugget: float) -> float:
        squares = []
        for left_out in range(6):
            kept = np.arange(6) != left_out
            gram = prior[scale][np.ix_(cells[kept], cells[kept])] + nugget * np.eye(5)
            inverse = np.linalg.inv(gram)
            constant = inverse.sum(axis=0) @ values[kept] / inverse.sum()
            cross = prior[scale][cells[left_out], cells[kept]]
            fitted = constant + cross @ inverse @ (values[kept] - constant)
            squares.append((values[left_out] - fitted) ** 2)
        return float(np.mean(squares))

    losses = {
        (length_scale, nugget): explicit_loss(scale, nugget)
        for scale, length_scale in enumerate(gaussian_process.LENGTH_SCALES)
        for nugget in gaussian_process.NUGGETS
    }
    posterior = gaussian_process.condition(prior, cells, values)
    assert (posterior.length_scale, posterior.nugget) == min(losses, key=losses.__getitem__)


def test_the_effect_gain_counts_every_edge_of_the_cube():
    rng = np.random.default_rng(6)
    covariance = rng.normal(size=(4, 4))
    expected = [
        sum((covariance[high, i] - covariance[low, i]) ** 2 for low, high in EDGES_OF_A_SQUARE)
        for i in range(4)
    ]
    assert gaussian_process.effect_gain(covariance) == pytest.approx(expected, rel=0, abs=1e-14)


EDGES_OF_A_SQUARE = [(0, 2), (1, 3), (0, 1), (2, 3)]


@pytest.mark.parametrize("gain", [gaussian_process.grid_gain, gaussian_process.effect_gain])
def test_tied_candidates_give_the_smallest_mask(gain):
    # After two anchors all masks with as many switches on are alike.
    prior = gaussian_process.kernels(masks.bits(6))
    values, candidates = np.array([0.2, 0.6]), np.arange(1, 63)
    bought = gaussian_process.most_informative(prior, np.array([0, 63]), values, candidates, gain)
    alike = np.flatnonzero(masks.bits(6).sum(axis=1) == bought.bit_count())
    assert bought == alike[0]


def test_measured_cells_are_kept_exactly_and_the_rest_is_clipped():
    prior = gaussian_process.kernels(masks.bits(2))
    cells, values = np.array([0, 3, 1]), np.array([1 / 3, 1.0, 1.0])
    surface = gaussian_process.reconstruct(prior, cells, values)
    assert surface[cells].tolist() == values.tolist()
    assert 0 <= surface[2] <= 1


@pytest.mark.parametrize(("cells", "values"), [([0], [0.5]), ([0, 15], [0.5]), ([0], [0.5, 0.6])])
def test_too_few_or_unequal_observations_are_refused(cells, values):
    prior = gaussian_process.kernels(masks.bits(4))
    with pytest.raises(ValueError, match="at least two"):
        gaussian_process.condition(prior, np.array(cells), np.array(values))
