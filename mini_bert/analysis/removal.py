"""How a part of a model is taken out while it reads: what stands in the place of what it would write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from mini_bert.analysis.reading import Reading
from mini_bert.analysis.variants import CONTEXT, Change, Changes, check_head, head_columns, layered
from mini_bert.core.array import Array
from mini_bert.core.trace import Hook
from mini_bert.models.mini import MiniBERT

By = Literal["zero", "mean"]
Kind = Literal["head", "attention", "feed-forward", "layer"]
OUTPUTS: dict[Kind, str] = {
    "attention": "encoder.layers.{i}.attn.out",
    "feed-forward": "encoder.layers.{i}.ffn.out",
}
PASSED_ON = ("embeddings.out", "encoder.questions")


class Removal(NamedTuple):
    kind: Kind
    layer: int
    head: int | None
    changes: Changes


def removals(readings: Sequence[Reading], by: By, kinds: Collection[str]) -> list[Removal]:
    """Of every part of these kinds, in the order of the forward pass."""
    model = readings[0].model
    if any(reading.model is not model for reading in readings):
        raise ValueError("the readings are by different models; give those of one")
    found: list[Removal] = []
    if "head" in kinds:
        for layer, name in enumerate(layered(model, CONTEXT)):
            instead = replacement(readings, name, by)
            found += [
                Removal("head", layer, head, {name: head_replaced(model, head, instead)})
                for head in range(model.config.num_heads)
            ]
    for kind, pattern in OUTPUTS.items():
        if kind in kinds:
            found += [
                Removal(kind, layer, None, {name: replaced_by(replacement(readings, name, by))})
                for layer, name in enumerate(layered(model, pattern))
            ]
    if "layer" in kinds:
        found += [Removal("layer", layer, None, changes) for layer, changes in enumerate(bypasses(model))]
    return found


def without_heads(
    model: MiniBERT, heads: Iterable[tuple[int, int]], reading: Reading | None = None
) -> dict[str, Hook]:
    """Hooks that take out heads, given as (layer, head): `read(model, text, hooks=without_heads(model, [(2, 1)]))`.

    Each writes zeros, or if a reading is given, its mean there.
    """
    names = layered(model, CONTEXT)
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        check_head(model, layer, head)
        by_layer.setdefault(layer, []).append(head)

    def hook(layer: int) -> Hook:
        instead = 0.0 if reading is None else replacement([reading], names[layer], "mean")

        def change(context: Array) -> Array:
            for head in by_layer[layer]:
                for row in context:
                    row[...] = head_replaced(model, head, instead)(row)
            return context

        return change

    return {names[layer]: hook(layer) for layer in by_layer}


def replacement(readings: Sequence[Reading], name: str, by: By) -> Array | float:
    """Zero, or the mean over all places of all readings (H,)."""
    if by == "zero":
        return 0.0
    rows = np.concatenate([reading.passed.arrays[name][0] for reading in readings])
    mean: Array = rows.mean(0)
    return mean


def replaced_by(instead: Array | float) -> Change:
    def change(x: Array) -> Array:
        x[...] = instead
        return x

    return change


def head_replaced(model: MiniBERT, head: int, instead: Array | float) -> Change:
    columns = head_columns(model, head)

    def change(context: Array) -> Array:
        context[:, columns] = instead if np.isscalar(instead) else np.asarray(instead)[columns]
        return context

    return change


def bypasses(model: MiniBERT) -> list[Changes]:
    """For each layer, changes that pass on what it reads."""
    out = layered(model, "encoder.layers.{i}.out")
    known = {*PASSED_ON, *out}
    stream = [name for name in model.activation_names if name in known]
    return [bypass(read, written) for read, written in pairwise(stream) if written in out]


def bypass(read: str, written: str) -> Mapping[str, Change]:
    kept: dict[str, Array] = {}

    def remember(x: Array) -> Array:
        kept["x"] = x.copy()
        return x

    return {read: remember, written: lambda _: kept["x"]}
