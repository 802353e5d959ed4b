"""The next word: nothing is hidden but what comes after (GPT-2, Radford et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import Chance, ordinary_ids
from mini_bert.training.objectives import MaskedBatch


@dataclass(frozen=True, eq=False)
class NextWords:
    """Each place of a row is asked for the token after it: text as it is, with labels one place further.

    `counts` (V,) says which tokens are asked for; padding never is.
    """

    counts: Array

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, words_only: bool = False) -> NextWords:
        """All tokens but padding, so that a text learns to end too; or words alone, to compare with word counts."""
        counts = (
            ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)
            if words_only
            else np.ones(tokenizer.vocab_size, bool)
        )
        if tokenizer.pad_id is not None:
            counts[tokenizer.pad_id] = False
        return cls(counts)

    def __repr__(self) -> str:
        return f"NextWords({int(self.counts.sum())} of {len(self.counts)} tokens)"

    def __call__(
        self,
        ids: Array,
        k: int,
        rng: Chance,
        word_ids: Array | None = None,
        quota: Array | None = None,
        spared: Array | None = None,
    ) -> MaskedBatch:
        """k, chance and words do not matter here: every place but the last is asked."""
        labels = ids[:, 1:]
        asked = self.counts[labels]
        positions = np.broadcast_to(np.arange(labels.shape[1]), labels.shape)
        return MaskedBatch(ids, positions, labels, weights=asked / max(asked.sum(), 1))
