"""Weights without a model, for what looks at weights and gradients alone."""

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.training.blocks import BLOCK


def some_weights() -> Arena:
    """Of every kind, and of sizes that no block divides."""
    shapes = {"matrix": (300, 301), "table": (77, 50), "gain": (99,), "bias": (BLOCK + 7,)}
    weights = Arena({kind: Weight(shape, kind) for kind, shape in shapes.items()}, np.float64)
    weights.flat[:] = np.random.default_rng(0).normal(size=weights.flat.size)
    return weights
