"""Mistakes that real projects shipped: each is planted here, and caught by the checks that are named with it.

A check that nothing can fail proves nothing: each passes before the bug is planted, and fails after.
Some bugs also name a check that is blind to them, and so does not suffice.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps

import numpy as np
import pytest

from mini_bert.core import attention, layers, trace
from mini_bert.core.embeddings import LearnedPositions, TokenTable
from mini_bert.core.feedforward import GatedFeedForward
from mini_bert.core.functions import linear, norm
from mini_bert.core.functions.activations import gelu, gelu_tanh, gelu_tanh_backward, tanh_backward
from mini_bert.core.functions.dropout import Noise, dropout_backward
from mini_bert.core.functions.linear import linear_backward, mean_last, rows, sum_rows
from mini_bert.core.functions.norm import layer_norm_backward
from mini_bert.core.layers import GELU, Dropout, LayerNorm, Linear
from mini_bert.core.residual import PostNorm
from mini_bert.core.terms import INVISIBLE, Content, Padding
from mini_bert.core.trace import Trace
from mini_bert.models import passes
from mini_bert.models.names import ByAnyName
from mini_bert.models.passes import Pass
from mini_bert.training.objectives import MaskedBatch
from tests.mathematical import battery, promises
from tests.mathematical.promises import TINY
from tests.mathematical.specimens import SPECIMENS

Check = Callable[[], None]
Plant = Callable[[object, str, object], None]

some_gradients = partial(promises.check_gradients_of, samples=3)
BUGS = []


def part(check: Callable[..., None], specimen: str, *more: object) -> Check:
    return partial(check, SPECIMENS[specimen], *more)


def model(check: Callable[..., None], **settings: object) -> Check:
    return partial(check, TINY.changed(**settings))


def caught_by(*checks: Check, blind: tuple[Check, ...] = ()) -> Callable[[Callable[[Plant], None]], None]:
    def register(bug: Callable[[Plant], None]) -> None:
        BUGS.append(pytest.param(bug, checks, blind, id=bug.__name__))

    return register


# What is computed


@caught_by(
    model(promises.check_padding_never_shows), blind=(part(battery.check_gradient, "Attention: padding"),)
)
def inverted_mask(plant):
    """Only padding is looked at; the gradient of this wrong function is right."""

    def forward(self, q, k, t):
        return np.where(t.inputs["attention_mask"], INVISIBLE, 0.0)[:, None, None, :]

    plant(Padding, "forward", forward)


@caught_by(
    part(battery.check_gradient, "LayerNorm, visible eps"), blind=(part(battery.check_gradient, "LayerNorm"),)
)
def eps_outside_the_root(plant):
    """With BERT's ε of 10⁻¹² nothing would show: hence a specimen with an ε one can see."""

    def layer_norm(x, gamma, beta, eps):
        centred = x - x.mean(-1, keepdims=True)
        inv_sigma = 1 / (np.sqrt((centred * centred).mean(-1, keepdims=True)) + eps)
        return gamma * centred * inv_sigma + beta, centred * inv_sigma, inv_sigma

    plant(layers, "layer_norm", layer_norm)


@caught_by(model(promises.check_padding_never_shows), blind=(part(battery.check_gradient, "LayerNorm"),))
def mean_over_tokens_instead_of_numbers(plant):
    """Forward and backward agree with each other, but tokens see one another through the norm."""
    plant(norm, "mean_last", lambda x: x.mean(-2, keepdims=True))


@caught_by(model(promises.check_ignored_labels_are_ignored, vocab_size=128))
def label_minus_100_used_as_an_index(plant):
    """NumPy counts from the end: with 100 words or more, −100 is one of them."""
    plant(passes, "IGNORED", 10**9)


@caught_by(model(promises.check_ignored_labels_are_ignored))
def ignoring_0_swallows_a_word(plant):
    plain = Pass.__init__

    @wraps(plain)
    def init(self, network, t, logits, labels):
        plain(self, network, t, logits, np.where(labels == 0, -100, labels))

    plant(Pass, "__init__", init)


@caught_by(
    part(battery.check_float32_follows_float64, "LayerNorm, far from zero"),
    blind=(
        part(battery.check_float32_follows_float64, "LayerNorm"),
        part(battery.check_gradient, "LayerNorm, far from zero"),
    ),
)
def variance_as_a_difference_of_large_numbers(plant):
    """var x = E[x²] − μ² is true, and in float32 worthless where μ is much larger than σ."""

    def layer_norm(x, gamma, beta, eps):
        mu = mean_last(x)
        inv_sigma = 1 / np.sqrt(mean_last(x * x) - mu * mu + eps)
        x_hat = (x - mu) * inv_sigma
        return gamma * x_hat + beta, x_hat, inv_sigma

    plant(layers, "layer_norm", layer_norm)


