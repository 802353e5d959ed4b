"""A term of your own in attention: s = −|i − j| eᵐ, a slope m for each head, learned (after ALiBi, Press et al. 2022).

Attention is softmax(Σ terms(q, k)) v. A term returns scores, and gives its weights their gradients.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer
from mini_bert.analysis.lessons import gradient_at, lesson_of, loss_at
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.layer import Weight
from mini_bert.core.terms import Term, distances
from mini_bert.core.trace import Trace
from mini_bert.data.world import texts
from mini_bert.models.build import build_initializer
from mini_bert.training.optimizers import AdamW


@dataclass(frozen=True)
class Nearness(Term):
    """s = −eᵐ |i − j|,  dm = Σ ds · s"""

    scope = "nearness"

    A: int

    def weights(self) -> dict[str, Weight]:
        return {"slope": Weight((self.A,), "bias")}

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        far = np.abs(distances(q, k, t)).astype(q.real.dtype)
        return -np.exp(t.param("slope"))[:, None, None] * far[..., None, :, :]

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> None:
        t.add_grads(slope=(ds * self.forward(q, k, t)).sum((0, 2, 3)))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--smoke", action="store_true", help="ten steps")
args = parser.parse_args()

config = ModelConfig.preset("debug")
model = MiniBERT(config, dtype="float64")
model.tokenizer = WordPieceTokenizer.train(texts(200), vocab_size=config.vocab_size)


def with_nearness(layer):
    attention = layer.attn.body
    return replace(
        layer,
        attn=replace(layer.attn, body=replace(attention, terms=(*attention.terms, Nearness(attention.A)))),
    )


encoder = model.network.encoder
model.network = replace(
    model.network, encoder=replace(encoder, layers=tuple(with_nearness(layer) for layer in encoder.layers))
)
model.arena = Arena(model.network.all_weights(), model.dtype)
build_initializer(config).fill(model.arena, seed=0)
slopes = [name for name in model.arena if name.endswith("slope")]
print("new weights:", ", ".join(slopes))

lesson = lesson_of(model, list(texts(8)))
loss, gradient = gradient_at(model, lesson)
name, index, h = slopes[0], (1,), 1e-5
sides = []
for side in (-h, h):
    model.arena[name][index] = side
    sides.append(loss_at(model, lesson))
model.arena[name][index] = 0
print(
    f"slope of the slope: backward {gradient[name][index]:.6e}, by moving it {np.diff(sides)[0] / (2 * h):.6e}"
)

optimizer = AdamW(model.arena, learning_rate=1e-2)
steps = 10 if args.smoke else args.steps
for _ in range(steps):
    _, gradient = gradient_at(model, lesson, gradient)
    optimizer.step(gradient)
print(f"loss on the batch: {loss:.3f} before, {loss_at(model, lesson):.3f} after {steps} steps")
for name in slopes:
    print(name, np.exp(model.arena[name]).round(2))
