"""Probes: classifiers of our own layers, trained by our own optimizer on vectors that do not change.

    probe = fit(vectors, labels, 17, "linear", seed=0, dev=(dev_vectors, dev_labels))
    probe.log_probs(test_vectors)          # (N, 17)

linear:  ln p = log_softmax(W x̂ + b)
mlp:     ln p = log_softmax(W₂ max(W₁ x̂ + b₁, 0) + b₂)

x̂ is x with mean 0 and deviation 1 in each dimension, as seen in training: so one learning rate suits all layers.
After each epoch the loss on dev is taken, and what was best is kept. The probe that has learned nothing takes part:
where there is nothing to learn, it wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal, NamedTuple, Protocol

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.linear import sum_rows
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward, log_softmax
from mini_bert.core.initializers import Initializer
from mini_bert.core.layer import Layer, Weight
from mini_bert.core.layers import Linear, ReLU
from mini_bert.core.trace import Trace
from mini_bert.training.optimizers import AdamW

Kind = Literal["linear", "mlp"]

LEARNING_RATE: dict[Kind, float] = {"linear": 2e-2, "mlp": 1e-2}
WEIGHT_DECAY = 0.01
LARGEST_BATCH, SMALLEST_BATCH, BATCHES_OF_AN_EPOCH = 1024, 16, 200
FEWEST_STEPS, MOST_EPOCHS = 500, 30
"""Few examples are seen more often than many, until there were so many steps, but not more often than that."""
ROWS_AT_ONCE = 2048


class Vectors(Protocol):
    """Rows of float32 (N, D): an array, or what makes the rows that are asked for out of others."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, rows: Array | slice, /) -> Array: ...


class Gathered:
    """Rows (N, k·H) that join k of the vectors (W, H) each, made when they are asked for: pairs of words take no room.

    `places` (N, k) says which.
    """

    def __init__(self, vectors: Array, places: Array) -> None:
        self.vectors, self.places = vectors, places
        self.shape: tuple[int, ...] = (len(places), places.shape[1] * vectors.shape[1])

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: Array | slice, /) -> Array:
        places = self.places[rows]
        return self.vectors[places].reshape(len(places), -1)


class Lowest(Linear):
    """y = x Wᵀ + b, where nothing is below: dx, which nobody asks for, is not computed."""

    def backward(self, dy: Array, t: Trace) -> Array:
        t.add_grads(weight=np.matmul(dy.T, t["x"], out=t.blank_grad("weight")), bias=sum_rows(dy))
        return dy


@dataclass(frozen=True)
class LinearScores(Layer):
    """scores = W x + b"""

    scores: Lowest

    def forward(self, x: Array, t: Trace) -> Array:
        return self.scores.forward(x, t / "scores")

    def backward(self, dy: Array, t: Trace) -> Array:
        return self.scores.backward(dy, t / "scores")


@dataclass(frozen=True)
class MLPScores(Layer):
    """scores = W₂ max(W₁ x + b₁, 0) + b₂"""

    hidden: Lowest
    relu: ReLU
    scores: Linear

    def forward(self, x: Array, t: Trace) -> Array:
        h = self.relu.forward(self.hidden.forward(x, t / "hidden"), t / "relu")
        return self.scores.forward(h, t / "scores")

    def backward(self, dy: Array, t: Trace) -> Array:
        dh = self.relu.backward(self.scores.backward(dy, t / "scores"), t / "relu")
        return self.hidden.backward(dh, t / "hidden")


class Beginning(Initializer):
    """Scores begin at 0, so that an untrained probe holds all classes for equally likely; below, as He et al. 2015."""

    def spread(self, name: str, weight: Weight) -> float:
        return 0.0 if name.startswith("scores.") else sqrt(2 / weight.shape[-1])


