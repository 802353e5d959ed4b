"""What mistake could have made this answer? Those a check knows of, then those that are made everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mini_bert.core.array import Array

Mistakes = Mapping[str, Any]
"""How to tell the mistake → the answer it leads to, or a function without arguments that gives it"""

RTOL = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 1e-4, np.dtype(np.float16): 1e-2}
ROUNDING = 100


def alike(got: Array, want: Array, rtol: float | None = None) -> bool:
    """Same shape, and close as their dtype allows; the rounding of the largest number is forgiven to all."""
    return got.shape == want.shape and bool(np.all(near(got, want, rtol)))


def near(got: Array, want: Array, rtol: float | None = None) -> Array:
    """Entry by entry, of two arrays of one shape."""
    if not (is_number(got) and is_number(want)):
        return np.asarray(got == want)
    coarser = max((got.dtype, want.dtype), key=lambda dtype: RTOL.get(dtype, 0.0))
    rtol = RTOL.get(coarser, 1e-7) if rtol is None else rtol
    finite = np.abs(want[np.isfinite(want)]).max(initial=0)
    eps = np.finfo(coarser if coarser in RTOL else np.float64).eps
    atol = max(ROUNDING * float(eps), rtol / 10) * float(finite)
    close: Array = np.isclose(got, want, rtol, atol, equal_nan=True)
    return close


def is_number(x: Array) -> bool:
    return x.dtype.kind in "fiuc"


def likely(got: Array, want: Array, mistakes: Mistakes, rtol: float | None = None) -> str | None:
    """The first mistake that gives just this answer."""
    for told, wrong in mistakes.items():
        with np.errstate(all="ignore"):
            value = np.asarray(wrong() if callable(wrong) else wrong)
        assert not alike(value, want, rtol), f"“{told}” gives the right answer on this input; choose another"
        if alike(got, value, rtol):
            return told
    if got.shape != want.shape:
        return of_shape(got.shape, want.shape)
    if got.size and is_number(got) and is_number(want):
        return next(filter(None, (guess(got, want, rtol) for guess in EVERYWHERE)), None)
    return None


def of_shape(got: tuple[int, ...], want: tuple[int, ...]) -> str | None:
    """
    >>> of_shape((3, 1), (3,))
    'an axis of length 1 is too many: keepdims=True, [:, None] or a reshape kept it'
    """
    if [n for n in got if n != 1] == [n for n in want if n != 1] and len(got) != len(want):
        if len(got) > len(want):
            return "an axis of length 1 is too many: keepdims=True, [:, None] or a reshape kept it"
        return "an axis of length 1 was lost: keepdims=True keeps it"
    if sorted(got) == sorted(want):
        return "the axes are in another order: a transpose is missing, or one too many"
    if len(got) < len(want):
        return "an axis was lost: a sum, a mean or an index took it away"
    return "an axis is too many: a sum or an index is missing" if len(got) > len(want) else None


def nothing(got: Array, want: Array, rtol: float | None) -> str | None:
    return "every number is 0: is the result written, but never filled?" if not got.any() else None


def flipped(got: Array, want: Array, rtol: float | None) -> str | None:
    return "the sign is the other way round" if alike(got, -want, rtol) else None


def transposed(got: Array, want: Array, rtol: float | None) -> str | None:
    if got.ndim < 2 or got.shape[-1] != got.shape[-2]:
        return None
    swapped = alike(got, want.swapaxes(-1, -2), rtol)
    return "rows and columns are swapped: transpose the last two axes" if swapped else None


def scaled(got: Array, want: Array, rtol: float | None) -> str | None:
    """One factor for at least three numbers that are not 0 is no accident."""
    alive = np.abs(want) > 1e-3 * np.abs(want).max(initial=0)
    if alive.sum() < 3 or not np.isfinite(got).all():
        return None
    factor = np.median(got[alive] / want[alive])
    if not np.isfinite(factor) or factor == 0 or not alike(got, factor * want, rtol):
        return None
    return f"every number is {factor:.4g} times the expected one: a factor is missing or too many"


def shifted(got: Array, want: Array, rtol: float | None) -> str | None:
    if got.size < 3 or not np.isfinite(got).all():
        return None
    shift = np.median(got - want)
    if not alike(got - shift, want, rtol):
        return None
    return f"every number is {abs(shift):.4g} too {'large' if shift > 0 else 'small'}"


EVERYWHERE: tuple[Callable[[Array, Array, float | None], str | None], ...] = (
    nothing,
    flipped,
    transposed,
    scaled,
    shifted,
)
