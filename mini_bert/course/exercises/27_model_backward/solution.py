"""The whole model, backward: from the logits to the embeddings."""

import numpy as np

from mini_bert.core.functions.linear import linear, linear_backward
from mini_bert.core.functions.norm import layer_norm, layer_norm_backward


def model(ids, w, blocks):
    """logits = h Eᵀ + b  with  h = norm(blocks(E[ids] + P))          ids (B, T) → logits (B, T, V), and what is kept

    w has token (V, H), which is E, position (at least T, H), which is P, norm.weight and norm.bias (H,), bias (V,).
    """
    x = w["token"][ids] + w["position"][: ids.shape[1]]
    for block in blocks:
        x = block.forward(x)
    h, x_hat, inv_sigma = layer_norm(x, w["norm.weight"], w["norm.bias"])
    logits = linear(h, w["token"], w["bias"])
    return logits, {"ids": ids, "x_hat": x_hat, "inv_sigma": inv_sigma, "h": h}


def embedding_backward(dy, ids, V):
    """dtable_v = Σ of dy over the places where ids = v          dy (B, T, H), ids (B, T) → (V, H)"""
    dtable = np.zeros((V, dy.shape[-1]), dy.dtype)
    np.add.at(dtable, ids, dy)
    return dtable


def positions_backward(dy, rows):
    """dP_t = Σ_b dy_bt, and 0 for the rows after the last token          dy (B, T, H) → (rows, H)"""
    dP = np.zeros((rows, dy.shape[-1]), dy.dtype)
    dP[: dy.shape[1]] = dy.sum(0)
    return dP


def model_backward(dlogits, w, blocks, kept):
    """dlogits (B, T, V) → a dict with the gradient of every array of w, under its name

    dx = block.backward(dy) goes back through a block, which looks after the gradients of its own weights.
    """
    # gap: output layer, norm, blocks, both tables, the last part first; the table of tokens is used in two places
    dh, dE_output, dbias = linear_backward(dlogits, kept["h"], w["token"])
    dx, dgamma, dbeta = layer_norm_backward(dh, kept["x_hat"], kept["inv_sigma"], w["norm.weight"])
    for block in reversed(blocks):
        dx = block.backward(dx)
    dE_input = embedding_backward(dx, kept["ids"], len(w["token"]))
    return {
        "token": dE_input + dE_output,
        "position": positions_backward(dx, len(w["position"])),
        "norm.weight": dgamma,
        "norm.bias": dbeta,
        "bias": dbias,
    }
    # end of gap


class Residual:
    """A block to play with, y = x + x Mᵀ: `forward` keeps what `backward` needs, and `grads` has what it found."""

    def __init__(self, M):
        self.M, self.grads = M, {}

    def forward(self, x):
        self.x = x
        return x + x @ self.M.T

    def backward(self, dy):
        dx, self.grads["M"], _ = linear_backward(dy, self.x, self.M)
        return dy + dx
