"""Elementwise non-linearities. Each backward asks for exactly what its derivative is made of.

Derived in docs/mathematical_background/activations.md.
"""

from math import pi, sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.erf import erf


def relu(x: Array) -> Array:
    """y = max(x, 0)"""
    # a row of zeros, for with a scalar NumPy takes twice as long
    y: Array = np.maximum(x, np.zeros(x.shape[-1], x.dtype))
    return y


def relu_backward(dy: Array, y: Array) -> Array:
    """dx = dy where y > 0, else 0"""
    return dy * (y > 0)


def gelu(x: Array) -> tuple[Array, Array]:
    """y = x Φ(x)  with  Φ(x) = (1 + erf(x/√2)) / 2, the normal distribution (Hendrycks & Gimpel 2016)"""
    cdf = erf(x / sqrt(2))
    cdf += 1
    cdf *= 0.5
    return x * cdf, cdf


def gelu_backward(dy: Array, x: Array, cdf: Array) -> Array:
    """dx = dy [Φ(x) + x φ(x)]  with  φ(x) = exp(−x²/2) / √(2π)"""
    slope = x * x
    slope *= -0.5
    np.exp(slope, out=slope)
    slope *= 1 / sqrt(2 * pi)
    slope *= x
    slope += cdf
    slope *= dy
    return slope


def gelu_tanh(x: Array) -> tuple[Array, Array]:
    """y = x/2 (1 + tanh u)  with  u = √(2/π) (x + 0.044715 x³), GELU without an error function"""
    u = x * x
    u *= 0.044715
    u += 1
    u *= x
    u *= sqrt(2 / pi)
    tanh_u = np.tanh(u, out=u)
    y = 1 + tanh_u
    y *= x
    y *= 0.5
    return y, tanh_u


def gelu_tanh_backward(dy: Array, x: Array, tanh_u: Array) -> Array:
    """dx = dy/2 [1 + tanh u + x (1 − tanh² u) u′]  with  u′ = √(2/π) (1 + 3·0.044715 x²)"""
    slope = x * x
    slope *= 3 * 0.044715
    slope += 1
    slope *= sqrt(2 / pi)
    slope *= 1 - tanh_u * tanh_u
    slope *= x
    slope += tanh_u
    slope += 1
    slope *= 0.5
    slope *= dy
    return slope


def sigmoid(x: Array) -> Array:
    """y = 1 / (1 + e⁻ˣ) = eˣ / (1 + eˣ), whichever cannot overflow"""
    negative = x.real < 0
    e = np.exp(np.where(negative, x, -x))
    y: Array = np.where(negative, e, 1) / (1 + e)
    return y


def sigmoid_backward(dy: Array, y: Array) -> Array:
    """dx = dy y (1 − y)"""
    slope: Array = 1 - y
    slope *= y
    slope *= dy
    return slope


def silu(x: Array) -> tuple[Array, Array]:
    """y = x σ(x)"""
    sigma = sigmoid(x)
    return x * sigma, sigma


def silu_backward(dy: Array, x: Array, sigma: Array) -> Array:
    """dx = dy σ [1 + x (1 − σ)]"""
    slope: Array = 1 - sigma
    slope *= x
    slope += 1
    slope *= sigma
    slope *= dy
    return slope


def tanh(x: Array) -> Array:
    """y = tanh x"""
    y: Array = np.tanh(x)
    return y


def tanh_backward(dy: Array, y: Array) -> Array:
    """dx = dy (1 − y²)"""
    slope: Array = 1 - y * y
    slope *= dy
    return slope
