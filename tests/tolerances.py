"""One place for how close is close enough."""

import numpy as np

from mini_bert.core.array import Array

RTOL = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 1e-4}


def assert_close(actual: Array, desired: Array, rtol: float | None = None) -> None:
    """Equal within the rtol of `actual`'s dtype, or a given one.

    An entry that is a small difference of larger ones carries their rounding: a hundred ulps of the largest.
    """
    actual, desired = np.asarray(actual), np.asarray(desired)
    rounding = 100 * np.finfo(actual.dtype).eps * abs(desired).max(initial=0)
    np.testing.assert_allclose(actual, desired, RTOL[actual.dtype] if rtol is None else rtol, rounding)


def assert_same_bits(actual: Array, desired: Array) -> None:
    """Equal to the last bit, in the same dtype and shape."""
    assert np.asarray(actual).dtype == np.asarray(desired).dtype
    np.testing.assert_array_equal(actual, desired, strict=True)
