"""How alike is what two layers say? Centred kernel alignment (Kornblith et al. 2019).

    CKA(X, Y) = ‖Yᵀ X‖² / (‖Xᵀ X‖ ‖Yᵀ Y‖),     X, Y centred, one row for each token

1 if the states of one are those of the other, turned and scaled: it compares which tokens are alike, not numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.representations.tokens import as_tokens, centred

FEWEST = 4
"""Tokens that the unbiased estimate needs."""


def compute_layer_similarity(layer_outputs: Sequence[Any], mask: Any = None, debiased: bool = False) -> Array:
    """CKA of every two layers (L, L), from the states of each, (N, H) or (B, T, H), of the same tokens.

    With few tokens for so many numbers, plain CKA is too high, even of unrelated states; `debiased` takes an estimate
    of HSIC that is 0 for those on average (Song et al. 2012), and may be a little below 0.
    """
    layers = [as_tokens(states, mask) for states in layer_outputs]
    if len({len(x) for x in layers}) > 1:
        raise ValueError(f"layers of {[len(x) for x in layers]} tokens: give the states of the same tokens")
    if not debiased:
        layers = [centred(x) for x in layers]
    elif len(layers[0]) < FEWEST:
        raise ValueError(f"{len(layers[0])} tokens: the debiased estimate needs {FEWEST} or more")
    agreement = unbiased_hsic if debiased else hsic
    own = [agreement(x, x) for x in layers]
    found = np.eye(len(layers))
    for i, x in enumerate(layers):
        for j in range(i):
            scale = np.sqrt(max(own[i], 0) * max(own[j], 0))
            found[i, j] = found[j, i] = agreement(x, layers[j]) / scale if scale else np.nan
    return found


def linear_cka(x: Any, y: Any, debiased: bool = False) -> float:
    """CKA of two sets of states (N, H), (N, H') of the same tokens."""
    return float(compute_layer_similarity([x, y], debiased=debiased)[0, 1])


def hsic(x: Array, y: Array) -> float:
    """‖Yᵀ X‖²: Σ over all pairs of tokens of (x_n · x_m)(y_n · y_m), of centred states"""
    cross = y.T @ x
    return float(np.einsum("ij,ij->", cross, cross))


def unbiased_hsic(x: Array, y: Array) -> float:
    """[tr(KL) + 1ᵀK1 1ᵀL1 / ((n−1)(n−2)) − 2 1ᵀKL1 / (n−2)] / (n (n−3)),   K = XXᵀ and L = YYᵀ with zero diagonals

    By sums over numbers, (H, H'), where n × n kernels would be too large.
    """
    n = len(x)
    x_own, y_own = (np.einsum("nh,nh->n", one, one) for one in (x, y))  # the diagonals
    x_sums, y_sums = (
        one @ one.sum(0) - own for one, own in ((x, x_own), (y, y_own))
    )  # K1 and L1, without the diagonals
    pairs = hsic(x, y) - x_own @ y_own
    totals = x_sums.sum() * y_sums.sum() / ((n - 1) * (n - 2))
    return float((pairs + totals - 2 * (x_sums @ y_sums) / (n - 2)) / (n * (n - 3)))