@caught_by(
    part(battery.check_each_dropout_has_its_own_noise, "EncoderLayer"),
    model(promises.check_each_dropout_has_its_own_noise, dropout=0.3),
    blind=(
        model(promises.check_checkpointing_changes_nothing, dropout=0.3),
        model(promises.check_micro_batches_add_up, dropout=0.3),
    ),
)
def noise_that_is_the_same_everywhere(plant):
    plain = Noise.dropout_mask
    plant(Noise, "dropout_mask", lambda self, place, *given: plain(self, "", *given))


@caught_by(
    part(battery.check_each_dropout_has_its_own_noise, "Stack, one layer called three times"),
    model(promises.check_each_dropout_has_its_own_noise, dropout=0.3, num_layers=3, layer_groups=1),
    blind=(
        part(battery.check_each_dropout_has_its_own_noise, "EncoderLayer"),
        model(promises.check_each_dropout_has_its_own_noise, dropout=0.3),
    ),
)
def noise_of_the_place_where_weights_live(plant):
    """Layers that share their weights would drop the same numbers, again and again."""

    def forward(self, x, t):
        return x * t.keep("mask", t.noise.dropout_mask(t.home, x.shape, self.rate, x.real.dtype))

    plant(Dropout, "forward", forward)


# Gradients


@caught_by(
    part(battery.check_gradient, "Linear, square"),
    blind=(part(battery.check_dtype, "Linear, square", float),),
)
def sum_over_the_wrong_axis(plant):
    """As many tokens as numbers: the shape is right."""
    plant(linear, "sum_rows", lambda x: rows(x).sum(-1))


@caught_by(part(battery.check_gradient, "LayerNorm"))
def answer_broadcast_to_the_right_shape(plant):
    def backward(*given):
        dx, dgamma, dbeta = layer_norm_backward(*given)
        return dx, dgamma.sum(keepdims=True), dbeta

    plant(layers, "layer_norm_backward", backward)


@caught_by(part(battery.check_gradient, "Attention: content"), model(some_gradients))
def missing_scale_in_backward(plant):
    plant(Content, "backward", lambda self, ds, q, k, t: (ds @ k, ds.swapaxes(-1, -2) @ q))


@caught_by(part(battery.check_gradient, "Attention: content"), model(some_gradients))
def softmax_backward_without_the_sum(plant):
    plant(attention, "softmax_backward", lambda dp, p: dp * p)


@caught_by(
    part(battery.check_gradient, "GELU"),
    part(battery.check_gradient, "GELU", "five-point"),
    model(some_gradients, activation="gelu"),
)
def derivative_of_another_gelu(plant):
    plant(layers, "gelu_backward", lambda dy, x, cdf: gelu_tanh_backward(dy, x, gelu_tanh(x)[1]))


@caught_by(
    part(battery.check_gradient, "RMSNorm", "five-point"), blind=(part(battery.check_gradient, "RMSNorm"),)
)
def constant_to_complex_steps_alone(plant):
    """One `.real` too many hides the root from a complex step, just as the backward pass forgets it."""

    def rms_norm(x, gamma, eps):
        inv_r = 1 / np.sqrt(mean_last(x.real * x.real) + eps)
        return gamma * x * inv_r, x * inv_r, inv_r

    plant(layers, "rms_norm", rms_norm)
    plant(
        layers,
        "rms_norm_backward",
        lambda dy, x_hat, inv_r, gamma: (gamma * dy * inv_r, sum_rows(dy * x_hat)),
    )


@caught_by(part(battery.check_gradient, "Tanh"), part(battery.check_gradient, "Tanh", "five-point"))
def gradient_that_is_not_a_number(plant):
    """No comparison with NaN is true: a check that asks `error > tolerance` lets it pass."""
    plant(layers, "tanh_backward", lambda dy, y: tanh_backward(dy, y) * np.nan)


@caught_by(part(battery.check_gradient, "Dropout"), model(some_gradients, dropout=0.3))
def dropout_mask_redrawn_in_backward(plant):
    def backward(self, dy, t):
        later = replace(t.noise, step=t.noise.step + 1)
        return dropout_backward(dy, later.dropout_mask(t.path, dy.shape, self.rate, dy.dtype))

    plant(Dropout, "backward", backward)


