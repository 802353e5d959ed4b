"""erf against math.erf, its derivative by complex step, and the properties that GELU relies on."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.core.array import Array
from mini_bert.core.functions.erf import BLOCK, erf

DType = type[Any]

# The fits' promises are 2.4e-7 and 2.3e-16; math.erf itself is good to an ulp.
RTOL: dict[DType, float] = {np.float32: 3e-7, np.float64: 1e-15}
SUBNORMAL: dict[DType, float] = {np.float32: 1e-45, np.float64: 5e-324}  # the smallest, one ulp near zero

dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def reference(x: Array) -> Array:
    return np.array([math.erf(v) for v in x.ravel().tolist()]).reshape(x.shape)


@dtypes
@pytest.mark.parametrize("limit", [1e-3, 0.1, 1.0, 1.001, 4.0, 6.0, 30.0])
def test_agrees_with_math_on_dense_grids(dtype: DType, limit: float) -> None:
    x = np.linspace(-limit, limit, 20_001).astype(dtype)
    np.testing.assert_allclose(erf(x).astype(np.float64), reference(x), rtol=RTOL[dtype], atol=0)


@dtypes
def test_tiny_values_keep_their_relative_accuracy(dtype: DType) -> None:
    lowest, normal = SUBNORMAL[dtype], float(np.finfo(dtype).tiny)
    x = np.geomspace(normal, 1e-3, 5_000).astype(dtype)
    np.testing.assert_allclose(erf(x).astype(np.float64), reference(x), rtol=RTOL[dtype], atol=0)
    x = np.geomspace(lowest, normal, 500).astype(dtype)
    np.testing.assert_allclose(erf(x).astype(np.float64), reference(x), rtol=RTOL[dtype], atol=1.01 * lowest)


@given(st.floats(allow_nan=False))
def test_any_float64(x: float) -> None:
    assert float(erf(np.array(x))) == pytest.approx(math.erf(x), rel=1e-15, abs=1e-323)
    assert abs(erf(np.array(x))) <= 1


@given(st.floats(width=32, allow_nan=False))
def test_any_float32(x: float) -> None:
    y = erf(np.array(x, np.float32))
    assert float(y) == pytest.approx(math.erf(x), rel=3e-7, abs=2e-45)
    assert abs(y) <= 1


@dtypes
def test_never_exceeds_one_where_it_saturates(dtype: DType) -> None:
    x = np.linspace(3, 7, 400_001).astype(dtype)
    y = erf(x)
    assert y.max() == 1
    assert (y[x >= 6] == 1).all()


@dtypes
def test_odd_bit_for_bit(dtype: DType) -> None:
    x = np.concatenate([np.linspace(0, 7, 50_001), np.geomspace(SUBNORMAL[dtype], 1, 1_000), [1e30, np.inf]])
    x = x.astype(dtype)
    y, mirrored = erf(x), erf(-x)
    np.testing.assert_array_equal(mirrored, -y)
    np.testing.assert_array_equal(np.signbit(mirrored), np.signbit(-x))  # erf(−0) = −0 too


def test_monotone_in_float64() -> None:
    assert (np.diff(erf(np.linspace(-7, 7, 10_001))) >= 0).all()


def test_monotone_in_float32() -> None:
    coarse = np.linspace(-3, 3, 1_001, dtype=np.float32)
    assert (np.diff(erf(coarse)) > 0).all()
    # Where erf rises less than its rounding error from one point to the next it may fall by that error.
    fine = np.linspace(-5, 5, 500_001, dtype=np.float32)
    assert np.diff(erf(fine)).min() >= -5 * 2.0**-24


def test_complex_step_gives_the_derivative() -> None:
    h = 1e-30
    edges = np.array([-1.0, 1.0, np.nextafter(1, 0), np.nextafter(-1, 0), 0.0, 3.0])
    x = np.concatenate([np.linspace(-5.5, 5.5, 20_001), edges])
    y = erf(x + 1j * h)
    assert y.dtype == np.complex128
    # The exponent z = x² ≤ 30.25 has a rounding error of 2e-15 in the reference as well.
    np.testing.assert_allclose(y.imag / h, 2 / math.sqrt(math.pi) * np.exp(-x * x), rtol=2e-14, atol=0)
    np.testing.assert_allclose(y.real, erf(x), rtol=4e-16, atol=0)


def test_analytic_off_the_real_axis() -> None:
    """erf'' = −2x erf', from the second-order term of a step that is not tiny."""
    x, h = np.array([-2.5, -0.7, 0.3, 0.9, 1.1, 2.0]), 1e-4
    second = 2 * (erf(x + 0j).real - erf(x + 1j * h).real) / h**2
    np.testing.assert_allclose(second, -4 * x / math.sqrt(math.pi) * np.exp(-x * x), rtol=1e-5)


@pytest.mark.parametrize(
    ("given_dtype", "expected"),
    [
        (np.float16, np.float16),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.complex128, np.complex128),
        (np.int64, np.float64),
        (np.bool_, np.float64),
    ],
)
def test_dtype(given_dtype: DType, expected: DType) -> None:
    x = np.array([0, 1, 1], given_dtype)
    y = erf(x)
    assert y.dtype == expected
    rtol = 1e-3 if given_dtype is np.float16 else 3e-7  # float16 has 11 bits
    np.testing.assert_allclose(y.real.astype(np.float64), [0, math.erf(1), math.erf(1)], rtol=rtol)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex128])
def test_infinities_huge_values_and_nan_without_warnings(dtype: DType) -> None:
    largest = np.finfo(dtype).max
    y = erf(np.array([np.inf, -np.inf, largest, -largest, np.nan, 0.0], dtype))
    np.testing.assert_array_equal(y.real, [1, -1, 1, -1, np.nan, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_any_shape_and_memory_order_and_input_unmodified(dtype: DType) -> None:
    x = np.random.default_rng(0).normal(0, 2, (40, 30, 20)).astype(dtype)
    kept = x.copy()
    x.flags.writeable = False
    y = erf(x)
    assert y.shape == x.shape
    assert y.flags.writeable
    views: list[Callable[[Array], Any]] = [
        lambda a: a[::2, ::-3, 1:7],
        lambda a: a.transpose(2, 0, 1),
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[0], (3, 30, 20)),
        lambda a: a[:0],
        lambda a: a[3, 4, 5],
    ]
    for view in views:
        result = erf(view(x))
        assert result.shape == view(x).shape
        np.testing.assert_array_equal(result, view(y))
    np.testing.assert_array_equal(x, kept)


@dtypes
@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
def test_blocks_do_not_show(dtype: DType, size: int) -> None:
    x = np.linspace(-4, 4, size).astype(dtype)
    np.testing.assert_array_equal(erf(x), np.concatenate([erf(part) for part in np.array_split(x, 5)]))
