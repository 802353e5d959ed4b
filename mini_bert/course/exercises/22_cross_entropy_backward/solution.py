"""Cross-entropy, backward: where every gradient of the model begins."""

import numpy as np

IGNORED = -100  # the label of a place that is not asked for


def masked_cross_entropy_backward(p, labels):
    """dlogits = (p − 1[label]) / N at the N places that are asked for, 0 at all others

    p (B, T, V), the softmax of the logits; labels (B, T), IGNORED where nothing is asked → (B, T, V)
    """
    # gap: the probabilities minus a one-hot row, divided by N; zeros where the label is IGNORED, and if all of them are
    asked = labels != IGNORED  # (B, T)
    one_hot = labels[..., None] == np.arange(p.shape[-1])  # (B, T, V)
    N = max(int(asked.sum()), 1)
    return asked[..., None] * (p - one_hot) / N
    # end of gap
