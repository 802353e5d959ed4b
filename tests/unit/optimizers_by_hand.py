"""The equations of the optimizers as the papers write them, for one weight: w, its gradients, η, λ → w afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training.optimizers import LAMB, SGD, AdamW, Lion, Muon, Optimizer, SophiaG

LABELS = 11
SETTINGS: dict[type[Optimizer], dict[str, Any]] = {
    AdamW: {"betas": (0.8, 0.95), "eps": 1e-6},
    LAMB: {"betas": (0.8, 0.95), "eps": 1e-6},
    Lion: {"betas": (0.8, 0.95)},
    Muon: {"betas": (0.8, 0.95), "eps": 1e-6, "momentum": 0.7},
    SGD: {"momentum": 0.7},
    SophiaG: {"betas": (0.8, 0.95), "gamma": 0.1, "eps": 1e-3, "hessian_every": 3},
}


def adam_direction(gradients: list[Array], t: int) -> Array:
    """m̂ / (√v̂ + ε) after t gradients, each moment as the weighted mean that it is."""
    beta1, beta2 = 0.8, 0.95
    m = sum((1 - beta1) * beta1 ** (t - 1 - i) * gradients[i] for i in range(t)) / (1 - beta1**t)
    v = sum((1 - beta2) * beta2 ** (t - 1 - i) * gradients[i] ** 2 for i in range(t)) / (1 - beta2**t)
    return m / (np.sqrt(v) + 1e-6)


def adamw_by_hand(
    w: Array, gradients: list[Array], curvatures: list[Array], eta: float, decay: float
) -> Array:
    for t in range(1, len(gradients) + 1):
        w = w - eta * (adam_direction(gradients, t) + decay * w)
    return w


def lamb_by_hand(
    w: Array, gradients: list[Array], curvatures: list[Array], eta: float, decay: float
) -> Array:
    for t in range(1, len(gradients) + 1):
        u = adam_direction(gradients, t) + decay * w
        ratio = np.linalg.norm(w) / np.linalg.norm(u) if w.ndim > 1 else 1
        w = w - eta * ratio * u
    return w


def lion_by_hand(
    w: Array, gradients: list[Array], curvatures: list[Array], eta: float, decay: float
) -> Array:
    m = np.zeros_like(w)
    for g in gradients:
        w = w - eta * (np.sign(0.8 * m + 0.2 * g) + decay * w)
        m = 0.95 * m + 0.05 * g
    return w


def muon_by_hand(
    w: Array, gradients: list[Array], curvatures: list[Array], eta: float, decay: float
) -> Array:
    velocity = np.zeros_like(w)
    for g in gradients:
        velocity = 0.7 * velocity + g
        U, sigma, Vt = np.linalg.svd(g + 0.7 * velocity, full_matrices=False)
        sigma = sigma / np.linalg.norm(sigma)
        for _ in range(5):
            sigma = 3.4445 * sigma - 4.775 * sigma**3 + 2.0315 * sigma**5
        w = w - eta * decay * w - eta * 0.2 * np.sqrt(max(w.shape)) * (U * sigma) @ Vt
    return w


def sgd_by_hand(w: Array, gradients: list[Array], curvatures: list[Array], eta: float, decay: float) -> Array:
    velocity = np.zeros_like(w)
    for g in gradients:
        velocity = 0.7 * velocity + g + decay * w
        w = w - eta * velocity
    return w


def sophia_by_hand(
    w: Array, gradients: list[Array], curvatures: list[Array], eta: float, decay: float
) -> Array:
    m, h = np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(gradients):
        if t % 3 == 0:
            h = 0.95 * h + 0.05 * LABELS * curvatures[t] ** 2
        m = 0.8 * m + 0.2 * g
        w = w - eta * decay * w - eta * np.clip(m / np.maximum(0.1 * h, 1e-3), -1, 1)
    return w


BY_HAND: dict[type[Optimizer], Callable[..., Array]] = {
    AdamW: adamw_by_hand,
    LAMB: lamb_by_hand,
    Lion: lion_by_hand,
    Muon: muon_by_hand,
    SGD: sgd_by_hand,
    SophiaG: sophia_by_hand,
}
