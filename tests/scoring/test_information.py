import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from benchmarks.information import plain_gain
from catalog.research_states import generate_states
from scoring import information
from scoring.costs import Design
from scoring.information import information_gain, outcome_kernel, removal_matrix
from scoring.masks import Floats
from scoring.readings import Action, reading_set, top_prior

UNIFORM = [1 / 6] * 6
SKEWED = [0.3, 0.1, 0.2, 0.15, 0.05, 0.2]
ALL = (0, 1, 2, 3, 4, 5)

# specs/reading-sets.md, "Test vectors".
VECTORS = [
    (UNIFORM, (0,), 2, 0.014040581318),
    (UNIFORM, (0,), 4, 0.050225361548),
    (UNIFORM, (0, 1), 2, 0.028064819475),
    (UNIFORM, (0, 1), 8, 0.298136011669),
    (UNIFORM, (0, 1, 2, 3), 2, 0.056062142690),
    (UNIFORM, ALL, 5, 0.431438663649),
    (UNIFORM, ALL, 9, 0.975637044402),
    (UNIFORM, ALL, 12, 1.283500779446),
    (SKEWED, (0,), 2, 0.021139974671),
    (SKEWED, (0, 1), 3, 0.064391447851),
    (SKEWED, (0, 2, 4, 5), 7, 0.491927417502),
]

# Weights with zeros, and spikes: one mechanism a million times likelier than the others.
WEIGHTS = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, 1e6]), min_size=6, max_size=6)
PRIORS = WEIGHTS.filter(any).map(lambda weights: [w / sum(weights) for w in weights])
REMOVALS = st.lists(st.lists(st.integers(0, 1), min_size=6, max_size=6), min_size=6, max_size=6)
SMALL_SETS = st.sets(st.integers(0, 5), min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))


def gain(
    prior: Sequence[float], interventions: tuple[int, ...], n: int, mu: ArrayLike | None = None
) -> float:
    return float(information_gain(prior, mu)[Design(interventions, n).index])


def enumerated_gain(
    prior: Sequence[float], interventions: tuple[int, ...], n: int, mu: ArrayLike | None = None
) -> float:
    """H(prior) minus the mean entropy of the posteriors, all outcomes in one array."""
    removes = np.eye(6, dtype=int) if mu is None else np.asarray(mu)
    kernels = np.array([outcome_kernel(n, 0), outcome_kernel(n, 1)])
    outcomes = np.array(list(itertools.product(range(5), repeat=len(interventions))))
    likelihood = kernels[removes[:, None, list(interventions)], outcomes].prod(axis=-1)
    joint = np.asarray(prior)[:, None] * likelihood
    total = joint.sum(axis=0)
    posterior = joint / total
    return float(entropy(np.asarray(prior)) - total @ entropy(posterior))


def entropy(distribution: Floats) -> Floats:
    logs = np.log(np.where(distribution > 0, distribution, 1.0))
    return np.asarray(-(distribution * logs).sum(axis=0))


@pytest.mark.parametrize(("prior", "interventions", "n", "expected"), VECTORS)
def test_the_vectors_of_the_specification(prior, interventions, n, expected):
    assert gain(prior, interventions, n) == pytest.approx(expected, rel=0, abs=1e-12)


def test_the_noise_and_the_kernel_of_the_specification():
    scales = [information.noise_scale(n) for n in (2, 5, 12)]
    assert scales == pytest.approx([0.869626, 0.55, 0.355023], rel=0, abs=5e-7)
    expected = [0.2492, 0.239112, 0.211234, 0.171804, 0.12865]
    assert outcome_kernel(2, 0).tolist() == pytest.approx(expected, rel=0, abs=5e-7)
    assert outcome_kernel(7, 1).tolist() == pytest.approx(outcome_kernel(7, 0)[::-1].tolist())


@pytest.mark.parametrize("number", range(30))
def test_the_audit_of_four_designs_in_the_thirty_states_against_enumeration(number):
    prior = generate_states()[number].prior
    _, target_with_eight_seeds = reading_set(Action(target=top_prior(prior)))
    for design in [Design((0,), 2), target_with_eight_seeds, Design(ALL, 5), Design(ALL, 12)]:
        expected = enumerated_gain(prior, design.interventions, design.n)
        assert information_gain(prior)[design.index] == pytest.approx(expected, rel=0, abs=1e-12)


