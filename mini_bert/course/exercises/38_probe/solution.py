"""A probe: what can be read off states that stay as they are?"""

import numpy as np

from mini_bert.core.functions.softmax import log_softmax


def probe_loss(X, labels, W, b, penalty=0.0):
    """L = −(1/N) Σ_i ln softmax(x_i Wᵀ + b)[label_i] + λ/2 Σ W²,   and ∂L/∂W, ∂L/∂b

    X (N, H): frozen states, labels (N,): 0 … K − 1, W (K, H), b (K,) → a number, (K, H), (K,); λ is `penalty`.
    """
    N = len(X)
    # gap: the log-probabilities of all classes, the loss, the errors p − y, and the two gradients; X has none
    log_p = log_softmax(X @ W.T + b)  # (N, K)
    loss = -log_p[np.arange(N), labels].mean() + penalty / 2 * (W**2).sum()
    errors = np.exp(log_p)
    errors[np.arange(N), labels] -= 1
    return loss, errors.T @ X / N + penalty * W, errors.sum(0) / N
    # end of gap


def fit(X, labels, classes, penalty=0.01, learning_rate=0.5, steps=400):
    """W (K, H) and b (K,) where the loss is lowest, by gradient descent from 0"""
    W, b = np.zeros((classes, X.shape[1])), np.zeros(classes)
    for _ in range(steps):
        _, dW, db = probe_loss(X, labels, W, b, penalty)
        W, b = W - learning_rate * dW, b - learning_rate * db
    return W, b
