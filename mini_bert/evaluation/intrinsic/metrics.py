"""The guide's figures, as functions of plain arrays: shares of words found, perplexity, the size of a gradient."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.metrics.perplexity import perplexity_of_loss


def masked_accuracy(logits: Array, targets: Any, mask_positions: Any, top: int = 1) -> float:
    """share of masked positions whose word is among the `top` most probable     logits (B, T, V), the others (B, T)

    Of two words that are equally probable the one with the lower id comes first, as in `argmax`.

    >>> logits = np.log([[[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]]])
    >>> masked_accuracy(logits, [[0, 2]], [[1, 1]]), masked_accuracy(logits, [[0, 2]], [[1, 1]], top=2)
    (0.5, 1.0)
    """
    from mini_bert.evaluation.intrinsic.answers import judged
    from mini_bert.guide import mlm_targets

    logits = np.asarray(logits)
    if logits.ndim < 2:
        raise ValueError(
            f"logits: shape {logits.shape}; give a number for each word at each position, (B, T, V)"
        )
    if not 1 <= top <= logits.shape[-1]:
        raise ValueError(f"top={top}: choose from 1 to {logits.shape[-1]}, the number of words")
    labels, weights = mlm_targets(logits, targets, mask_positions)
    return float(judged(logits[weights > 0], labels[weights > 0]).among(top).mean())


def compute_perplexity(loss: Any, weights: Any = None) -> float:
    """exp(loss); of several losses, exp of their mean, with `weights` of their weighted mean.

    As many words as a model hesitates between that guesses as badly by choosing among them at random.

    >>> compute_perplexity(0.0), round(compute_perplexity([np.log(2), np.log(8)]), 6)
    (1.0, 4.0)
    """
    losses = np.asarray(loss, np.float64)
    if not losses.size:
        raise ValueError("loss: there is none, so there is no perplexity; give one or more")
    if np.isnan(losses).any() or (losses < 0).any():
        raise ValueError(
            "loss: it is the mean of −ln p, 0 or more; found a number that is negative or none at all"
        )
    mean = float(
        losses.mean() if weights is None else np.average(losses, weights=np.asarray(weights, np.float64))
    )
    return perplexity_of_loss(mean)


def compute_gradient_norm(gradients: Mapping[str, Array] | Array) -> float:
    """‖g‖ = √ Σ g²  over all weights together: `compute_gradient_norm(cache.gradients)`

    >>> compute_gradient_norm({"a": np.array([3.0]), "b": np.array([[0.0], [4.0]])})
    5.0
    """
    if isinstance(gradients, Mapping):
        arrays = list(gradients.values())
    elif isinstance(gradients, np.ndarray):
        arrays = [gradients]
    else:
        raise ValueError("gradients: give an array, or a mapping of names to arrays like cache.gradients")
    with np.errstate(over="ignore", invalid="ignore"):
        return sqrt(sum(float(np.square(array, dtype=np.float64).sum()) for array in arrays))