@caught_by(
    model(promises.check_hooks_add_constants, num_layers=1),
    blind=(model(some_gradients), model(promises.check_activation_gradients)),
)
def hook_on_probabilities_enters_the_jacobian_of_softmax(plant):
    """Attention that a hook has changed is no softmax of anything."""
    plain = Trace.show

    @wraps(plain)
    def show(self, name, value):
        value = plain(self, name, value)
        if name == "probs":
            self.kept[f"{self.path}softmax"] = value
        return value

    plant(Trace, "show", show)


@caught_by(
    model(promises.check_hooks_add_constants, num_layers=1, activation="gelu"),
    blind=(model(some_gradients, activation="gelu"),),
)
def hook_that_the_forward_pass_does_not_hear(plant):
    def forward(self, x, t):
        t.keep("x", x)
        y, cdf = gelu(x)
        t.remember("cdf", cdf)
        return y

    plant(GELU, "forward", forward)


@caught_by(
    model(promises.check_unheard_hooks_are_refused), blind=(model(promises.check_activation_gradients),)
)
def hook_that_only_the_backward_pass_hears(plant):
    plant(Trace, "remember", Trace.keep)


@caught_by(
    model(promises.check_backward_passes_keep_apart), blind=(model(promises.check_activation_gradients),)
)
def one_drawer_for_all_activation_gradients(plant):
    """The second backward pass through a cache writes over what the first has handed out."""

    def backward(self, dlogits, grads):
        t = self.trace.but(grads=grads)
        self.network.backward(dlogits, t)
        return ByAnyName(t.act_grads)

    plant(Pass, "backward", backward)


# Where gradients go


@caught_by(
    part(battery.check_no_gradient_vanishes, "Embeddings"),
    model(some_gradients),
    model(some_gradients, tied=True),
)
def severed_embedding(plant):
    """Words that never learn; in a tied model the table still moves, by what the output words receive."""
    plant(TokenTable, "backward", lambda self, dx, t: None)


@caught_by(
    part(battery.check_no_gradient_vanishes, "LearnedPositions"),
    model(some_gradients),
    blind=(part(battery.check_gradient, "LearnedPositions"),),
)
def weight_that_nothing_reads(plant):
    """Forgotten forwards and backwards: the gradient is zero, and that is right."""
    plant(LearnedPositions, "forward", lambda self, x, t: x)
    plant(LearnedPositions, "backward", lambda self, dy, t: dy)


@caught_by(
    part(battery.check_two_calls_add_up, "Linear"),
    part(battery.check_gradient, "Stack, two layers for three calls"),
    model(some_gradients, layer_groups=1),
    blind=(part(battery.check_gradient, "Linear"), model(some_gradients)),
)
def shared_gradient_overwritten(plant):
    def add_grads(self, **grads):
        for name, grad in grads.items():
            self.grads[self.owner(name)][...] = grad

    plant(Trace, "add_grads", add_grads)


@caught_by(
    part(battery.check_two_calls_add_up, "TokenTable"),
    model(some_gradients, tied=True),
    blind=(part(battery.check_gradient, "TokenTable"), model(some_gradients)),
)
def tied_gradient_overwritten(plant):
    def add_grad_rows(self, name, rows, grad):
        self.grads[self.owner(name)][rows] = grad

    plant(Trace, "add_grad_rows", add_grad_rows)


@caught_by(
    part(battery.check_gradient, "Attention: some asked twice"),
    blind=(part(battery.check_gradient, "Attention: some asked"),),
)
def position_asked_twice_counted_once(plant):
    def take_positions_backward(dy, positions, T):
        dx = np.zeros((len(dy), T, dy.shape[-1]))
        dx[np.arange(len(dy))[:, None], positions] = dy
        return dx

    plant(trace, "take_positions_backward", take_positions_backward)


@caught_by(part(battery.check_two_calls_add_up, "Linear"))
def activations_kept_where_weights_live(plant):
    """Two calls at one home: the second forgets what the first must remember."""

    def keep(self, name, value):
        self.kept[self.home + name] = value
        return value

    plant(Trace, "keep", keep)
    plant(Trace, "__getitem__", lambda self, name: self.kept[self.home + name])


