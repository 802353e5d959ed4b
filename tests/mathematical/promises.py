"""What every whole model must satisfy: a check takes a configuration, and raises AssertionError."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy
from mini_bert.core.gradcheck import TOLERANCE, Method, relative_error
from mini_bert.core.trace import Trace
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.mini import MiniBERT
from mini_bert.models.passes import Pass
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.verification import awkward_batch, lively_weights, verify_gradients
from tests.tolerances import assert_close, assert_same_bits

SIZES = {
    "vocab_size": 9,
    "hidden_size": 4,
    "num_layers": 2,
    "num_heads": 2,
    "intermediate_size": 6,
    "max_seq_length": 6,
}
TINY = ModelConfig(**SIZES)
MODELS = {name: ModelConfig.preset(name, **SIZES) for name in presets()}
MODELS["relative"] = TINY.changed(positions="relative", residual="pre-norm", activation="silu")

IDS = np.array([[5, 6, 7, 8, 6, 5], [8, 5, 5, 7, 0, 0], [7, 6, 0, 0, 0, 0]])
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0]])
LABELS = np.full(IDS.shape, -100)
LABELS[[0, 0, 0, 0, 1, 1, 2], [0, 2, 4, 5, 1, 2, 0]] = [5, 8, 6, 1, 5, 7, 0]
"""What is to be predicted: [PAD] = 0 too, a word like any other here; −100 elsewhere and at all padding."""


def lively_model(config: ModelConfig, dtype: DTypeLike = np.float64) -> MiniBERT:
    """A model whose weights are large enough for everything to matter."""
    model = MiniBERT(config, dtype=dtype)
    model.arena.flat[:] = lively_weights(model.network, 0).flat
    return model


def masked_word_gradients(
    config: ModelConfig, params: Arena, batch: MaskedBatch, noise: Noise | None = None
) -> tuple[Array, Arena]:
    """The loss of the training path, which answers only the positions that are asked, and its gradients."""
    network, grads = build_network(config), params.zeros_like()
    loss, t = masked_word_loss(network, params, batch, noise)
    masked_word_backward(network, batch, t, grads)
    return loss, grads


def check_gradients_of(config: ModelConfig, method: Method = "complex", samples: int | None = None) -> None:
    """Every weight's gradient is the numeric one, and no weight is left without."""
    report = verify_gradients(config, method=method, samples=samples)
    assert report.passed, f"{report}\nwithout a gradient: {report.unmoved}"


def check_activation_gradients(config: ModelConfig) -> None:
    """Each activation's gradient tells how the loss moves when a hook moves the activation, any way."""
    model = lively_model(config)
    seen = model.trace(IDS, LABELS, attention_mask=MASK)
    rng = np.random.default_rng(0)
    for name, grad in seen.activation_gradients.arrays.items():
        direction = rng.standard_normal(grad.shape)
        slope = directional_slope(model, name, direction)
        error = relative_error(float((grad * direction).sum()), slope)
        assert error <= TOLERANCE["complex"], (name, error)


def directional_slope(model: MiniBERT, name: str, direction: Array, h: float = 1e-30) -> float:
    """d loss / ds when s · direction is added to an activation, by complex step."""
    predicted = LABELS >= 0
    moved = model.trace(IDS, attention_mask=MASK, hooks={name: lambda value: value + 1j * h * direction})
    loss, _ = cross_entropy(moved.logits, np.where(predicted, LABELS, 0), predicted / predicted.sum())
    return float(loss.imag / h)


def check_padding_never_shows(config: ModelConfig, dtype: DTypeLike = np.float64) -> None:
    """Whatever stands in padding, the logits of real positions and all gradients are the same to the bit."""
    model, real = lively_model(config, dtype), MASK.astype(bool)
    other_ids = np.where(real, IDS, (IDS + 1 + np.arange(IDS.size).reshape(IDS.shape)) % config.vocab_size)
    plain = model.trace(IDS, LABELS, attention_mask=MASK)
    other = model.trace(other_ids, LABELS, attention_mask=MASK)
    assert_same_bits(other.logits[real], plain.logits[real])
    assert other.loss == plain.loss
    assert_same_gradients(other, plain)


def assert_same_gradients(one: Pass, other: Pass) -> None:
    for name, grad in one.gradients.items():
        assert_same_bits(other.gradients[name], grad)


def check_ignored_labels_are_ignored(config: ModelConfig) -> None:
    """The loss is the mean over the positions with a label, of which [PAD] = 0 is one like any other."""
    seen = lively_model(config).trace(IDS, LABELS, attention_mask=MASK)
    losses = [
        np.log(np.exp(seen.logits[place]).sum()) - seen.logits[place][label]
        for place, label in np.ndenumerate(LABELS)
        if label != -100
    ]
    assert_close(np.array(seen.loss), np.mean(losses))
    assert not seen.activation_gradients["logits"][LABELS == -100].any()
    assert seen.activation_gradients["logits"][LABELS != -100].all()


def check_micro_batches_add_up(config: ModelConfig, cuts: tuple[int, ...] = (0, 1, 4, 6)) -> None:
    """The gradients of a batch's pieces, drawn the same noise, sum to that of the batch."""
    params, batch = lively_weights(build_network(config), 0), awkward_batch(config, 0, B=cuts[-1])
    loss, whole = masked_word_gradients(config, params, batch, Noise(1, step=3))
    pieces = [
        masked_word_gradients(config, params, batch.rows(start, stop), Noise(1, step=3, first_row=start))
        for start, stop in pairwise(cuts)
    ]
    assert_close(sum(piece_loss for piece_loss, _ in pieces), loss, rtol=1e-12)
    assert_close(sum(grads.flat for _, grads in pieces), whole.flat, rtol=1e-12)


def check_asked_positions_suffice(config: ModelConfig) -> None:
    """Answering only some positions gives the logits and gradients of answering all and using some."""
    network, params = build_network(config), lively_weights(build_network(config), 0)
    batch = awkward_batch(config, 0)
    _, grads = masked_word_gradients(config, params, batch)

    labels, weights = np.zeros_like(batch.ids), np.zeros(batch.ids.shape)
    np.put_along_axis(labels, batch.positions, batch.labels, 1)
    np.put_along_axis(weights, batch.positions, batch.weights, 1)
    everywhere = np.broadcast_to(np.arange(batch.ids.shape[1]), batch.ids.shape)
    _, all_grads = masked_word_gradients(
        config, params, replace(batch, positions=everywhere, labels=labels, weights=weights)
    )
    assert_close(grads.flat, all_grads.flat, rtol=1e-10)

    asked = network.forward(batch.ids, Trace(params, inputs=batch.inputs, queries=batch.positions))
    every = network.forward(batch.ids, Trace(params, inputs=batch.inputs))
    assert_close(asked, np.take_along_axis(every, batch.positions[..., None], 1), rtol=1e-10)


def check_checkpointing_changes_nothing(config: ModelConfig) -> None:
    """Computed again instead of remembered: the same loss and gradients, bit for bit, noise and all."""
    params, batch = lively_weights(build_network(config), 0), awkward_batch(config, 0)
    plain, again = (
        masked_word_gradients(config.changed(checkpoint_activations=setting), params, batch, Noise(5))
        for setting in (False, True)
    )
    assert_same_bits(again[0], plain[0])
    assert_same_bits(again[1].flat, plain[1].flat)
