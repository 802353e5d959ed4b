"""How far apart vectors are, and how far that is from what it should be.

Derived in docs/mathematical_background/probes.md.
"""

import numpy as np

from mini_bert.core.array import Array


def squared_distances(z: Array) -> Array:
    """d_ij = ‖z_i − z_j‖² = z_i·z_i + z_j·z_j − 2 z_i·z_j          z (..., T, R) → d (..., T, T)

    One product of matrices instead of a difference for each pair.
    """
    products: Array = z @ z.swapaxes(-1, -2)
    sizes = np.diagonal(products, axis1=-2, axis2=-1)
    d: Array = sizes[..., :, None] + sizes[..., None, :]
    d -= 2 * products
    return d


def squared_distances_backward(dd: Array, z: Array) -> Array:
    """dz_i = 2 Σ_j (dd_ij + dd_ji)(z_i − z_j)"""
    both = dd + dd.swapaxes(-1, -2)
    dz: Array = both.sum(-1, keepdims=True) * z
    dz -= both @ z
    dz *= 2
    return dz


def absolute_error(x: Array, target: Array, weights: Array) -> tuple[Array, Array]:
    """loss = Σ w |x − target|          all of one shape

    Returns the loss, a scalar, and the sign of x − target.
    """
    difference = x - target
    sign: Array = np.sign(difference.real).astype(x.dtype)
    loss: Array = (weights.astype(x.dtype) * sign * difference).sum()
    return loss, sign


def absolute_error_backward(sign: Array, weights: Array) -> Array:
    """dx = w sign(x − target), and 0 where they are equal"""
    dx: Array = weights.astype(sign.dtype) * sign
    return dx
