"""AdamW: a step of about the same length for every weight, and a decay that is no gradient."""

import numpy as np


def adamw(w, g, m, v, t, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    """m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²,   m̂ = m / (1 − β₁ᵗ),   v̂ = v / (1 − β₂ᵗ)
    w ← w − η λ w − η m̂ / (√v̂ + ε)

    w, g, m, v of one shape (...); t is 1 in the first step. Returns the new w, m and v; m̂ and v̂ are not remembered.
    """
    # gap: both moments take in g; correct them; then w takes a step, and decays by itself
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    step = m_hat / (np.sqrt(v_hat) + eps)
    return w - learning_rate * weight_decay * w - learning_rate * step, m, v
    # end of gap
