"""L-BFGS: minimize a smooth function of many numbers, from its values and gradients alone (Liu & Nocedal 1989).

    found = minimize(lambda x: ((x @ x) / 2, x), np.ones(1000))
    found.x, found.value, found.converged

Newton's step −H⁻¹∇f needs a matrix; here the last few steps and changes of the gradient stand for it. Made for smooth
functions whose whole gradient is cheap, such as logistic regression: networks are trained by mini-batches instead.
Names and numbers of algorithms are those of Nocedal & Wright, Numerical Optimization, 2nd edition.

Derived in docs/mathematical_background/lbfgs.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.line_search import Function, line_search

MEMORY = 10


class Pair(NamedTuple):
    """s = x_{k+1} − x_k,   y = ∇f_{k+1} − ∇f_k,   ρ = 1 / sᵀy"""

    s: Array
    y: Array
    rho: float


class Minimum(NamedTuple):
    """`converged` says whether it was good enough, or f cannot fall further in its precision."""

    x: Array
    value: float
    gradient: Array
    steps: int
    evaluations: int
    converged: bool


def minimize(
    f: Callable[[Array], tuple[float, Array]],
    x: Array,
    *,
    is_good: Callable[[float, Array], bool] = lambda value, gradient: bool(
        abs(gradient).max(initial=0) <= 1e-8
    ),
    most_steps: int = 1000,
    memory: int = MEMORY,
) -> Minimum:
    """From x (n,) downhill until value and gradient are good enough; by default, max |∇f| ≤ 1e-8.

    f(x) gives its value and its gradient (n,), a new array.
    """
    counted = Function(f)
    here = counted.at(np.asarray(x, np.float64))
    if not np.isfinite(here.value):
        raise ValueError("the function is not finite where the search begins; start elsewhere")
    past: deque[Pair] = deque(maxlen=memory)
    steps = stalled = 0
    while not is_good(here.value, here.gradient) and steps < most_steps and stalled < 2:
        direction = -inverse_hessian_times(here.gradient, past)
        if here.gradient @ direction >= 0:  # rounding has spoilt the pairs
            past.clear()
            direction = -here.gradient
        first_step = 1.0 if past else min(1.0, 1 / float(abs(direction).sum()))
        there = line_search(counted, here, direction, first_step)
        if there is None:
            if not past:
                break
            past.clear()
            stalled += 1
            continue
        remember(past, there.x - here.x, there.gradient - here.gradient)
        stalled = stalled + 1 if here.value - there.value <= np.spacing(abs(here.value)) else 0
        here, steps = there, steps + 1
    converged = steps < most_steps or is_good(here.value, here.gradient)
    return Minimum(here.x, here.value, here.gradient, steps, counted.evaluations, converged)


def inverse_hessian_times(gradient: Array, past: Iterable[Pair]) -> Array:
    """H⁻¹∇f by the two loops of algorithm 7.4: back through the pairs, scale by γ = sᵀy / yᵀy, and forth again"""
    pairs = list(past)
    q = gradient.copy()
    alphas = []
    for s, y, rho in reversed(pairs):
        alpha = rho * (s @ q)
        q -= alpha * y
        alphas.append(alpha)
    if pairs:
        s, y, _ = pairs[-1]
        q *= (s @ y) / (y @ y)
    for (s, y, rho), alpha in zip(pairs, reversed(alphas), strict=True):
        q += s * (alpha - rho * (y @ q))
    return q


def remember(past: deque[Pair], s: Array, y: Array) -> None:
    """Only a pair with sᵀy > 0 keeps H positive, and with it every direction downhill."""
    curvature = float(s @ y)
    if curvature > np.finfo(np.float64).eps * float(y @ y):
        past.append(Pair(s, y, 1 / curvature))
