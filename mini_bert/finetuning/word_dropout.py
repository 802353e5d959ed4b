"""Words that are hidden while a model is fine-tuned, so that it does not learn single ones by heart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import ordinary_ids

PURPOSE = "word dropout"


@dataclass(frozen=True)
class WordDropout:
    """Each word piece becomes [MASK] with probability `share`; special tokens stay (Dai & Le 2015)."""

    share: float
    hidden_id: int
    ordinary: Array

    @classmethod
    def of(cls, tokenizer: Tokenizer, share: float) -> WordDropout | None:
        """With the token that stands for a hidden word, or else for an unknown one; None if nothing is hidden."""
        if not share:
            return None
        token = tokenizer.roles.mask or tokenizer.roles.unk
        if token is None:
            raise ValueError(
                f"word_dropout={share}: the vocabulary has no token for a hidden or an unknown word; choose 0"
            )
        ordinary = ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)
        return cls(share, tokenizer.token_to_id[token], ordinary)

    def __call__(self, ids: Array, examples: Array, seed: int, epoch: int) -> Array:
        """ids (B, T) of examples (B,), with other words hidden in each epoch, whatever batch they stand in."""
        lots = uniform(streams(PURPOSE, seed, epoch, examples), 0, ids.shape[1])
        return np.where((lots < self.share) & self.ordinary[ids], self.hidden_id, ids)
