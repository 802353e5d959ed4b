"""An architecture of your own, from parts: settings choose most of them, and any part can be exchanged for another.

Here a small pre-norm model with rotary positions and a gated feed-forward gets an activation that the package has not:
y = x², for x > 0 (Primer's squared ReLU, So et al. 2021). It is proven by numeric gradients, then trained.
"""

import argparse
from dataclasses import dataclass, fields, is_dataclass, replace

import numpy as np

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer
from mini_bert.analysis.lessons import gradient_at, lesson_of, loss_at
from mini_bert.core.array import Array
from mini_bert.core.layer import Layer, Part
from mini_bert.core.layers import GELU
from mini_bert.core.trace import Trace
from mini_bert.data.world import texts
from mini_bert.training.optimizers import AdamW


@dataclass(frozen=True)
class SquaredReLU(Layer):
    """y = max(x, 0)²"""

    def forward(self, x: Array, t: Trace) -> Array:
        positive = t.keep("positive", np.maximum(x, 0))
        return positive * positive

    def backward(self, dy: Array, t: Trace) -> Array:
        return 2 * t["positive"] * dy


def exchanged(part: Part, old: type[Part], new: Part) -> Part:
    """The same part with every `old` below it replaced by `new`; parts are frozen values, so a copy is made."""
    if isinstance(part, old):
        return new
    changes = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Part) and is_dataclass(value):
            changes[field.name] = exchanged(value, old, new)
        elif isinstance(value, tuple) and all(isinstance(one, Part) for one in value):
            changes[field.name] = tuple(exchanged(one, old, new) for one in value)
    return replace(part, **changes)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--smoke", action="store_true", help="ten steps")
args = parser.parse_args()

config = ModelConfig.preset(
    "debug", residual="pre-norm", positions="rotary", feed_forward="gated", activation="gelu"
)
model = MiniBERT(config, dtype="float64")
model.tokenizer = WordPieceTokenizer.train(texts(200), vocab_size=config.vocab_size)
model.network = exchanged(model.network, GELU, SquaredReLU())
print(model.network.encoder.layers[0].ffn)

lesson = lesson_of(model, list(texts(8)))
loss, gradient = gradient_at(model, lesson)
name, index, h = "encoder.layers.0.ffn.up.weight", (3, 5), 1e-5
before = model.arena[name][index]
sides = []
for side in (h, -h):
    model.arena[name][index] = before + side
    sides.append(loss_at(model, lesson))
model.arena[name][index] = before
slope = (sides[0] - sides[1]) / (2 * h)
print(f"{name}{list(index)}: backward {gradient[name][index]:.6e}, by moving it {slope:.6e}")

optimizer = AdamW(model.arena, learning_rate=5e-3)
steps = 10 if args.smoke else args.steps
for _ in range(steps):
    now, gradient = gradient_at(model, lesson, gradient)
    optimizer.step(gradient)
print(f"loss on the batch: {loss:.3f} before, {loss_at(model, lesson):.3f} after {steps} steps")