def test_the_audit_agrees_with_enumeration_in_plain_python():
    prior = generate_states()[0].prior
    for interventions, n in [((0,), 2), ((0, 1), 8), (ALL, 5)]:
        expected = plain_gain(prior, interventions, n)
        assert enumerated_gain(prior, interventions, n) == pytest.approx(expected, abs=1e-12)
        assert gain(prior, interventions, n) == pytest.approx(expected, rel=0, abs=1e-12)


@settings(max_examples=40)
@given(PRIORS, SMALL_SETS, st.integers(2, 12))
@example([1.0, 0, 0, 0, 0, 0], (0, 1), 12)
def test_priors_with_zeros_and_spikes_agree_with_enumeration(prior, interventions, n):
    expected = enumerated_gain(prior, interventions, n)
    assert gain(prior, interventions, n) == pytest.approx(expected, rel=0, abs=1e-12)


@settings(max_examples=40)
@given(PRIORS, REMOVALS, SMALL_SETS, st.integers(2, 12))
@example(UNIFORM, [[0] * 6] * 6, (1, 4), 5)
@example(UNIFORM, [[1] * 6] * 6, (1, 4), 5)
def test_any_removal_matrix_agrees_with_enumeration(prior, mu, interventions, n):
    expected = enumerated_gain(prior, interventions, n, mu)
    assert gain(prior, interventions, n, mu) == pytest.approx(expected, rel=0, abs=1e-12)


def test_six_interventions_under_a_dense_removal_matrix_agree_with_enumeration():
    mu = np.random.default_rng(4).integers(2, size=(6, 6))
    for n in (2, 12):
        expected = enumerated_gain(SKEWED, ALL, n, mu)
        assert gain(SKEWED, ALL, n, mu) == pytest.approx(expected, rel=0, abs=1e-12)


def test_removing_all_but_one_tells_as_much_as_removing_that_one():
    complement = 1 - np.eye(6, dtype=int)
    np.testing.assert_allclose(
        information_gain(SKEWED, complement), information_gain(SKEWED), rtol=0, atol=1e-12
    )


def test_what_removes_nothing_or_everything_tells_nothing():
    for same in (np.zeros((6, 6), dtype=int), np.ones((6, 6), dtype=int)):
        assert information_gain(SKEWED, same).max() <= 1e-12


def test_a_certain_mechanism_leaves_nothing_to_learn():
    gains = information_gain([0, 0, 1, 0, 0, 0])
    assert 0.0 <= gains.min() <= gains.max() <= 1e-12


def test_more_interventions_and_more_seeds_tell_more_and_never_more_than_there_is():
    gains = information_gain(SKEWED)
    assert (np.diff(gains, axis=1) > 0).all()
    assert (gains[-1] >= gains).all()
    assert gains.max() < entropy(np.array(SKEWED))


def test_a_removal_matrix_from_lists():
    matrix = removal_matrix([[0], [1], [2, 4], [3], [4], [5]])
    assert (matrix.sum(axis=0) == [1, 1, 2, 1, 1, 1]).all()
    assert matrix[4].tolist() == [False, False, True, False, True, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: information_gain([0.5, 0.5]), r"prior must have shape \(6,\)"),
        (lambda: information_gain([0.5, 0.6, 0, 0, 0, 0]), "sum to 1"),
        (lambda: information_gain([1.5, -0.5, 0, 0, 0, 0]), "must hold probabilities"),
        (lambda: information_gain([np.nan, 1, 0, 0, 0, 0]), "must hold probabilities"),
        (lambda: information_gain(UNIFORM, np.full((6, 6), 0.5)), "matrix of 0 and 1"),
        (lambda: information_gain(UNIFORM, np.eye(5)), "6 x 6 matrix"),
        (lambda: outcome_kernel(1, 0), "from 2 to 12, got 1"),
        (lambda: outcome_kernel(True, 0), "from 2 to 12, got True"),
        (lambda: removal_matrix([[0]] * 5), "6 interventions, got 5"),
        (lambda: removal_matrix([[6], [], [], [], [], []]), "0 to 5, got 6"),
    ],
)
def test_impossible_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
