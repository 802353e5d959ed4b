"""How weights begin. Gains start as ones and biases as zeros; these say how matrices and tables start.

Derived in docs/mathematical_background/initialization.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.layer import Weight


class Initializer(ABC):
    """`spread` gives the standard deviation of each weight; `draw` the standardized random numbers."""

    @abstractmethod
    def spread(self, name: str, weight: Weight) -> float: ...

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return rng.standard_normal(shape)

    def fill(self, params: Arena, seed: int) -> None:
        """Give every weight its first value. Each name has its own stream: adding a part disturbs no other."""
        for name, weight in params.weights.items():
            if weight.decays:
                rng = np.random.default_rng([seed, *name.encode()])
                params[name][...] = self.spread(name, weight) * self.draw(weight.shape, rng)
            else:
                params[name][...] = weight.kind == "gain"


@dataclass(frozen=True)
class Normal(Initializer):
    """w ~ N(0, std²)"""

    std: float = 0.02

    def spread(self, name: str, weight: Weight) -> float:
        return self.std


@dataclass(frozen=True)
class TruncatedNormal(Normal):
    """w ~ N(0, std²) drawn again where it falls outside ±2 std, as in Google's BERT"""

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        z = rng.standard_normal(shape)
        while (outside := abs(z) > 2).any():
            z[outside] = rng.standard_normal(int(outside.sum()))
        return z


@dataclass(frozen=True)
class Xavier(Normal):
    """w ~ N(0, 2/(fan_in + fan_out)): the variance is kept forwards and backwards alike (Glorot & Bengio 2010)

    Tables are looked up, not multiplied: they have no fan and start as N(0, std²).
    """

    def spread(self, name: str, weight: Weight) -> float:
        return self.std if weight.kind == "table" else sqrt(2 / sum(weight.shape))


@dataclass(frozen=True)
class He(Normal):
    """w ~ N(0, 2/fan_in): the variance is kept although ReLU stops half of it (He et al. 2015); tables as above"""

    def spread(self, name: str, weight: Weight) -> float:
        return self.std if weight.kind == "table" else sqrt(2 / weight.shape[-1])


@dataclass(frozen=True)
class DepthScaled(Normal):
    """N(0, std²), but std/√(2L) for the maps that write to the residual stream, whose 2L writes add up (GPT-2)"""

    depth: int = 1
    writers: tuple[str, ...] = ("*.attn.output.weight", "*.ffn.down.weight")

    def spread(self, name: str, weight: Weight) -> float:
        writes = any(fnmatchcase(name, pattern) for pattern in self.writers)
        return self.std / sqrt(2 * self.depth) if writes else self.std
