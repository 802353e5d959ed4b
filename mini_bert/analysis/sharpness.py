"""How sharply the loss curves: the largest eigenvalue of its Hessian.

    H v ≈ (∇L(w + ε v) − ∇L(w − ε v)) / 2ε,   v ← H v / ‖H v‖ until it stays

The gradients are exact and computed in float64; the difference is wrong by a multiple of ε² and of rounding / ε. With
ε = 1e-5, u·Hv and v·Hu, which should be equal, agree to 1e-8 in models of 210 and of 233,216 weights; with 1e-4 to
7e-7. A ReLU that changes sides between the two points makes more of a difference. `error` is what is
known of a result: there is an eigenvalue within it (‖H v − λ v‖, by symmetry).

Gradient descent with a fixed rate η swings in this direction from η = 2/λ on (Cohen et al. 2021).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mini_bert.analysis.lessons import Given, as_lesson, gradient_at, twin_of
from mini_bert.core.array import Array
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent

EPSILON = 1e-5
Product = Callable[[Array], Array]


@dataclass(frozen=True)
class Sharpness:
    """λ, the unit vector it belongs to (P,), how many products it took, and how far an eigenvalue may be from λ."""

    eigenvalue: float
    vector: Array
    products: int
    error: float

    @property
    def stable_rate(self) -> float:
        """2/λ, beyond which plain gradient descent does not settle here; inf where nothing curves upwards"""
        return 2 / self.eigenvalue if self.eigenvalue > 0 else float("inf")


def sharpness(
    model: MiniBERT,
    given: Given,
    *,
    most_products: int = 60,
    tolerance: float = 1e-3,
    epsilon: float = EPSILON,
    seed: int = 0,
    report: Report = silent,
) -> Sharpness:
    """The largest eigenvalue by power iteration, until λ is known to `tolerance` of itself or products run out.

    The iteration finds the eigenvalue farthest from 0. If that is below 0, it begins again with H − λ I, in which the
    largest one is farthest.
    """
    if most_products < 2 or tolerance <= 0 or epsilon <= 0:
        raise ValueError(
            f"most_products={most_products}, tolerance={tolerance}, epsilon={epsilon}: choose 2 products or more, "
            "and the others above 0"
        )
    product = hessian_product(model, given, epsilon)
    start = np.random.default_rng(seed).standard_normal(model.num_parameters)
    return largest_eigenvalue(product, start, most_products, tolerance, report)


def largest_eigenvalue(
    product: Product, start: Array, most: int, tolerance: float, report: Report = silent
) -> Sharpness:
    """Of a symmetric matrix that is known by its products alone"""
    found = power_iteration(product, start, most, tolerance, report)
    if found.eigenvalue >= 0:
        return found
    lowest = found.eigenvalue
    again = power_iteration(lambda v: product(v) - lowest * v, start, most, tolerance, report)
    return Sharpness(again.eigenvalue + lowest, again.vector, found.products + again.products, again.error)


def hessian_product(model: MiniBERT, given: Given, epsilon: float = EPSILON) -> Product:
    """v (P,) ↦ H v (P,), in float64; the model stays as it is"""
    lesson, twin = as_lesson(model, given), twin_of(model, np.float64)
    start, gradient = twin.arena.flat.copy(), twin.arena.zeros_like()

    def gradient_from(shift: Array) -> Array:
        twin.arena.flat[:] = start + shift
        return gradient_at(twin, lesson, gradient)[1].flat.copy()

    def product(v: Array) -> Array:
        shift = epsilon / max(float(np.linalg.norm(v)), 1e-300) * v
        change: Array = (gradient_from(shift) - gradient_from(-shift)) / (2 * epsilon)
        return change * float(np.linalg.norm(v))

    return product


def power_iteration(
    product: Product, start: Array, most: int, tolerance: float, report: Report = silent
) -> Sharpness:
    """v ← H v / ‖H v‖; λ = v · H v, and ‖H v − λ v‖ tells how far it may be off"""
    v = start / np.linalg.norm(start)
    for count in range(1, most + 1):
        image = product(v)
        value = float(v @ image)
        error = float(np.linalg.norm(image - value * v))
        report(count / most, f"λ = {value:.4g} ± {error:.2g}")
        if error <= tolerance * abs(value) or count == most:
            break
        length = float(np.linalg.norm(image))
        if not length:
            break
        v = image / length
    return Sharpness(value, v, count, error)
