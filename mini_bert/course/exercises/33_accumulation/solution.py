"""Gradient accumulation: a large batch in small parts."""

import numpy as np

from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward

IGNORED = -100
W = np.random.default_rng(0).normal(size=(6, 4))


def loss_and_gradient(x, labels, weights):
    """loss = −Σ weight ln p[label]  with  p = softmax(x Wᵀ), and ∂loss/∂W: a small model to try your function with

    x (B, T, H), labels and weights (B, T) → a number, (V, H). Where the weight is 0, the label does not matter.
    """
    labels = np.where(labels == IGNORED, 0, labels)
    loss, p = cross_entropy(x @ W.T, labels, weights)
    return loss, np.einsum("btv,bth->vh", cross_entropy_backward(p, labels, weights), x)


def accumulated(loss_and_gradient, x, labels, rows):
    """L = (1/N) Σ −ln p[label] over all N hidden words of the batch, and ∂L/∂W, from parts of at most `rows` sequences

    x (B, T, H), labels (B, T) with −100 where no word is hidden → a number, (V, H)
    """
    # gap: give each hidden word of the whole batch its weight in the mean, and every other place 0; then cut x, labels
    #      and weights into parts of so many rows, and add up what loss_and_gradient(x, labels, weights) gives for each
    hidden = labels != IGNORED
    weights = hidden / hidden.sum()
    loss, gradient = 0.0, 0.0
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        part_loss, part_gradient = loss_and_gradient(x[part], labels[part], weights[part])
        loss = loss + part_loss
        gradient = gradient + part_gradient
    return loss, gradient
    # end of gap
