"""What every whole model must satisfy: a check takes a configuration, and raises AssertionError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy
from mini_bert.core.gradcheck import TOLERANCE, Method, check_gradients, relative_error
from mini_bert.core.trace import Hook, Trace
from mini_bert.guide import MiniBERTGradients
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.verification import awkward_batch, lively_weights, verify_gradients
from tests.mathematical.battery import assert_all_differ
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


def tiny_presets() -> dict[str, ModelConfig]:
    """The presets that tell words, at those sizes: of each set of parts one, for sizes are all that many differ in."""
    found: dict[ModelConfig, str] = {}
    for name in presets():
        config = ModelConfig.preset(name, **SIZES)
        width = config.embedding_size and 3
        if config.head == "words":
            found.setdefault(config.changed(embedding_size=width), name)
    return {name: config for config, name in found.items()}


MODELS = tiny_presets()
MODELS["relative"] = TINY.changed(positions="relative", residual="pre-norm", activation="silu")

IDS = np.array([[5, 6, 7, 8, 6, 5], [8, 5, 5, 7, 0, 0], [7, 6, 0, 0, 0, 0]])
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0]])
LABELS = np.full(IDS.shape, -100)
LABELS[[0, 0, 0, 0, 1, 1, 2], [0, 2, 4, 5, 1, 2, 0]] = [5, 8, 6, 1, 5, 7, 0]
"""What is to be predicted: [PAD] = 0 too, a word like any other here; −100 elsewhere and at all padding."""


BACKWARD_ONLY = {"x_hat", "inv_sigma", "inv_r", "cdf", "tanh_u", "sigma", "softmax", "y"}
"""What the parts call the arrays that no forward pass reads again."""


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
    moved = model.trace(IDS, attention_mask=MASK, hooks={name: lambda value: value + 1j * h * direction})
    return float(loss_of(moved.logits).imag / h)


def loss_of(logits: Array) -> Array:
    """The mean cross-entropy of LABELS, for logits that may be complex."""
    predicted = LABELS != -100
    return cross_entropy(logits, np.where(predicted, LABELS, 0), predicted / predicted.sum())[0]


def check_hooks_add_constants(config: ModelConfig, method: Method = "complex") -> None:
    """With a constant added at any activation, the gradients are those of the loss that has the constant in it.

    All weights are moved at once, in a random direction: a wrong gradient of any one of them changes the slope.
    """
    config = config.changed(vocab_size=10)  # one more than in IDS: they too are an activation, and grow by 1
    model, rng = lively_model(config), np.random.default_rng(0)
    plain, inputs = model.trace(IDS, LABELS, attention_mask=MASK), {"attention_mask": MASK.astype(bool)}
    direction = model.arena.zeros_like()
    direction.flat[:] = rng.standard_normal(direction.flat.size)
    direction.flat[:] /= np.linalg.norm(direction.flat)

    for name, value in plain.arrays.items():
        if is_backward_only(name):
            continue
        is_float = np.issubdtype(value.dtype, np.inexact)
        constant = rng.standard_normal(value.shape) if is_float else np.ones_like(value)
        hooks = {name: constant.__add__}

        def loss(at: Mapping[str, Array], hooks: Mapping[str, Hook] = hooks) -> Array:
            params = {name: weight + at["step"] * direction[name] for name, weight in model.arena.items()}
            return loss_of(model.network.forward(IDS, Trace(params, inputs=inputs, hooks=hooks)))

        hooked = model.trace(IDS, LABELS, attention_mask=MASK, hooks=hooks)
        assert (hooked.logits != plain.logits).any(), name
        slope = sum((grad * direction[name]).sum() for name, grad in hooked.gradients.arrays.items())
        (check,) = check_gradients(loss, {"step": np.zeros(1)}, {"step": np.array([slope])}, method)
        assert check.worst <= TOLERANCE[method], (name, check)


def check_unheard_hooks_are_refused(config: ModelConfig) -> None:
    """No hook may replace what only the backward pass reads, for the loss would not change; any other may."""
    model = lively_model(config)
    refused = {name for name in model.activation_names if is_refused(model, name)}
    assert refused == set(filter(is_backward_only, model.activation_names))


def is_refused(model: MiniBERT, name: str) -> bool:
    try:
        model.trace(IDS, hooks={name: np.copy})
    except ValueError as error:
        return f"{name}: only the backward pass reads it" in str(error)
    return False


def is_backward_only(name: str) -> bool:
    return name.rpartition(".")[2] in BACKWARD_ONLY


def check_backward_passes_keep_apart(config: ModelConfig) -> None:
    """Two backward passes through one cache: each has its own gradients, and what was handed out stays."""
    model = lively_model(config)
    masked, wanted = LABELS != -100, model.trace(IDS, LABELS)
    before, after = model.trace(IDS), model.trace(IDS)
    handed_out = before.activation_gradients
    copies = {name: grad.copy() for name, grad in handed_out.items()}

    for cache in (before, after):
        mine = MiniBERTGradients(model)
        _, grad_logits = mine.compute_mlm_loss_and_gradients(cache.logits, LABELS, masked)
        mine.backward_from_logits(grad_logits, cache)
        assert not mine.activation_gradients["logits"][~masked].any()
        assert mine.activation_gradients["logits"][masked].all()
        assert_same_arrays(mine.activation_gradients, wanted.activation_gradients)
        assert_same_arrays(mine.gradients, wanted.gradients)

    assert_same_arrays(handed_out, copies)
    assert_same_arrays(before.activation_gradients, copies)
    assert_same_arrays(after.gradients, before.gradients)  # these were computed first, those last
    assert_same_arrays(after.activation_gradients, copies)


def assert_same_arrays(found: Mapping[str, Array], wanted: Mapping[str, Array]) -> None:
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert_same_bits(found[name], array)


def check_each_dropout_has_its_own_noise(config: ModelConfig) -> None:
    """In one training pass no two places drop alike, whether or not they share their weights."""
    network = build_network(config)
    _, t = masked_word_loss(network, lively_weights(network, 0), awkward_batch(config, 0), Noise(1, step=3))
    assert_all_differ(t.kept)


def check_padding_never_shows(config: ModelConfig, dtype: DTypeLike = np.float64) -> None:
    """Whatever stands in padding, the logits of real positions and all gradients are the same to the bit."""
    model, real = lively_model(config, dtype), MASK.astype(bool)
    other_ids = np.where(real, IDS, (IDS + 1 + np.arange(IDS.size).reshape(IDS.shape)) % config.vocab_size)
    plain = model.trace(IDS, LABELS, attention_mask=MASK)
    other = model.trace(other_ids, LABELS, attention_mask=MASK)
    assert_same_bits(other.logits[real], plain.logits[real])
    assert other.loss == plain.loss
    assert_same_arrays(other.gradients, plain.gradients)


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
