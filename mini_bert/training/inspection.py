"""A look inside a training step: gradients and updates by layer, attention by head, activations, and the data.

inspector = Inspector(model, tokenizer)
before = inspector.before(grads)             # with the step's own gradients, before the weights move
...                                          # the step
inspector.after(before, batch)               # a dict for metrics.jsonl
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log, sqrt
from typing import Any
from zlib import crc32

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.electra import Electra
from mini_bert.core.feedforward import FeedForward
from mini_bert.core.layers import ReLU
from mini_bert.core.trace import Trace
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.layer_rates import LAYER
from mini_bert.training.memory import resident_bytes
from mini_bert.training.objectives import MaskedBatch

SAMPLE_ROWS = 8
ATTENTION, HIDDEN = "encoder.layers.*.attn.probs", "encoder.layers.*.ffn.hidden"
ACTIVATIONS = ("embeddings.out", "encoder.layers.*.out", "hidden")


@dataclass(frozen=True)
class Before:
    """What must be noted before the weights move."""

    weights: Array
    gradient_norms: dict[str, float]


class Inspector:
    """Inspects the steps of one run. Which rows it saw last is its only memory."""

    def __init__(self, model: MiniBERT, tokenizer: Tokenizer) -> None:
        self.model = model
        self.layers: dict[str, list[str]] = {}
        for name in model.arena:
            self.layers.setdefault(layer_of(name), []).append(name)
        self.mask_id, self.unknown_id, self.pad_id = tokenizer.mask_id, tokenizer.unk_id, tokenizer.pad_id
        self.special_ids = tokenizer.special_ids
        self.seen: set[int] = set()

    def before(self, grads: Arena) -> Before:
        return Before(self.model.arena.flat.copy(), self.norms(grads))

    def after(self, before: Before, batch: MaskedBatch) -> dict[str, Any]:
        """All that a step shows, once its weights have moved."""
        weights = self.norms(self.model.arena)
        change = self.model.arena.zeros_like()
        np.subtract(self.model.arena.flat, before.weights, out=change.flat)
        changes = self.norms(change)
        return {
            "layers": {
                layer: {
                    "gradient_norm": before.gradient_norms[layer],
                    "weight_norm": weights[layer],
                    "update_ratio": changes[layer] / weights[layer] if weights[layer] else 0.0,
                }
                for layer in self.layers
            },
            **self.activity(batch),
            "data": self.data(batch),
            "resident_bytes": resident_bytes(),
        }

    def norms(self, arena: Arena) -> dict[str, float]:
        """‖w‖ of all weights of each layer together."""
        with np.errstate(over="ignore", invalid="ignore"):
            return {layer: norm(arena[name] for name in names) for layer, names in self.layers.items()}

    @np.errstate(over="ignore", invalid="ignore")
    def activity(self, batch: MaskedBatch) -> dict[str, Any]:
        """A pass over a few rows of the batch, as the model is now; it reads them all at once, in no order."""
        rows = batch.rows(0, SAMPLE_ROWS)
        inputs = {name: array for name, array in (rows.inputs or {}).items() if name != "order"}
        watch = (ATTENTION, HIDDEN, *ACTIVATIONS)
        trace = Trace(self.model.arena, inputs=inputs, watch=watch, keeps=False)
        reads_whole_text = isinstance(self.model.network, Electra)
        self.model.network.encode(rows.text() if reads_whole_text else rows.ids, trace)
        real = (rows.inputs or {}).get("attention_mask")
        real = np.ones(rows.ids.shape, bool) if real is None else np.asarray(real, bool)
        depth = range(self.model.config.num_layers)
        return {
            "attention_entropy": [entropies(trace.acts[ATTENTION.replace("*", str(i))], real) for i in depth],
            "most_entropy": log(rows.ids.shape[1]),
            "activations": {
                name: statistics(found[real])
                for name, found in trace.acts.items()
                if found.shape[:2] == real.shape and not name.endswith("ffn.hidden")
            },
            "dead_units": [dead_share(trace.acts[HIDDEN.replace("*", str(i))][real]) for i in depth]
            if self.has_relu
            else None,
        }

    @property
    def has_relu(self) -> bool:
        return any(
            isinstance(part, FeedForward) and isinstance(part.activation, ReLU)
            for part in self.model.network.walk()
        )

    def data(self, batch: MaskedBatch) -> dict[str, float]:
        """What the batch shows and asks, in shares of its tokens; of one that hides nothing, not what is hidden."""
        asked = batch.weights > 0
        text = batch.ids if self.model.config.causal else batch.text()
        words = ~np.isin(text, [i for i in self.special_ids if i != self.unknown_id])
        rows = [crc32(np.ascontiguousarray(row).tobytes()) for row in text]
        again = sum(row in self.seen for row in rows) + len(rows) - len(set(rows))
        self.seen = set(rows)
        return {
            "asked": float(asked.sum() / text.size),
            **({} if self.model.config.causal else self.disguise(batch, asked)),
            "unknown": share(text[words] == self.unknown_id),
            "padding": share(text == self.pad_id),
            "repeated": min(1.0, again / len(rows)),
        }

    def disguise(self, batch: MaskedBatch, asked: Array) -> dict[str, float]:
        """How many of the words that are asked for are shown as [MASK], and as themselves."""
        shown = np.take_along_axis(batch.ids, batch.positions, 1)[asked]
        return {"hidden": share(shown == self.mask_id), "kept": share(shown == batch.labels[asked])}

    def state(self) -> list[int]:
        return sorted(self.seen)

    def load_state(self, seen: Iterable[int]) -> None:
        self.seen = set(seen)


def layer_of(weight: str) -> str:
    """`encoder.layers.0.attn.query.weight` → `encoder.layers.0`, `head.decoder.bias` → `head`"""
    found = LAYER.match(weight)
    return found[0].removesuffix(".") if found else weight.partition(".")[0]


def norm(arrays: Iterable[Array]) -> float:
    return sqrt(sum(float(np.dot(array.reshape(-1), array.reshape(-1))) for array in arrays))


def share(condition: Any) -> float:
    """How much of it is true; 0 of nothing."""
    condition = np.asarray(condition)
    return float(condition.mean()) if condition.size else 0.0


def entropies(probs: Array, real: Array) -> list[float]:
    """−Σ p ln p of each head, the mean over the tokens that ask: probs (B, A, T, T), real (B, T) → A numbers"""
    entropy = -(probs * np.log(np.maximum(probs, np.finfo(probs.dtype).tiny))).sum(-1)
    return [float(number) for number in entropy.swapaxes(0, 1)[:, real].mean(1)]


def statistics(values: Array) -> dict[str, float]:
    return {"mean": float(values.mean()), "std": float(values.std()), "largest": float(np.abs(values).max())}


def dead_share(hidden: Array) -> float:
    """Of the units (n, I), those that are zero for every token."""
    return share(~(hidden > 0).any(0))
