"""Cross-entropy: how surprised the model is by the words that were hidden."""

import numpy as np

IGNORED = -100  # the label of a place that is not asked for


def log_sum_exp(x):
    """ln Σ_j exp(x_j), over the last axis          (..., V) → (...)"""
    # gap: take the largest of each row out of the sum, so that exp does not overflow
    largest = x.max(-1, keepdims=True)  # (..., 1)
    return largest[..., 0] + np.log(np.exp(x - largest).sum(-1))
    # end of gap


def masked_cross_entropy(logits, labels):
    """loss = mean of −ln p[label]  with  p = softmax(logits), over the places whose label is not IGNORED

    logits (B, T, V), labels (B, T) → one number; 0 if there are no such places
    """
    # gap: −ln p[label] = log_sum_exp(logits) − logits[label], at the places that are asked for, and the mean over these
    asked = labels != IGNORED
    if not asked.any():
        return 0.0
    scores, words = logits[asked], labels[asked]  # (N, V), (N,)
    return (log_sum_exp(scores) - scores[np.arange(len(words)), words]).mean()
    # end of gap