@caught_by(model(promises.check_micro_batches_add_up))
def accumulation_not_divided(plant):
    """Each micro-batch takes its own mean, and the means are summed."""
    plain = MaskedBatch.rows

    @wraps(plain)
    def cut(self, start, stop):
        piece = plain(self, start, stop)
        return replace(piece, weights=piece.weights / piece.weights.sum())

    plant(MaskedBatch, "rows", cut)


@caught_by(
    model(promises.check_micro_batches_add_up, dropout=0.3),
    blind=(
        part(battery.check_gradient, "Dropout"),
        model(promises.check_checkpointing_changes_nothing, dropout=0.3),
    ),
)
def noise_of_the_row_within_its_micro_batch(plant):
    plain = Noise.dropout_mask
    plant(Noise, "dropout_mask", lambda self, *given: plain(replace(self, first_row=0), *given))


@caught_by(
    part(battery.check_checkpointed_is_plain, "Dropout"),
    model(promises.check_checkpointing_changes_nothing, dropout=0.3),
)
def noise_from_one_running_stream(plant):
    """Recomputed, a layer draws other noise than the first time."""
    stream = np.random.default_rng(0)

    def dropout_mask(self, place, shape, rate, dtype):
        return (stream.random(shape) >= rate).astype(dtype)

    plant(Noise, "dropout_mask", dropout_mask)


# Manners


@caught_by(part(battery.check_nothing_given_is_written_to, "Linear"))
def weight_step_hidden_in_backward(plant):
    plain = Linear.backward

    @wraps(plain)
    def backward(self, dy, t):
        dx = plain(self, dy, t)
        weight = t.param("weight")
        weight -= 0.1 * linear_backward(dy, t["x"], weight)[1]
        return dx

    plant(Linear, "backward", backward)


@caught_by(part(battery.check_nothing_given_is_written_to, "LayerNorm"))
def kept_array_reused_as_scratch(plant):
    plain = LayerNorm.backward

    @wraps(plain)
    def backward(self, dy, t):
        dx = plain(self, dy, t)
        x_hat = t["x_hat"]
        x_hat *= dy
        return dx

    plant(LayerNorm, "backward", backward)


@caught_by(
    part(battery.check_nothing_given_is_written_to, "PostNorm, some asked"),
    blind=(part(battery.check_nothing_given_is_written_to, "PostNorm"),),
)
def residual_added_to_what_was_shown(plant):
    """The sublayer's output, seen under its name, has x in it; with dropout between the two, it is a copy."""

    def forward(self, x, t):
        change = self.dropout.forward(self.body.forward(x, t), t / "dropout")
        change += t.asked(x)
        return t.show("normed", self.norm.forward(t.show("residual", change), t / "norm"))

    plant(PostNorm, "forward", forward)


@caught_by(part(battery.check_nothing_given_is_written_to, "PostNorm"))
def gradient_added_to_what_was_shown(plant):
    def backward(self, dy, t):
        dtotal = t.show_grad("residual", self.norm.backward(t.show_grad("normed", dy), t / "norm"))
        dtotal += self.body.backward(self.dropout.backward(dtotal, t / "dropout"), t)
        return dtotal

    plant(PostNorm, "backward", backward)


@caught_by(part(battery.check_nothing_given_is_written_to, "GatedFeedForward, GeGLU"))
def kept_array_written_to_through_another_view(plant):
    def forward(self, x, t):
        pre = t.show("pre", self.gate.forward(x, t / "gate"))
        both = np.stack([self.activation.forward(pre, t / "activation"), self.up.forward(x, t / "up")])
        t.keep("opening", both[0])
        t.keep("content", both[1])
        both[0] *= both[1]
        return self.down.forward(both[0], t / "down")

    plant(GatedFeedForward, "forward", forward)


@caught_by(
    part(battery.check_dtype, "GELUTanh", np.float32),
    blind=(part(battery.check_dtype, "GELUTanh", np.float64),),
)
def numpy_scalar_widens_float32(plant):
    """`np.sqrt(2 / np.pi)` is a float64 that, unlike Python's floats, does not give way to float32 arrays."""
    scale = np.sqrt(2 / np.pi) / np.sqrt(2 / np.pi)
    plant(layers, "gelu_tanh", lambda x: tuple(scale * found for found in gelu_tanh(x)))


@pytest.mark.parametrize(("bug", "checks", "blind"), BUGS)
def test_caught(bug, checks, blind, monkeypatch):
    for check in (*checks, *blind):
        check()
    bug(monkeypatch.setattr)
    for check in checks:
        with pytest.raises(AssertionError):
            check()
    for check in blind:
        check()
