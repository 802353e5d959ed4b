"""ReLU and GELU, backward: the slope of a curve, place by place."""

from math import pi, sqrt

import numpy as np


def relu_backward(dy, y):
    """dx = dy where y > 0, else 0          y = max(x, 0), as the forward pass left it; (...), (...) → (...)"""
    # gap: the slope is 1 where something came through, and 0 where nothing did
    return dy * (y > 0)
    # end of gap


def gelu_backward(dy, x, cdf):
    """dx = dy [Φ(x) + x φ(x)]  with  φ(x) = exp(−x²/2) / √(2π)          cdf = Φ(x), kept from the forward pass"""
    # gap: the product rule on x Φ(x); the slope of Φ is φ
    density = np.exp(-x * x / 2) / sqrt(2 * pi)
    return dy * (cdf + x * density)
    # end of gap
