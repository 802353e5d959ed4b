"""Is this gradient right? Two ways to differentiate a loss without any calculus of our own.

Derived in docs/mathematical_background/gradient_checking.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, isnan
from typing import Literal

import numpy as np

from mini_bert.core.array import Array

Loss = Callable[[Mapping[str, Array]], Array]
Method = Literal["complex", "five-point"]
Index = tuple[int, ...]

FLOOR = 1e-6
TOLERANCE: dict[Method, float] = {"complex": 1e-9, "five-point": 1e-6}


def complex_step(loss: Loss, params: Mapping[str, Array], name: str, index: Index, h: float = 1e-30) -> float:
    """∂loss/∂w = Im loss(w + ih) / h, exact to rounding: no difference is taken, so nothing cancels.

    `params` are complex. Taylor: loss(w + ih) = loss(w) + ih loss′(w) − h² loss″(w)/2 ..., whose imaginary
    part over h is loss′(w) up to h² = 10⁻⁶⁰ (Squire & Trapp 1998).
    """
    weight = params[name]
    before = weight[index]
    weight[index] = before + 1j * h
    slope = float(loss(params).imag / h)
    weight[index] = before
    return slope


def five_point(loss: Loss, params: Mapping[str, Array], name: str, index: Index, h: float = 1e-3) -> float:
    """∂loss/∂w ≈ [f(−2h) − 8 f(−h) + 8 f(h) − f(2h)] / 12h, wrong by O(h⁴) and by rounding over h"""
    weight = params[name]
    before = weight[index]
    slope = 0.0
    for steps, share in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
        weight[index] = before + steps * h
        slope += share * float(loss(params))
    weight[index] = before
    return slope / (12 * h)


def relative_error(a: float, b: float, floor: float = FLOOR) -> float:
    """|a − b| / max(|a| + |b|, floor): the floor keeps two zeros that differ by rounding from looking unlike"""
    error = abs(a - b) / max(abs(a) + abs(b), floor)
    return inf if isnan(error) else error  # a NaN compares as smaller than no error: it must never pass


@dataclass(frozen=True)
class ParameterCheck:
    """The entry of one parameter where the two gradients differ most."""

    name: str
    shape: tuple[int, ...]
    checked: int
    worst: float
    index: Index
    analytic: float
    numeric: float
    all_zero: bool


def check_gradients(
    loss: Loss,
    params: Mapping[str, Array],
    grads: Mapping[str, Array],
    method: Method = "complex",
    samples: int | None = None,
    seed: int = 0,
    on_entry: Callable[[str], None] | None = None,
) -> Iterator[ParameterCheck]:
    """Compare `grads` with numeric derivatives of `loss`, parameter by parameter; `samples` bounds each one's entries.

    A function with kinks (ReLU) has none where a finite difference steps over one: there the five-point rule is
    tried again with smaller steps, which never rescues a wrong gradient. Complex steps need no such care.
    """
    dtype = complex if method == "complex" else float
    moved = {name: weight.astype(dtype) for name, weight in params.items()}
    rng = np.random.default_rng(seed)
    for name, grad in grads.items():
        worst: tuple[float, Index, float, float] = (-1.0, (), 0.0, 0.0)
        indices = chosen_entries(grad, samples, rng)
        for index in indices:
            analytic = float(grad[index])
            if method == "complex":
                numeric = complex_step(loss, moved, name, index)
            else:
                numeric = steady_five_point(loss, moved, name, index, analytic)
            worst = max(worst, (relative_error(analytic, numeric), index, analytic, numeric))
            if on_entry is not None:
                on_entry(name)
        yield ParameterCheck(name, grad.shape, len(indices), *worst, all_zero=not grad.any())


def steady_five_point(
    loss: Loss, params: Mapping[str, Array], name: str, index: Index, expected: float
) -> float:
    """The five-point slope at the largest step that agrees with `expected`, or the closest one if none does."""
    slopes = []
    for h in (1e-2, 1e-3, 1e-4, 1e-5):
        slopes.append(five_point(loss, params, name, index, h))
        if relative_error(expected, slopes[-1]) <= TOLERANCE["five-point"]:
            break
    return min(slopes, key=lambda slope: relative_error(expected, slope))


def chosen_entries(grad: Array, samples: int | None, rng: np.random.Generator) -> list[Index]:
    """Every entry, or `samples` of them: half where the gradient is not zero, half anywhere."""
    if samples is None or samples >= grad.size:
        flat = np.arange(grad.size)
    else:
        alive = np.flatnonzero(grad)
        some_alive = rng.permutation(alive)[: samples // 2]
        others = np.setdiff1d(np.arange(grad.size), some_alive)
        flat = np.concatenate([some_alive, rng.permutation(others)[: samples - len(some_alive)]])
    return [tuple(int(i) for i in np.unravel_index(entry, grad.shape)) for entry in flat]
