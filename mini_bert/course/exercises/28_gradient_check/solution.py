"""Gradient checking: a slope that is measured does not believe in formulas."""

from math import sqrt

import numpy as np

from mini_bert.core.functions.activations import gelu, gelu_backward
from mini_bert.core.functions.norm import layer_norm, layer_norm_backward
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward, softmax, softmax_backward


def central_difference(f, x, h=1e-5):
    """∂f/∂x_i ≈ [f(x + h e_i) − f(x − h e_i)] / 2h, for each entry          f: array → number; x (...) → (...)"""
    # gap: a float64 copy of x; move one entry up, then down, then put it back, and go on to the next
    x = x.astype(np.float64)
    slopes = np.empty(x.shape)
    for index in np.ndindex(x.shape):
        before = x[index]
        x[index] = before + h
        above = f(x)
        x[index] = before - h
        below = f(x)
        x[index] = before
        slopes[index] = (above - below) / (2 * h)
    return slopes
    # end of gap


def complex_step(f, x, h=1e-30):
    """∂f/∂x_i = Im f(x + ih e_i) / h, for each entry          f: array → number; x (...) → (...)"""
    # gap: a complex copy of x; move one entry along the imaginary axis, look at the imaginary part, put it back
    x = x.astype(np.complex128)
    slopes = np.empty(x.shape)
    for index in np.ndindex(x.shape):
        before = x[index]
        x[index] = before + 1j * h
        slopes[index] = f(x).imag / h
        x[index] = before
    return slopes
    # end of gap


def relative_error(a, b, floor=1e-6):
    """The largest of |a − b| / max(|a| + |b|, floor), over all entries          (...), (...) → a number"""
    # gap: entry by entry, then the largest one; the floor keeps two zeros from being divided by zero
    return np.max(np.abs(a - b) / np.maximum(np.abs(a) + np.abs(b), floor))
    # end of gap


def wrong_gradients(candidates, x, tolerance=1e-6):
    """The names of those (f, gradient) whose gradient(x) is not the slope of f at x          → a list, in order"""
    # gap: measure each f, compare, and keep the names that fail; an error that is no number (NaN) fails, too
    found = []
    for name, (f, gradient) in candidates.items():
        error = relative_error(gradient(x), complex_step(f, x))
        if not error <= tolerance:
            found.append(name)
    return found
    # end of gap


C = np.array(
    [[1.0, -2.0, 0.5, 3.0], [0.0, 1.5, -1.0, 2.0], [-0.5, 1.0, 2.5, -1.0]]
)  # how much each output counts
LABELS, WEIGHTS = np.array([2, 0, 3]), np.array([0.5, 0.0, 0.5])


def through_attention(x):
    """Every row of x asks all rows, and x is query, key and value in one: softmax(x xᵀ / √D) x"""
    p = softmax(x @ x.T / sqrt(x.shape[1]))
    return p @ x, p


def attention_gradient(x):
    """As value x gets pᵀ C, and the score x_i · x_j is a product of x with itself, which gives it a factor 2"""
    p = through_attention(x)[1]
    ds = softmax_backward(C @ x.T, p) / sqrt(x.shape[1])
    return p.T @ C + 2 * ds @ x


def norm_gradient(x):
    """With a gain of 2"""
    _, x_hat, inv_sigma = layer_norm(x, np.full(4, 2.0), np.zeros(4))
    return layer_norm_backward(C, x_hat, inv_sigma, np.full(4, 2.0))[0]


CANDIDATES = {
    "softmax": (lambda x: np.sum(C * softmax(x)), lambda x: softmax_backward(C, softmax(x))),
    "gelu": (lambda x: np.sum(C * gelu(x)[0]), lambda x: gelu_backward(C, x, gelu(x)[1])),
    "norm": (lambda x: np.sum(C * layer_norm(x, np.full(4, 2.0), np.zeros(4))[0]), norm_gradient),
    "attention": (lambda x: np.sum(C * through_attention(x)[0]), attention_gradient),
    "cross-entropy": (
        lambda x: cross_entropy(x, LABELS, WEIGHTS)[0],
        lambda x: cross_entropy_backward(softmax(x), LABELS, WEIGHTS),
    ),
}


if __name__ == "__main__":
    x = np.random.default_rng(0).normal(size=(3, 4))
    for name, (f, gradient) in CANDIDATES.items():
        print(f"{name:14} {relative_error(gradient(x), complex_step(f, x)):.1e}")
