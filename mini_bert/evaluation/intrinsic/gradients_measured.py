"""The gradient of one batch by layer and by kind of weight, beside the weights."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.diagnosis.inside import ENCODER, depth_of
from mini_bert.evaluation.intrinsic.metrics import compute_gradient_norm
from mini_bert.evaluation.intrinsic.one_batch import Lesson, learned_from
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.inspection import Inspector, layer_of

KINDS = ("query", "key", "value", "output", "up", "gate", "down", "norm", "bias", "table", "other")
TINY = 1e-30


class LayerHealth(NamedTuple):
    """‖g‖ and ‖w‖ of a layer, and the share of its gradient's entries that are exactly 0."""

    gradient_norm: float
    weight_norm: float
    zeros: float

    @property
    def ratio(self) -> float:
        return self.gradient_norm / max(self.weight_norm, TINY)


class Health(NamedTuple):
    """Of one model: loss, gradient norm, its layers, ‖g‖/‖w‖ by (layer, kind of weight), and sleeping units."""

    loss: float
    norm: float
    layers: dict[str, LayerHealth]
    ratios: dict[tuple[str, str], float]
    dead_units: list[float] | None

    @property
    def encoder(self) -> list[str]:
        return sorted((name for name in self.layers if name.startswith(ENCODER)), key=depth_of)

    @property
    def depth(self) -> float | None:
        """‖g‖ of the first layer / of the last one."""
        if len(self.encoder) < 2:
            return None
        first, last = (self.layers[self.encoder[at]].gradient_norm for at in (0, -1))
        return first / max(last, TINY)

    @property
    def stillest(self) -> float:
        """The smallest ‖g‖ of a layer / of the whole model."""
        if not self.encoder:
            return 1.0
        return min(self.layers[name].gradient_norm for name in self.encoder) / max(self.norm, TINY)


def health_of(model: MiniBERT, lesson: Lesson, tokenizer: Tokenizer) -> Health:
    with np.errstate(over="ignore", invalid="ignore"):
        loss, _, gradient = learned_from(model, lesson)
        inspector = Inspector(model, tokenizer)
        layers = {
            layer: LayerHealth(
                compute_gradient_norm({name: gradient[name] for name in names}),
                compute_gradient_norm({name: model.arena[name] for name in names}),
                zero_share([gradient[name] for name in names]),
            )
            for layer, names in inspector.layers.items()
        }
        dead = inspector.activity(lesson.batch)["dead_units"]
        return Health(loss, compute_gradient_norm(gradient), layers, ratios_of(model, gradient), dead)


def zero_share(arrays: list[Array]) -> float:
    return float(sum(np.count_nonzero(array == 0) for array in arrays) / sum(array.size for array in arrays))


def ratios_of(model: MiniBERT, gradient: Arena) -> dict[tuple[str, str], float]:
    """‖g‖ / ‖w‖ of all weights of one kind in one layer; weights that are all 0 have none."""
    squares: dict[tuple[str, str], list[float]] = {}
    for name in model.arena:
        both = squares.setdefault((layer_of(name), kind_of(name)), [0.0, 0.0])
        both[0] += compute_gradient_norm(gradient[name]) ** 2
        both[1] += compute_gradient_norm(model.arena[name]) ** 2
    return {place: sqrt(g / w) for place, (g, w) in squares.items() if w > 0 and isfinite(g)}


def kind_of(name: str) -> str:
    """
    >>> kind_of("encoder.layers.0.attn.query.weight"), kind_of("encoder.layers.0.ffn.norm.bias"), kind_of("head.bias")
    ('query', 'norm', 'bias')
    """
    parts = name.split(".")
    if "norm" in name:
        return "norm"
    if parts[-1] == "bias":
        return "bias"
    if parts[0] == "embeddings":
        return "table"
    return next((kind for kind in KINDS if kind in parts), "other")
