from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import fixed_rounding

# Digits as OpenBLAS 0.3.31 computed them with its AVX2 kernels (numpy.linalg.solve).
PINNED = [
    "0x1.aedad1f0bcf00p-1",
    "0x1.de273cb2e3535p-5",
    "0x1.d5fe5d10c63eep-7",
    "0x1.c63267f0e0eeap-8",
    "0x1.1f06001e99c87p-8",
    "0x1.9cf3d54b802e3p-9",
    "0x1.41a89077e4112p-9",
    "0x1.09e8fbb7b038ap-9",
    "0x1.d1886d76cec7fp-10",
    "0x1.bcd1f8916fcecp-10",
    "0x1.213c5dab830e5p-9",
]

NUMBERS = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_fused_multiply_add_is_within_half_a_unit_of_the_exact_result(a, b, c):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    fused = fixed_rounding.fused_multiply_add(*(np.array([x]) for x in (a, b, c))).item()
    # A double rounding may add a hair to the half unit in the last place.
    half_unit = Fraction(np.spacing(abs(fused)).item()) / 2
    assert abs(Fraction(fused) - exact) <= half_unit * Fraction(1001, 1000)


def test_a_residual_survives_cancellation_that_doubles_do_not():
    a, x = np.array([[1e16, 1.0, -1e16]]), np.array([[1.0], [1.0], [1.0]])
    assert fixed_rounding.residual(a, x, np.array([[0.0]])).item() == -1.0
    assert (a @ x).item() != 1.0


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 11, 17, 22, 37])
def test_solve_agrees_with_exact_arithmetic_on_a_system_that_needs_pivoting(n):
    rng = np.random.default_rng(n)
    x = rng.integers(-9, 10, size=(n, 2)).astype(float)
    a = rng.integers(-9, 10, size=(n, n)).astype(float)
    a[0, 0] = 0.0 if n > 1 else 3.0
    assert np.allclose(fixed_rounding.solve(a, a @ x), x, rtol=0, atol=1e-8)


def test_a_stack_is_solved_like_its_members_alone():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(3, 2, 9, 9)), rng.normal(size=(3, 2, 9, 1))
    stacked = fixed_rounding.solve(a, b)
    for index in np.ndindex(3, 2):
        assert np.array_equal(stacked[index], fixed_rounding.solve(a[index], b[index]))


def test_arguments_are_left_alone():
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(4, 4)), rng.normal(size=(4, 1))
    before = a.copy(), b.copy()
    fixed_rounding.solve(a, b)
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (10, 7), (21, 30)])
def test_products_agree_with_numpy(shape):
    rng = np.random.default_rng(7)
    a = rng.normal(size=shape)
    assert np.allclose(fixed_rounding.product(a, a.T), a @ a.T, rtol=0, atol=1e-12)
    x = rng.normal(size=shape[1])
    assert np.allclose(fixed_rounding.matrix_vector(a, x), a @ x, rtol=0, atol=1e-12)


def test_the_order_of_rounding_is_pinned_to_the_last_bit():
    n = 11
    a = 1.0 / (1.0 + np.abs(np.subtract.outer(np.arange(n), np.arange(n)))) + np.eye(n) / 7.0
    x = fixed_rounding.solve(a, (1.0 / np.arange(1.0, n + 1.0))[:, None])[:, 0]
    assert [value.hex() for value in x.tolist()] == PINNED
