"""Gaps to be filled by a model, and to be found by another: ELECTRA's exercise, but for the words themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training.masking import Chance, Masking
from mini_bert.training.objectives import MaskedBatch, Question

IMPORTANCE = 50.0
"""of finding replaced tokens, beside filling gaps: its loss is small, for most tokens are real"""


@dataclass(frozen=True)
class Replacements:
    """Masked words, the draws that fill them, and a question about every token, answered by the draw."""

    masking: Masking
    padding_id: int | None = None
    importance: float = IMPORTANCE

    def __call__(
        self,
        ids: Array,
        k: int,
        rng: Chance,
        word_ids: Array | None = None,
        quota: Array | None = None,
        spared: Array | None = None,
    ) -> MaskedBatch:
        batch = self.masking(ids, k, rng, word_ids, quota, spared)
        is_real = np.ones(ids.shape, bool) if self.padding_id is None else ids != self.padding_id
        everywhere = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
        unknown = np.zeros(ids.shape, np.int64)
        question = Question(everywhere, unknown, is_real / max(is_real.sum(), 1), self.importance)
        return replace(batch, question=question, draws=rng.random(batch.positions.shape))
