"""Linear algebra that rounds alike on every processor.

The surfaces are so symmetric that many candidate masks tie exactly, and rounding decides which one
a design buys; a nearly singular ridge system amplifies the last bit of its input to the twelfth
decimal. A BLAS orders its sums by processor, so `numpy.linalg` buys other masks on another machine.
Here the order is part of the definition: sums run left to right, except where products are paired
or fused as stated below. It is the order that reproduces the recorded controls, bit for bit what
their BLAS (OpenBLAS for AVX2, systems of at most 22 unknowns) computed.

NumPy's elementwise operations round after every operation, so a fused multiply-add is written out.

All functions but `residual` work on stacks of matrices in the leading axes.

References
----------
.. [1] T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
   Mathematik 18, 1971.
.. [2] G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed., 2013, section 3.4.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.masks import Floats

_SPLITTER = 2.0**27 + 1.0
_COLUMN_GROUP = 4  # columns whose products are summed before they are added to the total
_ROW_GROUP = 4  # rows beyond a multiple of it are summed plainly, from left to right
_FUSED_GROUP = 16  # in a substitution, entries beyond a multiple of it are not fused


def fused_multiply_add(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a * b + c with a single rounding.

    Parameters
    ----------
    a, b, c : ndarray of float
        Broadcastable; magnitudes far below 1e150.

    Returns
    -------
    ndarray of float
        The rounded exact result, save for rare double roundings.

    Examples
    --------
    >>> x = np.array([1.0 + 2.0**-30])
    >>> (x * x - 1.0 == 2.0**-29).item(), fused_multiply_add(x, x, np.array([-1.0])) > 2.0**-29
    (True, array([ True]))
    """
    product, product_error = _two_product(a, b)
    total, total_error = _two_sum(product, c)
    return total + (total_error + product_error)


def product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product, each element a left-to-right chain of fused multiply-adds.

    Parameters
    ----------
    a : ndarray of float, shape (..., m, k)
    b : ndarray of float, shape (..., k, n)

    Returns
    -------
    ndarray of float, shape (..., m, n)

    Examples
    --------
    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    total = np.zeros((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]))
    for k in range(a.shape[-1]):
        total = fused_multiply_add(a[..., :, k, None], b[..., k, None, :], total)
    return total


def matrix_vector(a: Floats, x: Floats) -> Floats:
    """Return the product of a matrix and a vector, in the order of `solve`'s updates.

    Parameters
    ----------
    a : ndarray of float, shape (..., m, k)
    x : ndarray of float, shape (..., k)

    Returns
    -------
    ndarray of float, shape (..., m)

    Examples
    --------
    >>> matrix_vector(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([3.0, 4.0]))
    array([11.,  4.])
    """
    return _add_matrix_vector(np.zeros(()), a, x)


def solve(a: Floats, b: Floats) -> Floats:
    """Solve a x = b by elimination with partial pivoting.

    Parameters
    ----------
    a : ndarray of float, shape (..., n, n)
        Invertible.
    b : ndarray of float, shape (..., n, m)
        One right-hand side per column; leading axes as those of ``a``.

    Returns
    -------
    ndarray of float, shape (..., n, m)

    Examples
    --------
    >>> solve(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([[2.0], [9.0]]))
    array([[1.],
           [2.]])
    """
    factors, order = _factorise(a)
    x = np.take_along_axis(b, order[..., None], axis=-2)
    n = a.shape[-1]
    for k in range(n):
        x[..., k + 1 :, :] = _eliminate(x[..., k + 1 :, :], factors[..., k + 1 :, k], x[..., k, :])
    for k in reversed(range(n)):
        x[..., k, :] /= factors[..., k, k, None]
        x[..., :k, :] = _eliminate(x[..., :k, :], factors[..., :k, k], x[..., k, :])
    return x


