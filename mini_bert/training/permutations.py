"""Words in any order: some are predicted one after the other, in an order drawn by lot (XLNet, Yang et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training.masking import Chance, Masking
from mini_bert.training.objectives import MaskedBatch


@dataclass(frozen=True)
class Permutations:
    """Nothing is hidden; `order` (B, T) says who sees whom: a token sees those of lower rank, and itself.

    The words asked for have ranks 1 … k, in random order; all others have rank 0 and see each other.
    """

    masking: Masking

    def __call__(
        self,
        ids: Array,
        k: int,
        rng: Chance,
        word_ids: Array | None = None,
        quota: Array | None = None,
        spared: Array | None = None,
    ) -> MaskedBatch:
        chosen = self.masking(ids, k, rng, word_ids, quota, spared)
        lots = rng.random(chosen.positions.shape)
        turns = 1 + np.argsort(np.argsort(lots, axis=1), axis=1)
        order = np.zeros(ids.shape, np.int64)
        np.put_along_axis(order, chosen.positions, np.where(chosen.weights > 0, turns, 0), 1)
        return replace(chosen, ids=ids, inputs={"order": order})
