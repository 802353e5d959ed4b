"""Do states point the same way?"""

from __future__ import annotations

from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.representations.tokens import as_tokens, unit_rows


def compute_token_diversity(hidden_states: Any, mask: Any = None) -> float:
    """1 − the mean cosine of two different tokens of a text; the mean over the texts          (B, T, H) or (T, H)

    0: all tokens of a text are one; 1: they have nothing in common on average. Padding must be masked out: mask (B, T)
    is true where a token counts. A text of a single token has no pairs and is left out.
    """
    states = np.asarray(hidden_states)
    if states.ndim == 2:
        states = states[None]
        mask = None if mask is None else np.asarray(mask)[None]
    if states.ndim != 3:
        raise ValueError(f"hidden states of shape {states.shape}: give (batch, tokens, hidden)")
    counts = np.ones(states.shape[:2], bool) if mask is None else np.asarray(mask, bool)
    return float(diversities(as_tokens(states, counts), np.nonzero(counts)[0]).mean())


def diversities(x: Array, text: Array) -> Array:
    """The diversity of each text that has two tokens or more; token n of x (N, H) is of text (N,)"""
    u = unit_rows(x)
    _, place, counts = np.unique(text, return_inverse=True, return_counts=True)
    several = counts > 1
    if not several.any():
        raise ValueError("token diversity: no text has two tokens; there is no pair to compare")
    sums = np.zeros((len(counts), x.shape[1]))
    np.add.at(sums, place, u)
    own = np.bincount(place, weights=np.einsum("nh,nh->n", u, u))
    cosines = (np.einsum("bh,bh->b", sums, sums) - own)[several] / (counts * (counts - 1.0))[several]
    found: Array = 1 - cosines
    return found


def anisotropy(x: Array) -> float:
    """The mean cosine of two different tokens, wherever they stand: (‖Σ u_n‖² − N) / (N (N − 1)),   u = x / ‖x‖

    0 if states spread evenly in all directions; near 1 if they keep to a narrow cone (Ethayarajh 2019). All pairs are
    counted: no need to draw some.
    """
    if len(x) < 2:
        raise ValueError("anisotropy: a single token has no pair; give two or more")
    u = unit_rows(x)
    total = u.sum(0)
    return float((total @ total - np.einsum("nh,nh->", u, u)) / (len(x) * (len(x) - 1.0)))
