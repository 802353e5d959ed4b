"""Perplexity and accuracy: how good is a model of words?"""

import numpy as np


def over_words(values, counts):
    """Σ n_i x_i / Σ n_i: the mean over all words          values (M,): means of M batches, counts (M,): their words"""
    # gap: a batch counts as much as it has words
    return float((counts * values).sum() / counts.sum())
    # end of gap


def perplexity(losses, counts):
    """exp of the mean loss over all words          losses (M,): mean of −ln p in each batch, counts (M,): its words"""
    # gap: first the mean, then the exponential, once
    return float(np.exp(over_words(losses, counts)))
    # end of gap


def top_k_accuracy(logits, labels, k=1):
    """the share of words whose label is among the k highest logits          logits (N, V), labels (N,)

    Of two words with the same logit the one with the lower id comes first, as in np.argmax.
    """
    # gap: the ids in the order of their logits, the highest first; is the label among the first k?
    order = np.argsort(-logits, axis=-1, kind="stable")[:, :k]  # (N, k)
    return float((order == labels[:, None]).any(-1).mean())
    # end of gap
