"""A whole block, backward: the same road, walked back, with a sum at every fork."""

from math import sqrt

from mini_bert.core.functions.activations import gelu, gelu_backward
from mini_bert.core.functions.heads import merge_heads, split_heads
from mini_bert.core.functions.linear import linear, linear_backward
from mini_bert.core.functions.norm import layer_norm, layer_norm_backward
from mini_bert.core.functions.softmax import softmax, softmax_backward


def block(x, w, A):
    """z = norm₁(x + attention(x)),  y = norm₂(z + feed_forward(z))          x (B, T, H) → y, and what is kept"""
    q, k, v = (split_heads(linear(x, *of(w, f"attn.{name}")), A) for name in ("query", "key", "value"))
    p = softmax(q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1]))  # (B, A, T, T)
    context = merge_heads(p @ v)  # (B, T, H)
    z, *norm_1 = layer_norm(x + linear(context, *of(w, "attn.output")), *of(w, "attn.norm"))
    pre = linear(z, *of(w, "ffn.up"))
    hidden, cdf = gelu(pre)  # (B, T, I)
    y, *norm_2 = layer_norm(z + linear(hidden, *of(w, "ffn.down")), *of(w, "ffn.norm"))
    kept = {"x": x, "q": q, "k": k, "v": v, "p": p, "context": context, "attn.norm": norm_1}
    return y, {**kept, "z": z, "pre": pre, "cdf": cdf, "hidden": hidden, "ffn.norm": norm_2}


def of(w, name):
    """Weight and bias of a part, as in w["attn.query.weight"] and w["attn.query.bias"]"""
    return w[f"{name}.weight"], w[f"{name}.bias"]


def through_linear(dy, x, w, name, grads):
    """Back through the linear layer of that name: returns dx, and writes the gradients of its weight and bias"""
    dx, grads[f"{name}.weight"], grads[f"{name}.bias"] = linear_backward(dy, x, w[f"{name}.weight"])
    return dx


def through_norm(dy, w, name, kept, grads):
    """Back through the norm of that name: returns the gradient of its input, and writes those of its weights"""
    x_hat, inv_sigma = kept[name]
    dx, grads[f"{name}.weight"], grads[f"{name}.bias"] = layer_norm_backward(
        dy, x_hat, inv_sigma, w[f"{name}.weight"]
    )
    return dx


def feed_forward_backward(dy, w, kept, grads):
    """Back through down(gelu(up(z))): returns dz"""
    dhidden = through_linear(dy, kept["hidden"], w, "ffn.down", grads)
    dpre = gelu_backward(dhidden, kept["pre"], kept["cdf"])
    return through_linear(dpre, kept["z"], w, "ffn.up", grads)


def heads_backward(dheads, q, k, v, p):
    """Exercise 24: dq, dk, dv of softmax(q kᵀ / √D) v, all (B, A, T, D)"""
    ds = softmax_backward(dheads @ v.swapaxes(-1, -2), p) / sqrt(q.shape[-1])
    return ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ dheads


def self_attention_backward(dy, w, kept, grads):
    """Back through output(merge(heads(query(x), key(x), value(x)))): returns dx          dy (B, T, H) → (B, T, H)"""
    # gap: back through attn.output, into the heads, out of the heads, and through the three layers that read x
    q, k, v, p, x = (kept[name] for name in ("q", "k", "v", "p", "x"))
    dcontext = through_linear(dy, kept["context"], w, "attn.output", grads)
    dq, dk, dv = heads_backward(split_heads(dcontext, q.shape[1]), q, k, v, p)
    dx_query = through_linear(merge_heads(dq), x, w, "attn.query", grads)
    dx_key = through_linear(merge_heads(dk), x, w, "attn.key", grads)
    dx_value = through_linear(merge_heads(dv), x, w, "attn.value", grads)
    return dx_query + dx_key + dx_value
    # end of gap


def block_backward(dy, w, kept):
    """dy (B, T, H) → dx (B, T, H), and a dict with the gradient of every weight, named as in w"""
    grads = {}
    # gap: norm, feed-forward, norm, attention, in reverse; each x + f(x) hands its gradient on to both, x and f
    dsum = through_norm(dy, w, "ffn.norm", kept, grads)
    dz = dsum + feed_forward_backward(dsum, w, kept, grads)
    dsum = through_norm(dz, w, "attn.norm", kept, grads)
    dx = dsum + self_attention_backward(dsum, w, kept, grads)
    return dx, grads
    # end of gap
