"""Dropout (Srivastava et al. 2014) with noise that depends on its place, not on who asks or in what order.

Derived in docs/mathematical_background/dropout.md.
"""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.array import Array


def dropout(x: Array, mask: Array) -> Array:
    """y = m x  with  m = 0 with probability r, else 1/(1 − r), so that the mean of y is x"""
    return x * mask


def dropout_backward(dy: Array, mask: Array) -> Array:
    """dx = m dy"""
    return dy * mask


@dataclass(frozen=True)
class Noise:
    """Random numbers for one training step, keyed by place, step and the row's number in the global batch.

    A layer that is recomputed, a batch cut into micro-batches and a batch dealt out to several workers all draw
    the same noise as the plain pass. `first_row` is the global number of the batch's first row.
    """

    seed: int = 0
    step: int = 0
    first_row: int = 0

    def dropout_mask(self, place: str, shape: tuple[int, ...], rate: float, dtype: DTypeLike) -> Array:
        """m for an activation at `place`, whose first axis counts the rows of the batch."""
        uniform = np.empty(shape, np.float32)
        for i in range(shape[0]):
            row = self.first_row + i
            counter_based = np.random.Philox(
                key=(self.seed, crc32(place.encode())), counter=(0, 0, row, self.step)
            )
            np.random.Generator(counter_based).random(out=uniform[i], dtype=np.float32)
        mask: Array = (uniform >= rate).astype(dtype)
        mask *= 1 / (1 - rate)
        return mask
