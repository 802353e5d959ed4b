"""One text read many times at once, each time with something in the model changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mini_bert.analysis.question import Question, tell
from mini_bert.analysis.reading import Reading
from mini_bert.core.array import Array
from mini_bert.core.network import Network
from mini_bert.core.trace import Hook, Trace
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import find

Change = Callable[[Array], Array]
"""From one text's activation, without the axis of texts, to another of the same shape."""
Changes = Mapping[str, Change]
"""By the activation's dotted name."""
CONTEXT = "encoder.layers.{i}.attn.context"
TOKENS_AT_ONCE = 2048


def told_after(
    reading: Reading,
    question: Question,
    changes: Sequence[Changes],
    network: Network | None = None,
    go_on: Callable[[], None] = lambda: None,
) -> Array:
    """What is told at the places of the question after each of N changes, (N, k, C).

    All go through the model as rows of one batch; what hooks the text was read with come before the changes. `network`
    takes the place of the model's own, with its weights. `go_on` is called before each batch, and may raise to stop.
    """
    at_once = max(1, TOKENS_AT_ONCE // len(reading.ids))
    parts = []
    for start in range(0, len(changes), at_once):
        go_on()
        some = changes[start : start + at_once]
        parts.append(told_by_rows(reading, question, some, network or reading.model.network))
    return np.concatenate(parts)


def told_by_rows(reading: Reading, question: Question, changes: Sequence[Changes], network: Network) -> Array:
    by_name: dict[str, dict[int, Change]] = {}
    for row, changed in enumerate(changes):
        for name, change in changed.items():
            by_name.setdefault(name, {})[row] = change
    N, own = len(changes), reading.passed.trace.hooks
    inputs = {name: np.repeat(values, N, axis=0) for name, values in reading.passed.trace.inputs.items()}
    t = Trace(
        reading.model.arena,
        inputs=inputs,
        hooks={
            name: on_rows(by_name.get(name, {}), own.get(name)) for name in dict.fromkeys([*own, *by_name])
        },
        keeps=False,
    )
    hidden = network.encode(np.repeat(reading.ids[None], N, axis=0), t)
    if unmet := sorted(by_name.keys() - t.met):
        raise ValueError(
            f"{unmet[0]}: no part of the forward pass reads it; change the activation it is made from"
        )
    return tell(reading.model, hidden, question.places, t)


def on_rows(changes: Mapping[int, Change], own: Hook | None = None) -> Hook:
    """`own`, which was made for one text, on each row; then the changes, each on its own row."""

    def hook(values: Array) -> Array:
        if own is not None:
            for row in range(len(values)):
                values[row : row + 1] = own(values[row : row + 1].copy())
        for row, change in changes.items():
            values[row] = change(values[row])
        return values

    return hook


def layered(model: MiniBERT, pattern: str) -> list[str]:
    """The names of one kind of activation in all layers: `layered(model, "encoder.layers.{i}.attn.out")`"""
    rows = ((name, find(name, "dotted")) for name in model.activation_names)
    return [name for name, row in rows if row is not None and row[0].dotted == pattern]


def head_columns(model: MiniBERT, head: int) -> slice:
    """Which numbers of a context (T, H), where heads stand side by side, are those of one head."""
    D = model.config.hidden_size // model.config.num_heads
    return slice(head * D, (head + 1) * D)


def check_head(model: MiniBERT, layer: int, head: int) -> None:
    layers, heads = len(layered(model, CONTEXT)), model.config.num_heads
    if not (0 <= layer < layers and 0 <= head < heads):
        raise ValueError(
            f"layer {layer}, head {head}: the model has layers 0 to {layers - 1} with heads 0 to {heads - 1}"
        )


def constant(value: Any) -> Change:
    """Whatever was there, this is there now."""
    return lambda x: np.broadcast_to(np.asarray(value, x.dtype), x.shape)
