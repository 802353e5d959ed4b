"""The whole forward pass of Mini-BERT: from the numbers of words to a score for every word of the vocabulary."""

from math import sqrt

import numpy as np

from mini_bert.core.functions.activations import relu
from mini_bert.core.functions.heads import merge_heads, split_heads
from mini_bert.core.functions.linear import linear
from mini_bert.core.functions.norm import layer_norm
from mini_bert.core.functions.softmax import softmax


def dense(x, w, name):
    """The linear layer of this name: dense(x, w, "attn.query") is x Wᵀ + b with its weight and bias"""
    return linear(x, w[f"{name}.weight"], w[f"{name}.bias"])


def norm(x, w, name):
    """The layer norm of this name: norm(x, w, "attn.norm")"""
    return layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"])[0]


def part(w, scope):
    """The weights under a scope, by the rest of their names: part(w, "encoder.layers.0.") has "attn.query.weight" """
    return {name.removeprefix(scope): array for name, array in w.items() if name.startswith(scope)}


def block(x, w, A, mask):
    """z = norm₁(x + attention(x)),  y = norm₂(z + feed_forward(z))          x (B, T, H), mask (B, T) → (B, T, H)"""
    # gap: attention in A heads, feed-forward with ReLU, each with its residual connection and its norm
    q, k, v = (split_heads(dense(x, w, f"attn.{name}"), A) for name in ("query", "key", "value"))
    scores = q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1])  # (B, A, T, T)
    p = softmax(np.where(mask[:, None, None, :] == 1, scores, -1e9))
    z = norm(x + dense(merge_heads(p @ v), w, "attn.output"), w, "attn.norm")
    return norm(z + dense(relu(dense(z, w, "ffn.up")), w, "ffn.down"), w, "ffn.norm")
    # end of gap


def forward(ids, w, L, A, mask):
    """logits = decoder(norm(block_L(… block_1(E[ids] + P))))          ids, mask (B, T) → (B, T, V)"""
    # gap: token and position embeddings, L blocks, the final norm, the decoder
    x = w["embeddings.token.weight"][ids] + w["embeddings.position.weight"][: ids.shape[1]]
    for i in range(L):
        x = block(x, part(w, f"encoder.layers.{i}."), A, mask)
    return dense(norm(x, w, "final_norm"), w, "head.decoder")
    # end of gap


def guesses(text, count=5):
    """The trained model of the package, run by your own forward pass: `guesses("The cat sat on the [MASK].")`"""
    from mini_bert import load

    model = load("mini")
    ids = np.array([model.tokenizer.encode(text)])
    tokens = [model.tokenizer.id_to_token[i] for i in ids[0]]
    L, A = model.config.num_layers, model.config.num_heads
    logits = forward(ids, dict(model.arena), L, A, np.ones_like(ids))
    p = softmax(logits[0, tokens.index("[MASK]")])
    return [(model.tokenizer.id_to_token[i], round(float(p[i]), 3)) for i in np.argsort(-p)[:count]]


if __name__ == "__main__":
    print(guesses("The cat sat on the [MASK]."))
