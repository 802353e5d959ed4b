"""What float16 makes of weights.

A float16 has 11 significant bits: |w − w₁₆| ≤ 2⁻¹¹ |w| where 2⁻¹⁴ ≤ |w| ≤ 65504; below that, at most 2⁻²⁵ is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.models.mini import MiniBERT

SMALLEST_NORMAL = 2.0**-14


@dataclass(frozen=True)
class Rounding:
    """The largest |w − w₁₆| / |w| of all weights that float16 has in full, and how many are too small for that."""

    largest_relative_error: float
    below_normal: int
    weights: int


def rounding_of(model: MiniBERT) -> Rounding:
    """What float16 makes of the weights; a weight that it cannot hold is refused, by name."""
    largest, small = 0.0, 0
    for name, weight in model.arena.items():
        with np.errstate(over="ignore"):
            stored = weight.astype(np.float16).astype(weight.dtype)
        if not np.isfinite(stored).all():
            raise ValueError(
                f"{name} holds {np.abs(weight).max():g}, and float16 ends at 65504; train with more weight decay"
            )
        size = np.abs(weight)
        normal = size >= SMALLEST_NORMAL
        small += int(np.count_nonzero(~normal & (size > 0)))
        if normal.any():
            largest = max(largest, float((np.abs(stored - weight)[normal] / size[normal]).max()))
    return Rounding(largest, small, model.num_parameters)
