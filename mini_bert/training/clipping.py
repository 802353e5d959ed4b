"""Gradients that are too long are shortened: all together, or unit by unit."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum, inf, isfinite, sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import even_share, owns, places


def squared_norms(grads: Arena, worker: int = 0, workers: int = 1) -> list[float]:
    """Σ g² of each block in this worker's share; `norm_of` makes the norm of all shares' blocks."""
    blocks = (grads.flat[at] for at in even_share(grads.flat.size, worker, workers))
    with np.errstate(over="ignore"):  # the sum says so itself: it is inf
        return [float(np.dot(g, g)) for g in blocks]


def norm_of(squares: Iterable[float]) -> float:
    """‖g‖ = √ Σ g², with the same bits however many workers summed the blocks: the last sum is exact.

    The blocks themselves are summed by BLAS, whose order may change with the machine and with its own threads.
    """
    return sqrt(exact_sum(squares))


def exact_sum(squares: Iterable[float]) -> float:
    """Σ, rounded once; inf if it overflows."""
    try:
        return fsum(squares)
    except OverflowError:
        return inf


def global_norm(grads: Arena) -> float:
    """‖g‖ over all gradients together; inf or NaN if any of them is, or if Σ g² overflows."""
    return norm_of(squared_norms(grads))


def clipping_scale(norm: float, max_norm: float) -> float:
    """min(1, c/‖g‖), to be given to an optimizer's `update`; 1 for a norm that is not finite."""
    return max_norm / norm if isfinite(norm) and norm > max_norm else 1.0


def clip_gradients(grads: Arena, max_norm: float) -> float:
    """g ← g · min(1, c/‖g‖) over all gradients together; returns ‖g‖              (Pascanu et al. 2013)

    If ‖g‖ is inf or NaN it is returned and the gradients stay as they are: look at it before you step.
    """
    norm = global_norm(grads)
    scale = clipping_scale(norm, max_norm)
    if scale != 1:
        grads.flat *= scale
    return norm


TIED_TO = "embeddings.token."


class AdaptiveClipping:
    """gᵢ ← gᵢ · min(1, c max(‖wᵢ‖, ε) / ‖gᵢ‖) for each unit i              (AGC, Brock et al. 2021)

    A unit is a row of a matrix or table, and a whole gain or bias. As in the paper, the map to the words
    (`skip`: names that start with any of these) is left alone; where it is tied to the token table, that is the map.
    """

    def __init__(
        self,
        params: Arena,
        clipping: float = 0.01,
        eps: float = 1e-3,
        skip: tuple[str, ...] = ("head.decoder.",),
    ) -> None:
        if clipping <= 0 or eps <= 0:
            raise ValueError(f"clipping={clipping}, eps={eps}: choose more than 0 for both")
        self.params, self.clipping, self.eps = params, clipping, eps
        if not any(name.startswith(skip) and name.endswith(".weight") for name in params):
            skip = (*skip, TIED_TO)
        self.places = {name: at for name, at in places(params).items() if not name.startswith(skip)}

    def clip(self, grads: Arena, worker: int = 0, workers: int = 1) -> int:
        """Shorten the gradients of this worker's weights; returns how many units were too long.

        A unit with an infinite or NaN gradient stays as it is, for the global norm to report.
        """
        size = self.params.flat.size
        mine = [name for name, at in self.places.items() if owns(worker, workers, at, size)]
        return sum(self.clip_units(by_unit(self.params[name]), by_unit(grads[name])) for name in mine)

    def clip_units(self, w: Array, g: Array) -> int:
        """w, g (units, entries)"""
        longest = self.clipping * np.maximum(unit_norms(w), self.eps)
        norms = unit_norms(g)
        too_long = np.isfinite(norms) & (norms > longest)
        count = int(np.count_nonzero(too_long))
        if count:
            g *= np.divide(longest, norms, out=np.ones_like(norms), where=too_long)[:, None]
        return count


def by_unit(weight: Array) -> Array:
    """(units, entries), a view"""
    return weight.reshape(len(weight) if weight.ndim > 1 else 1, -1)


def unit_norms(x: Array) -> Array:
    """x (units, entries) → (units,)"""
    squares: Array = np.einsum("ij,ij->i", x, x)
    return np.sqrt(squares)
