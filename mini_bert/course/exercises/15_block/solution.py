"""The encoder block: attention, then feed-forward, each with its residual connection and its norm."""

from math import sqrt

import numpy as np

from mini_bert.core.functions.activations import relu
from mini_bert.core.functions.heads import merge_heads, split_heads
from mini_bert.core.functions.linear import linear
from mini_bert.core.functions.norm import layer_norm
from mini_bert.core.functions.softmax import softmax


def norm(x, w, part):
    """Exercise 06          x (B, T, H), part "attn" or "ffn" → (B, T, H)"""
    return layer_norm(x, w[f"{part}.norm.weight"], w[f"{part}.norm.bias"])[0]


def attention(x, w, A, mask):
    """Exercise 12          x (B, T, H), mask (B, T) → (B, T, H)"""
    q, k, v = (
        split_heads(linear(x, w[f"attn.{name}.weight"], w[f"attn.{name}.bias"]), A)
        for name in ("query", "key", "value")
    )
    scores = q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1])
    p = softmax(np.where(mask[:, None, None, :] == 1, scores, -1e9))
    return linear(merge_heads(p @ v), w["attn.output.weight"], w["attn.output.bias"])


def feed_forward(x, w):
    """Exercise 14          x (B, T, H) → (B, T, H)"""
    hidden = relu(linear(x, w["ffn.up.weight"], w["ffn.up.bias"]))
    return linear(hidden, w["ffn.down.weight"], w["ffn.down.bias"])


def block(x, w, A, mask):
    """z = norm₁(x + attention(x)),  y = norm₂(z + feed_forward(z))          x (B, T, H), mask (B, T) → (B, T, H)"""
    # gap: two post-norm steps, one after the other, with the three functions above
    z = norm(x + attention(x, w, A, mask), w, "attn")
    return norm(z + feed_forward(z, w), w, "ffn")
    # end of gap


def parameters(H, I):
    """How many numbers a block has to learn: four linear layers in attention, two in feed-forward, two norms"""
    # gap: count weights and biases of them all; a norm has a gain and a shift for each of the H numbers
    return 4 * (H * H + H) + (I * H + I) + (H * I + H) + 2 * (2 * H)
    # end of gap
