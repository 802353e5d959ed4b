"""Replaced tokens: a small model fills gaps, a larger one tells which words are not the original ones (ELECTRA)."""

import numpy as np


def sample(probs, draws):
    """The first v with  p_0 + … + p_v > draw          probs (..., V), draws (...) from 0 to 1 → (...), whole numbers"""
    # gap: the words lie end to end on a line of length 1, each as long as its probability; where does the draw fall?
    ends = np.cumsum(probs, -1)
    return (ends > draws[..., None]).argmax(-1)
    # end of gap


def replace_tokens(ids, positions, probs, draws):
    """ids (B, T), positions (B, k), probs (B, k, V), draws (B, k) → the ids with drawn words, and labels, both (B, T)

    label = 1 where the word that stands there now is not the one that stood there, else 0
    """
    # gap: put the words drawn in their places in a copy; then compare with the original, everywhere
    shown = ids.copy()
    np.put_along_axis(shown, positions, sample(probs, draws), 1)
    return shown, (shown != ids).astype(np.int64)
    # end of gap


def detection_loss(s, labels, mask):
    """loss = mean over real tokens of  ln(1 + eˢ) − y s          logits s, labels y, mask, all (B, T) → ()"""
    # gap: for large s, eˢ overflows: np.logaddexp(a, b) = ln(eᵃ + eᵇ) does not; padding (mask 0) counts for nothing
    losses = np.logaddexp(0, s) - labels * s
    return (losses * mask).sum() / mask.sum()
    # end of gap


def detection_backward(s, labels, mask):
    """ds = (σ(s) − y) / (number of real tokens), 0 at padding          (B, T) → (B, T)"""
    # gap: σ(s) = 1 / (1 + e^−s), which np.exp(-np.logaddexp(0, -s)) computes without overflow
    p = np.exp(-np.logaddexp(0, -s))
    return ((p - labels) * mask / mask.sum()).astype(s.dtype)
    # end of gap
