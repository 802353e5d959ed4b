"""Inputs are checked at the front door, so that no layer has to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.network import Network
from mini_bert.core.recurrence import Recurrent
from mini_bert.models.config import ModelConfig


def checked_ids(given: Any, config: ModelConfig) -> Array:
    """Ids as an integer array (B, T) that the model can read at once; a sequence (T,) becomes a batch of one."""
    ids = checked_text(given, config)
    if ids.shape[1] > config.max_seq_length:
        raise ValueError(
            f"ids: {ids.shape[1]} tokens, but the model reads at most max_seq_length={config.max_seq_length}; "
            "cut the text into pieces or build a model with a longer max_seq_length"
        )
    return ids


def checked_text(given: Any, config: ModelConfig) -> Array:
    """The same of any length."""
    ids = integers("ids", given)
    if ids.ndim == 1:
        ids = ids[None]
    if ids.ndim != 2:
        raise ValueError(f"ids: expected (batch, tokens), got {ids.ndim} axes of shape {ids.shape}")
    if ids.size == 0:
        raise ValueError(
            f"ids: the batch is empty, shape {ids.shape}; give at least one sequence of one token"
        )
    check_range("ids", ids, config.vocab_size, "is this the tokenizer the model was made with?")
    return ids


def checked_labels(given: Any, shape: tuple[int, ...], classes: int, ignored: int) -> Array:
    """labels of a shape, each the number of a class, or `ignored` where nothing is to be predicted."""
    labels = integers("labels", given)
    if labels.ndim == len(shape) - 1:
        labels = labels[None]
    if labels.shape != shape:
        raise ValueError(f"labels: shape {labels.shape} does not match what is predicted, {shape}")
    wanted = np.where(labels == ignored, 0, labels)
    if (labels == ignored).all():
        raise ValueError(
            f"labels: all are {ignored}, so there is nothing to predict; label at least one position"
        )
    check_range("labels", wanted, classes, f"write {ignored} where nothing is to be predicted")
    return labels


def checked_inputs(
    ids: Array,
    attention_mask: Any,
    token_type_ids: Any,
    config: ModelConfig,
    position_ids: Any = None,
    order: Any = None,
) -> dict[str, Array]:
    """The pass's other inputs, as the trace carries them."""
    inputs: dict[str, Array] = {}
    if attention_mask is not None:
        mask = ones_and_zeros("attention_mask", attention_mask, "a real token", "padding")
        inputs["attention_mask"] = same_shape("attention_mask", mask, ids)
    if token_type_ids is not None:
        if not config.token_types:
            raise ValueError(
                "token_type_ids: this model has no segments; leave them out or set token_types=2"
            )
        types = same_shape("token_type_ids", integers("token_type_ids", token_type_ids), ids)
        check_range("token_type_ids", types, config.token_types, "the model has no more segments than that")
        inputs["token_type_ids"] = types
    if position_ids is not None:
        if config.positions != "learned":
            raise ValueError(
                f"position_ids: this model has no table of positions, but positions={config.positions}; leave them out"
            )
        places = same_shape("position_ids", integers("position_ids", position_ids), ids)
        check_range("position_ids", places, config.max_seq_length, "the table of positions has no more rows")
        inputs["position_ids"] = places
    if order is not None:
        if config.streams != 2:
            raise ValueError("order: this model has one stream; leave the order out or set streams=2")
        inputs["order"] = same_shape("order", integers("order", order), ids)
    return inputs


def not_the_first(inputs: Mapping[str, Array]) -> Any:
    """Where some real token has a lower rank, (B, T); without an order, everywhere."""
    if "order" not in inputs:
        return True
    ranks = inputs["order"]
    real = inputs.get("attention_mask", np.True_)
    return ranks > np.where(real, ranks, np.iinfo(ranks.dtype).max).min(1, keepdims=True)


def check_told_of_others(labels: Array | None, inputs: Mapping[str, Array], ignored: int) -> None:
    """Refuse to ask for a word of which nothing is told: who has nothing to see would see everything."""
    if labels is not None and (alone := (labels != ignored) & ~not_the_first(inputs)).any():
        raise ValueError(
            f"labels{np.argwhere(alone)[0].tolist()}: no token has a lower rank, so that there is nothing to tell it "
            f"from; write {ignored} there, or give other tokens a lower rank"
        )


def checked_memory(given: Mapping[str, Array], ids: Array, network: Network) -> Mapping[str, Array]:
    """What layers remember, (B, M, H) by path, as a pass over the segment before gave it."""
    check_remembers(network)
    for path, states in given.items():
        if len(states) != len(ids):
            raise ValueError(
                f"memory: {path.rstrip('.')} remembers {len(states)} texts, but ids are {len(ids)}; give the next "
                "segments of the same texts, or memory={} to begin new ones"
            )
    return given


def check_remembers(network: Network) -> None:
    if not any(isinstance(part, Recurrent) for part in network.walk()):
        raise ValueError(
            "this model remembers nothing; build it with memory=32 or another length, and positions=transformer-xl"
        )


def check_weights(params: Arena) -> None:
    """Refuse weights that are not numbers: every result would be NaN, far from its cause."""
    with np.errstate(over="ignore"):  # large weights are weights nevertheless
        if np.isfinite(params.flat @ params.flat):
            return
    for name, weight in params.items():
        if bad := np.argwhere(~np.isfinite(weight)).tolist():
            raise ValueError(
                f"{name}: {len(bad):,} of {weight.size:,} weights are not finite, first at {bad[0]}; "
                "load an earlier checkpoint, and lower the learning rate if training made them so"
            )


def integers(name: str, given: Any) -> Array:
    values = rectangle(name, given)
    if values.size and not np.issubdtype(values.dtype, np.integer):
        raise ValueError(
            f"{name}: expected integers, got {values.dtype}; token ids come from a tokenizer's encode()"
        )
    return values.astype(np.int64)


def ones_and_zeros(name: str, given: Any, one: str, zero: str) -> Array:
    values = rectangle(name, given)
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        raise ValueError(f"{name}: only 1 ({one}) and 0 ({zero}) may stand in it")
    return values.astype(bool)


def rectangle(name: str, given: Any) -> Array:
    try:
        return np.asarray(given)
    except ValueError:
        raise ValueError(
            f"{name}: the rows have different lengths; fill them up with [PAD] and give an attention_mask"
        ) from None


def same_shape(name: str, values: Array, ids: Array) -> Array:
    if values.ndim == 1:
        values = values[None]
    if values.shape != ids.shape:
        raise ValueError(f"{name}: shape {values.shape} does not match ids, {ids.shape}")
    return values


def check_range(name: str, values: Array, end: int, remedy: str) -> None:
    outside = np.argwhere((values < 0) | (values >= end))
    if len(outside):
        place = tuple(int(i) for i in outside[0])
        raise ValueError(f"{name}{list(place)} = {values[place]} is outside 0..{end - 1}; {remedy}")
