"""Gradient descent, and momentum: weights that keep rolling the way they came."""

import numpy as np


def sgd(w, g, learning_rate):
    """w ← w − η g          w and g of one shape (...) → the new w (...)"""
    # gap: go against the gradient, η times its length; the result is a new array
    return w - learning_rate * g
    # end of gap


def momentum(w, g, velocity, learning_rate, mu=0.9):
    """velocity ← μ velocity + g,   w ← w − η velocity          all (...) → the new w, the new velocity"""
    # gap: first the velocity takes in the gradient, then the weights follow the new velocity; return both
    velocity = mu * velocity + g
    return w - learning_rate * velocity, velocity
    # end of gap


def walk(learning_rate, mu, steps=100):
    """The height of the valley ½ (x² + 50 y²) after each step from (10, 1): to play with, once momentum is written."""
    steepness = np.array([1.0, 50.0])
    w, velocity = np.array([10.0, 1.0]), np.zeros(2)
    heights = []
    for _ in range(steps):
        w, velocity = momentum(w, steepness * w, velocity, learning_rate, mu)
        heights.append(float(steepness @ w**2) / 2)
    return heights
