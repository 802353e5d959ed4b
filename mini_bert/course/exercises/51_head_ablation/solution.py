"""What is a head good for? Switch it off, and see what the model loses."""

import numpy as np


def without_head(context, head, A):
    """The context of A heads side by side, with the D = H/A numbers of one of them 0          (B, T, H) → (B, T, H)"""
    # gap: head 0 owns the first D numbers of each token, head 1 the next D, and so on; do not change what was given
    D = context.shape[-1] // A
    changed = context.copy()
    changed[..., head * D : (head + 1) * D] = 0
    return changed
    # end of gap


def loss_without(model, ids, labels, layer, head):
    """The loss while one head of one layer is switched off"""
    # gap: model.trace(ids, labels, hooks={name: function}).loss, where the function gets the activation of that name
    #      and returns what is to stand in its place; the name is encoder.layers.0.attn.context for layer 0
    name = f"encoder.layers.{layer}.attn.context"

    def switched_off(context):
        return without_head(context, head, model.config.num_heads)

    return model.trace(ids, labels, hooks={name: switched_off}).loss
    # end of gap


def head_importance(model, ids, labels):
    """importance[l, a] = loss without head a of layer l − loss of the whole model          → (L, A)"""
    # gap: one pass for the whole model, and one for each head; model.config knows num_layers and num_heads
    whole = model.trace(ids, labels).loss
    layers, heads = range(model.config.num_layers), range(model.config.num_heads)
    return np.array([[loss_without(model, ids, labels, l, a) - whole for a in heads] for l in layers])
    # end of gap
