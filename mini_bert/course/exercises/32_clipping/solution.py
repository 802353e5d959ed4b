"""Clipping: a gradient that is too long is shortened, and keeps its direction."""

from math import sqrt


def global_norm(grads):
    """‖g‖ = √ Σ g², over all numbers of all gradients together          grads: name → array (...); one plain number"""
    # gap: square every number of every gradient, add all of them up, and take one root at the end
    return sqrt(sum(float((g**2).sum()) for g in grads.values()))
    # end of gap


def clip(grads, max_norm):
    """g ← g · min(1, c / ‖g‖)          returns the gradients in new arrays, name → array, and ‖g‖ as it was before"""
    norm = global_norm(grads)
    # gap: if the norm is above max_norm, every gradient is multiplied by the same number; if not, by 1
    scale = max_norm / norm if norm > max_norm else 1.0
    return {name: scale * g for name, g in grads.items()}, norm
    # end of gap
