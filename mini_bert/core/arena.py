"""One contiguous buffer with named views: weights, gradients and optimizer moments each live in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.array import Array
from mini_bert.core.layer import Weight


class Arena(Mapping[str, Array]):
    """name → view into `flat`, in which the weights that decay come first: `flat[:decaying]` is all of them.

    An optimizer walks `flat` in cache-sized blocks, a reduction over workers is one call, and a checkpoint is
    the views themselves.
    """

    def __init__(
        self, weights: Mapping[str, Weight], dtype: DTypeLike = np.float32, flat: Array | None = None
    ) -> None:
        self.weights = dict(weights)
        sizes = {name: prod(weight.shape) for name, weight in weights.items()}
        self.flat: Array = np.zeros(sum(sizes.values()), dtype) if flat is None else flat
        self.decaying = sum(sizes[name] for name, weight in weights.items() if weight.decays)
        starts, start = {}, 0
        for name in sorted(weights, key=lambda name: not weights[name].decays):
            starts[name], start = start, start + sizes[name]
        self.views = {
            name: self.flat[starts[name] : starts[name] + sizes[name]].reshape(weight.shape)
            for name, weight in weights.items()
        }

    def zeros_like(self, dtype: DTypeLike | None = None) -> Arena:
        """An arena of the same layout, all zeros: for gradients and moments."""
        return Arena(self.weights, self.flat.dtype if dtype is None else dtype)

    def over(self, flat: Array) -> Arena:
        """An arena of the same layout whose numbers are those of `flat`, not copied."""
        return Arena(self.weights, flat=flat)

    def copy(self, dtype: DTypeLike | None = None) -> Arena:
        twin = self.zeros_like(dtype)
        twin.flat[:] = self.flat
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy made by `copy.deepcopy` has views of its own buffer, not arrays apart from it."""
        return rebuilt, (self.weights, self.flat)

    def __getitem__(self, name: str) -> Array:
        return self.views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.views)

    def __len__(self) -> int:
        return len(self.views)


def rebuilt(weights: Mapping[str, Weight], flat: Array) -> Arena:
    arena = Arena(weights, flat.dtype)
    arena.flat[:] = flat
    return arena
