"""What a model says for a hidden word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.tokenizers.tokenizer import Tokenizer


class Guess(NamedTuple):
    word: str
    probability: float


def guesses(logits: Array, tokenizer: Tokenizer, top: int) -> list[Guess]:
    """The `top` most probable of the pieces that the tokenizer knows; logits (V,) may have more."""
    probs = softmax(logits)
    best = np.argsort(-probs[: tokenizer.vocab_size], kind="stable")[:top]
    return [Guess(tokenizer.id_to_token[i], float(probs[i])) for i in best]