def residual(a: Floats, x: Floats, b: Floats) -> Floats:
    """Return b - a x as if computed with twice the precision.

    Parameters
    ----------
    a : ndarray of float, shape (m, k)
        Fast if it holds few distinct values, as a kernel of distances does.
    x : ndarray of float, shape (k, n)
    b : ndarray of float, shape (m, n)

    Returns
    -------
    ndarray of float, shape (m, n)

    Notes
    -----
    The compensated dot product of Ogita, Rump and Oishi [3]_. A product of two values is computed
    once for all rows of ``a`` in which it occurs.

    References
    ----------
    .. [3] T. Ogita, S. M. Rump and S. Oishi, "Accurate sum and dot product", SIAM Journal on
       Scientific Computing 26(6), 2005.

    Examples
    --------
    >>> residual(np.array([[1e16, 1.0]]), np.array([[1.0], [1.0]]), np.array([[1e16]]))
    array([[-1.]])
    """
    total, compensation = b, np.zeros_like(b)
    values, where = np.unique(-a, return_inverse=True)
    where = where.reshape(a.shape)
    for k in range(a.shape[1]):
        terms, term_errors = _two_product(values[:, None], x[k])
        total, total_error = _two_sum(terms[where[:, k]], total)
        compensation = compensation + (total_error + term_errors[where[:, k]])
    return total + compensation


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    # Dekker [1]: a * b is exactly the rounded product plus the returned error.
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    # Knuth: a + b is exactly the rounded sum plus the returned error.
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def _split(a: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def _factorise(a: Floats) -> tuple[Floats, NDArray[np.intp]]:
    # Left-looking (Crout) LU: unit lower factor below the diagonal, upper factor on and above it.
    factors = a.copy()
    n = a.shape[-1]
    order = np.broadcast_to(np.arange(n), a.shape[:-1]).copy()
    for j in range(n):
        column = factors[..., :, j]
        for i in range(1, j):
            column[..., i] -= _paired_dot(factors[..., i, :i], column[..., :i])
        column[..., j:] = _add_matrix_vector(
            column[..., j:], factors[..., j:, :j], -column[..., :j]
        )
        _swap_rows(factors, order, j, j + np.abs(column[..., j:]).argmax(axis=-1))
        column[..., j + 1 :] *= 1.0 / column[..., j, None]
    return factors, order


def _swap_rows(
    factors: Floats, order: NDArray[np.intp], row: int, pivots: NDArray[np.intp]
) -> None:
    for stack in map(tuple, np.argwhere(pivots != row)):
        for array in (factors[stack], order[stack]):
            array[[row, pivots[stack]]] = array[[pivots[stack], row]]


def _paired_dot(a: Floats, b: Floats) -> Floats:
    # Two running sums of products two apart; what exceeds a multiple of four joins the first.
    products = a * b
    n_grouped = products.shape[-1] // _COLUMN_GROUP * _COLUMN_GROUP
    first = second = np.zeros(products.shape[:-1])
    for k in range(0, n_grouped, _COLUMN_GROUP):
        first = first + (products[..., k] + products[..., k + 2])
        second = second + (products[..., k + 1] + products[..., k + 3])
    for k in range(n_grouped, products.shape[-1]):
        first = first + products[..., k]
    return first + second


def _add_matrix_vector(y: Floats, a: Floats, x: Floats) -> Floats:
    # y + a x: the leading rows by groups of four columns, fused two apart; the last rows plainly.
    products = a * x[..., None, :]
    n_rows, n_columns = products.shape[-2:]
    n_leading = n_rows // _ROW_GROUP * _ROW_GROUP
    y = np.broadcast_to(y, products.shape[:-1])

    leading, a = y[..., :n_leading], a[..., :n_leading, :]
    n_grouped = n_columns // _COLUMN_GROUP * _COLUMN_GROUP
    for k in range(0, n_grouped, _COLUMN_GROUP):
        even, odd = (
            fused_multiply_add(a[..., i + 2], x[..., i + 2, None], products[..., :n_leading, i])
            for i in (k, k + 1)
        )
        leading = leading + (even + odd)
    rest = products[..., :n_leading, n_grouped:]
    if rest.shape[-1] >= 2:
        leading = leading + (rest[..., 0] + rest[..., 1])
    if rest.shape[-1] % 2:
        leading = leading + rest[..., -1]

    trailing = np.zeros(y[..., n_leading:].shape)
    for k in range(n_columns):
        trailing = trailing + products[..., n_leading:, k]
    return np.concatenate([leading, y[..., n_leading:] + trailing], axis=-1)


def _eliminate(x: Floats, column: Floats, known: Floats) -> Floats:
    # x - column * known: fused, but for the entries beyond a multiple of sixteen.
    n_fused = x.shape[-2] // _FUSED_GROUP * _FUSED_GROUP
    factor, value = column[..., None], -known[..., None, :]
    fused = fused_multiply_add(factor[..., :n_fused, :], value, x[..., :n_fused, :])
    plain = factor[..., n_fused:, :] * value + x[..., n_fused:, :]
    return np.concatenate([fused, plain], axis=-2)
