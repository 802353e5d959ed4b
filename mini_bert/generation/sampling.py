"""From logits to the next token: always the likeliest, or drawn by temperature, top-k and top-p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import drawn, streams, uniform
from mini_bert.core.functions.softmax import softmax


class Choice(Protocol):
    """choose(logits, texts, step) → ids: logits (B, V) of the texts numbered `texts` (B,), at their token `step`."""

    def __call__(self, logits: Array, texts: Array, step: int) -> Array: ...


@dataclass(frozen=True)
class Greedy:
    """id = argmax logits; of equals, the first"""

    def __call__(self, logits: Array, texts: Array, step: int) -> Array:
        likeliest: Array = logits.argmax(-1)
        return likeliest


@dataclass(frozen=True)
class Sampling:
    """id ~ softmax(top_p(top_k(logits / temperature)))

    Chance belongs to the seed, the number of the text and the step: a text is the same in any batch.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.temperature < np.inf:
            raise ValueError(
                f"temperature {self.temperature}: choose a number above 0; "
                "greedy=True (--greedy) always takes the likeliest token"
            )
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top_k {self.top_k}: at least 1 token must remain; leave it out to keep all")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p {self.top_p}: choose a share above 0, up to 1, which keeps all")

    def __call__(self, logits: Array, texts: Array, step: int) -> Array:
        draws = uniform(streams("generation", self.seed, texts), step, 1)[:, 0]
        return drawn(softmax(self.filtered(logits)), draws)

    def filtered(self, logits: Array) -> Array:
        """The logits that are drawn from; −∞ is never drawn."""
        logits = logits / self.temperature
        if self.top_k is not None:
            logits = top_k(logits, self.top_k)
        return logits if self.top_p is None else top_p(logits, self.top_p)


def top_k(logits: Array, k: int) -> Array:
    """The k largest logits, and −∞ for the others; equals of the last one stay too (Fan et al. 2018)"""
    k = min(k, logits.shape[-1])
    least = np.partition(logits, -k, axis=-1)[..., -k, None]
    return np.where(logits < least, -np.inf, logits).astype(logits.dtype)


def top_p(logits: Array, p: float) -> Array:
    """The fewest tokens whose probabilities add up to p, and −∞ for the others (Holtzman et al. 2020)"""
    order = logits.argsort(-1)
    rising = softmax(np.take_along_axis(logits, order, -1)).cumsum(-1, dtype=np.float64)
    is_rare = rising <= 1 - p
    is_rare[..., -1] = False
    left_out = np.empty_like(is_rare)
    np.put_along_axis(left_out, order, is_rare, -1)
    return np.where(left_out, -np.inf, logits).astype(logits.dtype)
