"""Multi-head attention: several ways of looking, side by side."""

from math import sqrt

import numpy as np

from mini_bert.core.functions.heads import merge_heads, split_heads
from mini_bert.core.functions.linear import linear
from mini_bert.core.functions.softmax import softmax

INVISIBLE = -1e9


def multi_head_attention(x, w, A, mask):
    """y = output(merge(softmax(q kᵀ / √D) v))  with  q = split(query(x)),  k = split(key(x)),  v = split(value(x))

    x (B, T, H), mask (B, T) of ones and zeros → (B, T, H). The dict w has a weight (H, H) and a bias (H,) for each of
    query, key, value and output: w["query.weight"], w["query.bias"], …
    """
    # gap: three linear layers, split into A heads; attention in each head; the heads merged; a fourth linear layer
    q = split_heads(linear(x, w["query.weight"], w["query.bias"]), A)  # (B, A, T, D)
    k = split_heads(linear(x, w["key.weight"], w["key.bias"]), A)
    v = split_heads(linear(x, w["value.weight"], w["value.bias"]), A)
    scores = q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1])  # (B, A, T, T)
    visible = np.where(mask[:, None, None, :] == 1, scores, INVISIBLE)
    context = merge_heads(softmax(visible) @ v)  # (B, T, H)
    return linear(context, w["output.weight"], w["output.bias"])
    # end of gap
