"""What every layer of a model makes of texts: the states of their tokens, and where each head looks.

Special tokens and padding are read, but have no say: their states are few, and unlike all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.trace import Hook, Trace
from mini_bert.evaluation.layer_states import EMBEDDED, READ_BY_HEAD, layer_states
from mini_bert.evaluation.representations.attention import entropies
from mini_bert.inference.forward import TOKENS_AT_ONCE, Predictor
from mini_bert.inference.reading import Batch, as_batch, tokenizer_of
from mini_bert.inference.sentence_vectors import batches, mean_of_tokens

Disturbance = Callable[[Array, Array, Array], Array]
"""From x (B, T, H), ids (B, T) and which of them are real (B, T) to another x."""
ATTENTION = "encoder.layers.{}.attn.probs"


class TextStates(NamedTuple):
    """States (L + 1, N, H) of N tokens, and the number of each one's text (N,)."""

    layers: Array
    text: Array


def text_states(predictor: Predictor, texts: Sequence[str]) -> TextStates:
    """Of texts, each cut to what the model reads at once."""
    states: list[Array] = []
    text: list[Array] = []
    for numbers, batch in read(predictor, texts):
        counts = counting(predictor, batch.ids, batch.attention_mask)
        states.append(layer_states(predictor, batch).swapaxes(1, 2)[counts])  # (n, L + 1, H)
        text.append(numbers[np.nonzero(counts)[0]])
    order = np.argsort(np.concatenate(text), kind="stable")
    layers = np.concatenate(states)[order].swapaxes(0, 1)
    return TextStates(np.ascontiguousarray(layers), np.concatenate(text)[order])


def head_entropies(predictor: Predictor, texts: Sequence[str]) -> tuple[Array, Array]:
    """The entropy of each head's attention, in nats and relative to the most: each (texts, L, A).

    The mean over a text's tokens; nan where there are none, or none that had a choice.
    """
    model = predictor.model
    watch = tuple(ATTENTION.format(layer) for layer in range(model.config.num_layers))

    def forward(ids: Array, t: Trace) -> Array:
        t = t.but(watch=watch, acts={})
        model.network.encode(ids, t)
        mask = t.inputs.get("attention_mask")
        real = np.ones(ids.shape, bool) if mask is None else mask
        counts = counting(predictor, ids, mask)
        found = []
        for name in watch:
            nats, most = entropies(t.acts[name], real, model.config.causal)
            has_choice = counts & (most > 0)
            relative = nats / np.where(most > 0, most, 1)[:, None]
            found.append([mean_where(nats, counts), mean_where(relative, has_choice)])
        return np.moveaxis(np.array(found), 2, 0)  # (B, L, 2, A)

    told = np.empty((len(texts), model.config.num_layers, 2, model.config.num_heads))
    for numbers, batch in read(predictor, texts):
        told[numbers] = predictor.run(forward, batch.ids, batch.attention_mask, batch.token_type_ids, None)
    return told[:, :, 0], told[:, :, 1]


def text_vectors(predictor: Predictor, texts: Sequence[str], disturb: Disturbance | None = None) -> Array:
    """The mean of each text's tokens in every layer (texts, L + 1, H); `disturb` changes what the first layer reads."""
    model = predictor.model
    L = model.config.num_layers
    watch = (EMBEDDED, *(f"encoder.layers.{layer}.out" for layer in range(L - 1)), READ_BY_HEAD)

    def forward(ids: Array, t: Trace) -> Array:
        mask = t.inputs.get("attention_mask")
        real = np.ones(ids.shape, bool) if mask is None else mask
        hooks: dict[str, Hook] = {} if disturb is None else {EMBEDDED: lambda x: disturb(x, ids, real)}
        t = t.but(watch=watch, acts={}, hooks=hooks)
        model.network.encode(ids, t)
        counts = counting(predictor, ids, mask)
        nothing = ~counts.any(1)
        counts[nothing] = real[nothing]
        return np.stack([mean_of_tokens(t.acts[name], counts) for name in watch], axis=1)

    found = np.empty((len(texts), L + 1, model.config.hidden_size), model.dtype)
    for numbers, batch in read(predictor, texts):
        found[numbers] = predictor.run(forward, batch.ids, batch.attention_mask, batch.token_type_ids, None)
    return found


def read(predictor: Predictor, texts: Sequence[str]) -> Iterator[tuple[Array, Batch]]:
    """Batches of texts of like length, with their numbers."""
    model = predictor.model
    tokenizer, T = tokenizer_of(model), model.config.max_seq_length
    rows = [tokenizer.encoding(text, max_length=T) for text in texts]
    for numbers in batches([len(row) for row in rows], predictor.team.size * TOKENS_AT_ONCE):
        yield np.array(numbers), as_batch(model, [rows[i] for i in numbers])


def counting(predictor: Predictor, ids: Array, mask: Array | None) -> Array:
    """Which tokens count (B, T): not special ones, not padding."""
    ordinary = ~np.isin(ids, tokenizer_of(predictor.model).special_ids)
    return ordinary if mask is None else ordinary & mask


def mean_where(values: Array, counts: Array) -> Array:
    """The mean over the tokens that count: (B, A, T), (B, T) → (B, A); nan where none does"""
    number = counts.sum(1, keepdims=True)
    found: Array = (values * counts[:, None]).sum(-1) / np.where(number, number, np.nan)
    return found