class Scaling(NamedTuple):
    """x̂ = (x − mean) · inverse"""

    mean: Array
    inverse: Array

    @classmethod
    def of(cls, vectors: Vectors) -> Scaling:
        """Of the deviation in each dimension; one in which nothing varies becomes 0."""
        N, D = vectors.shape
        total, squares = np.zeros(D), np.zeros(D)
        first = np.asarray(vectors[:1], np.float64)[0]
        for rows in chunks(N):
            x = vectors[rows] - first.astype(np.float32)  # near 0, where squares do not cancel
            total += sum_rows(x)
            squares += sum_rows(x * x)
        mean = total / N
        deviation = np.sqrt(np.maximum(squares / N - mean * mean, 0))
        inverse = np.divide(1, deviation, out=np.zeros(D), where=deviation > 1e-6 * (1 + abs(first)))
        return cls((mean + first).astype(np.float32), inverse.astype(np.float32))

    def scaled(self, x: Array) -> Array:
        y: Array = x - self.mean
        y *= self.inverse
        return y


@dataclass(frozen=True)
class Probe:
    """A trained classifier with the scaling of its input."""

    network: LinearScores | MLPScores
    params: Arena
    scaling: Scaling

    def log_probs(self, vectors: Vectors) -> Array:
        """ln p (N, classes)"""
        t = Trace(self.params, keeps=False)
        found = [
            log_softmax(self.network.forward(self.scaling.scaled(vectors[rows]), t))
            for rows in chunks(len(vectors))
        ]
        return np.concatenate(found)

    def loss(self, vectors: Vectors, labels: Array) -> float:
        """−(1/N) Σ ln p[label], in nats"""
        log_p = self.log_probs(vectors)
        return float(-log_p[np.arange(len(labels)), labels].mean(dtype=np.float64))


def fit(
    vectors: Vectors,
    labels: Array,
    classes: int,
    kind: Kind,
    seed: int,
    dev: tuple[Vectors, Array],
    width: int = 64,
    epochs: int = 5,
) -> Probe:
    """The probe that was best on dev, of a fixed number of epochs in which the learning rate falls to 0.

    vectors (N, D), labels (N,) from 0; `width` is that of an MLP's hidden layer. Few examples are seen in more
    epochs than that, until there were enough steps.
    """
    if not len(labels) or not len(dev[1]):
        raise ValueError(
            "a probe needs examples to learn from and others to be judged by; one of these is empty"
        )
    network = network_of(vectors.shape[1], classes, kind, width)
    params = Arena(network.all_weights())
    Beginning().fill(params, seed)
    optimizer = AdamW(params, learning_rate=LEARNING_RATE[kind], weight_decay=WEIGHT_DECAY)
    probe = Probe(network, params, Scaling.of(vectors))
    best, best_loss = params.copy(), probe.loss(*dev)
    rng = np.random.default_rng([seed, len(labels)])
    batch = batch_size(len(labels))
    steps_of_epoch = ceil(len(labels) / batch)
    epochs = max(epochs, min(MOST_EPOCHS, ceil(FEWEST_STEPS / steps_of_epoch)))
    grads = params.zeros_like()
    for _ in range(epochs):
        order = rng.permutation(len(labels))
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            gradients(probe, vectors[rows], labels[rows], grads)
            optimizer.learning_rate = LEARNING_RATE[kind] * (1 - optimizer.steps / (epochs * steps_of_epoch))
            optimizer.step(grads)
        if (loss := probe.loss(*dev)) < best_loss:
            best, best_loss = params.copy(), loss
    return Probe(network, best, probe.scaling)


def network_of(inputs: int, classes: int, kind: Kind, width: int) -> LinearScores | MLPScores:
    if kind == "linear":
        return LinearScores(Lowest(inputs, classes))
    return MLPScores(Lowest(inputs, width), ReLU(), Linear(width, classes))


def batch_size(examples: int) -> int:
    """So that an epoch has some steps, and a step enough to do."""
    return int(np.clip(examples // BATCHES_OF_AN_EPOCH, SMALLEST_BATCH, LARGEST_BATCH))


def gradients(probe: Probe, x: Array, labels: Array, grads: Arena) -> None:
    """grads ← those of the mean loss"""
    t = Trace(probe.params, grads)
    t.unwritten.update(grads)
    weights = np.full(len(labels), 1 / len(labels))
    _, p = cross_entropy(probe.network.forward(probe.scaling.scaled(x), t), labels, weights)
    probe.network.backward(cross_entropy_backward(p, labels, weights), t)


def chunks(N: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, N, ROWS_AT_ONCE))
