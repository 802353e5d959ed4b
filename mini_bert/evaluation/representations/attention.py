"""How widely does a head look around?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array


class AttentionEntropy(NamedTuple):
    """Of each head (A,): in nats, and relative to the most there can be: 0 looks at one token, 1 at all alike."""

    nats: Array
    relative: Array


def compute_attention_entropy(
    attention_weights: Any, mask: Any = None, causal: bool = False, asking: Any = None
) -> AttentionEntropy:
    """−Σ_j p_ij ln p_ij, the mean over the tokens i that ask          (B, A, T, T) or (A, T, T) → (A,)

    The most is ln of the number of tokens that i may look at: those of the text, by the mask (B, T), and if `causal`
    only itself and those before. `asking` (B, T) says whose attention counts, by default that of all of the text. A
    token that can look at one only has no choice, and no relative entropy.
    """
    p = np.asarray(attention_weights)
    p = p[None] if p.ndim == 3 else p
    if p.ndim != 4 or p.shape[-1] != p.shape[-2]:
        raise ValueError(f"attention weights of shape {p.shape}: give (batch, heads, tokens, tokens)")
    real = np.ones((len(p), p.shape[-1]), bool) if mask is None else np.atleast_2d(np.asarray(mask, bool))
    who = real if asking is None else np.atleast_2d(np.asarray(asking, bool)) & real
    if not who.any():
        raise ValueError("attention entropy: no token asks; give a text with at least one")
    nats, most = entropies(p, real, causal)
    relative = nats[:, :, :] / np.where(most > 0, most, np.nan)[:, None]
    has_choice = who & (most > 0)
    return AttentionEntropy(
        nats.swapaxes(0, 1)[:, who].mean(1),
        relative.swapaxes(0, 1)[:, has_choice].mean(1) if has_choice.any() else np.full(p.shape[1], np.nan),
    )


def entropies(p: Array, real: Array, causal: bool) -> tuple[Array, Array]:
    """The entropy of each token's attention (B, A, T) in nats, and ln of how many it may look at (B, T)."""
    p = p.astype(np.float64)
    nats = -(p * np.log(np.maximum(p, np.finfo(p.dtype).tiny))).sum(-1)
    seen = np.cumsum(real, axis=1) if causal else np.broadcast_to(real.sum(1, keepdims=True), real.shape)
    return nats, np.log(np.maximum(seen, 1))
