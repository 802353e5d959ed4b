"""Lion: an optimizer that only asks for the sign."""

import numpy as np


def lion_step(w, m, g, rate, beta1=0.9, beta2=0.99, decay=0.1):
    """w ← w − η λ w − η sign(β₁ m + (1 − β₁) g),   then   m ← β₂ m + (1 − β₂) g          all of one shape → w, m"""
    # gap: the sign of one mixture moves the weights, another mixture is remembered; both are made with the old m
    direction = np.sign(beta1 * m + (1 - beta1) * g)
    w = w - rate * decay * w - rate * direction
    m = beta2 * m + (1 - beta2) * g
    return w, m
    # end of gap


def descend(gradient, w, rate, steps, decay=0.0):
    """So many steps of Lion from w, with m = 0 at first; gradient(w) is the slope there          → w"""
    # gap: every step needs the w and the m that the one before has left
    m = np.zeros_like(w)
    for _ in range(steps):
        w, m = lion_step(w, m, gradient(w), rate, decay=decay)
    return w
    # end of gap
