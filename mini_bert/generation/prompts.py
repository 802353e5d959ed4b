"""How a text begins and ends, in the tokens of its vocabulary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mini_bert.models.config import ModelConfig
from mini_bert.models.inputs import check_range, integers
from mini_bert.tokenizers.tokenizer import Tokenizer


def opening(text: str, tokenizer: Tokenizer) -> list[int]:
    """A text that is to go on: framed before and not behind. Without a word it begins where another has ended."""
    before = [tokenizer.token_to_id[token] for token in tokenizer.frame.around()[0]]
    ids = [*before, *tokenizer.encode(text, add_special_tokens=False)]
    if not ids and tokenizer.roles.end is not None:
        ids = [tokenizer.token_to_id[tokenizer.roles.end]]
    return ids


def endings(tokenizer: Tokenizer | None) -> frozenset[int]:
    """The ids behind which another text begins."""
    if tokenizer is None:
        return frozenset()
    ends = (tokenizer.roles.end, tokenizer.roles.sep)
    return frozenset(tokenizer.token_to_id[token] for token in ends if token is not None)


def checked_prompts(prompts: Iterable[Any], config: ModelConfig) -> list[list[int]]:
    """Each a list of at least one id that the model knows."""
    found = []
    for number, given in enumerate(prompts):
        ids = integers(f"prompt {number}", given)
        if ids.ndim != 1 or ids.size == 0:
            raise ValueError(
                f"prompt {number}: expected some ids in a row, got shape {ids.shape}; begin with at least one token"
            )
        check_range(
            f"prompt {number}", ids, config.vocab_size, "is this the tokenizer the model was made with?"
        )
        found.append(ids.tolist())
    if not found:
        raise ValueError("no prompt is given; give a text, ids, or a list of them")
    return found


def told(prompt: Any) -> tuple[list[Any], bool]:
    """The prompts, each a text or ids, and whether it is only one, not a list of them."""
    if isinstance(prompt, str):
        return [prompt], True
    if not hasattr(prompt, "__len__"):
        raise ValueError(f"prompt {prompt!r}: give a text, ids, or a list of them")
    prompts = list(prompt)
    is_row = bool(prompts) and all(np.ndim(one) == 0 and not isinstance(one, str) for one in prompts)
    return ([prompts], True) if is_row else (prompts, False)


def are_texts(prompts: list[Any]) -> bool:
    return bool(prompts) and all(isinstance(one, str) for one in prompts)
