"""How sharply does the loss curve? Products with the Hessian, and its largest eigenvalue, from gradients alone."""

import numpy as np


def hessian_vector(gradient, w, v, eps=1e-5):
    """H v ≈ ‖v‖ (g(w + ε u) − g(w − ε u)) / 2ε  with  u = v / ‖v‖          w and v (P,) → (P,)"""
    # gap: a step of length ε in the direction of v, forwards and backwards; a v of zeros has no direction
    length = np.linalg.norm(v)
    if length == 0:
        return np.zeros_like(v)
    step = eps * v / length
    return (gradient(w + step) - gradient(w - step)) * (length / (2 * eps))
    # end of gap


def power_iteration(product, start, steps):
    """v ← H v / ‖H v‖, so many times;  λ = v · H v          start (P,) → λ, v (P,)"""
    # gap: product(v) is H v; begin with a unit vector, and stop if H v is 0
    v = start / np.linalg.norm(start)
    for _ in range(steps):
        image = product(v)
        length = np.linalg.norm(image)
        if length == 0:
            break
        v = image / length
    return v @ product(v), v
    # end of gap


def sharpness(product, start, steps):
    """The largest eigenvalue of H, also where one below 0 is farther from 0          → a number"""
    # gap: if the farthest eigenvalue μ is below 0, take H − μ I: its eigenvalues are 0 or more, the largest farthest
    farthest, _ = power_iteration(product, start, steps)
    if farthest >= 0:
        return farthest
    above, _ = power_iteration(lambda v: product(v) - farthest * v, start, steps)
    return above + farthest
    # end of gap
