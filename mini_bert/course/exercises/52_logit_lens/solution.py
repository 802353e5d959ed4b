"""The logit lens: what each layer would say, if it were the last."""

import numpy as np

from mini_bert.core.functions.norm import layer_norm
from mini_bert.core.functions.softmax import log_softmax


def lens(states, gamma, beta, W, b):
    """ln p_l = log_softmax(norm(x_l) Wᵀ + b)          states (L + 1, T, H), W (V, H), b (V,) → (L + 1, T, V)"""
    # gap: the model's own last norm (layer_norm gives three results, the first is y) and its own words, for every layer
    normed, _, _ = layer_norm(states, gamma, beta)
    return log_softmax(normed @ W.T + b)
    # end of gap


def ranks(log_p, answers):
    """How many words are more probable than the answer          log_p (L + 1, T, V), answers (T,) → (L + 1, T)"""
    # gap: the answer's own number, for each layer and place, and then how many of its row are larger
    at_answer = np.take_along_axis(log_p, answers[None, :, None], -1)
    return (log_p > at_answer).sum(-1)
    # end of gap


def divergence(log_p):
    """KL(p_last ‖ p_l) = Σ_v p_last (ln p_last − ln p_l)          (L + 1, T, V) → (L + 1, T)"""
    # gap: how far each layer still is from what the last one says; the last row is 0
    last = log_p[-1]
    return (np.exp(last) * (last - log_p)).sum(-1)
    # end of gap


def states_of(model, ids):
    """What each layer reads, and what the last one writes, for ids (1, T)          → (L + 1, T, H)"""
    passed = model.trace(ids)
    names = ["embeddings.out", *(f"encoder.layers.{l}.out" for l in range(model.config.num_layers))]
    return np.concatenate([passed[name] for name in names])
