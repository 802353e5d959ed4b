"""ReLU and GELU: what makes two layers more than one."""

from math import sqrt

import numpy as np

from mini_bert.core.functions.erf import erf


def relu(x):
    """y = max(x, 0), elementwise          (...) → (...)"""
    # gap: keep what is positive, and put 0 for the rest
    return np.maximum(x, 0)
    # end of gap


def gelu(x):
    """y = x Φ(x)  with  Φ(x) = (1 + erf(x/√2)) / 2          (...) → (...)"""
    # gap: x times the share of the normal distribution that lies below x; erf is given, and sqrt of one number
    Phi = (1 + erf(x / sqrt(2))) / 2
    return x * Phi
    # end of gap
