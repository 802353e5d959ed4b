"""Mistakes that real projects shipped in how a gradient is computed; see planted.py."""

from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from mini_bert.core import attention, layers
from mini_bert.core.functions import linear
from mini_bert.core.functions.activations import gelu, gelu_tanh, gelu_tanh_backward, tanh_backward
from mini_bert.core.functions.dropout import dropout_backward
from mini_bert.core.functions.linear import mean_last, rows, sum_rows
from mini_bert.core.functions.norm import layer_norm_backward
from mini_bert.core.layers import GELU, Dropout
from mini_bert.core.terms import Content
from mini_bert.core.trace import Trace
from mini_bert.models.names import ByAnyName
from mini_bert.models.passes import Pass
from tests.mathematical import battery, promises
from tests.mathematical.planted import Bugs, check_caught, model, part, some_gradients

BUGS = Bugs()


@BUGS.caught_by(
    part(battery.check_gradient, "Linear, square"),
    blind=(part(battery.check_dtype, "Linear, square", float),),
)
def sum_over_the_wrong_axis(plant):
    """As many tokens as numbers: the shape is right."""
    plant(linear, "sum_rows", lambda x: rows(x).sum(-1))


@BUGS.caught_by(part(battery.check_gradient, "LayerNorm"))
def answer_broadcast_to_the_right_shape(plant):
    def backward(*given):
        dx, dgamma, dbeta = layer_norm_backward(*given)
        return dx, dgamma.sum(keepdims=True), dbeta

    plant(layers, "layer_norm_backward", backward)


@BUGS.caught_by(part(battery.check_gradient, "Attention: content"), model(some_gradients))
def missing_scale_in_backward(plant):
    plant(Content, "backward", lambda self, ds, q, k, t: (ds @ k, ds.swapaxes(-1, -2) @ q))


@BUGS.caught_by(part(battery.check_gradient, "Attention: content"), model(some_gradients))
def softmax_backward_without_the_sum(plant):
    plant(attention, "softmax_backward", lambda dp, p: dp * p)


@BUGS.caught_by(
    part(battery.check_gradient, "GELU"),
    part(battery.check_gradient, "GELU", "five-point"),
    model(some_gradients, activation="gelu"),
)
def derivative_of_another_gelu(plant):
    plant(layers, "gelu_backward", lambda dy, x, cdf: gelu_tanh_backward(dy, x, gelu_tanh(x)[1]))


@BUGS.caught_by(
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


@BUGS.caught_by(part(battery.check_gradient, "Tanh"), part(battery.check_gradient, "Tanh", "five-point"))
def gradient_that_is_not_a_number(plant):
    """No comparison with NaN is true: a check that asks `error > tolerance` lets it pass."""
    plant(layers, "tanh_backward", lambda dy, y: tanh_backward(dy, y) * np.nan)


@BUGS.caught_by(part(battery.check_gradient, "Dropout"), model(some_gradients, dropout=0.3))
def dropout_mask_redrawn_in_backward(plant):
    def backward(self, dy, t):
        later = replace(t.noise, step=t.noise.step + 1)
        return dropout_backward(dy, later.dropout_mask(t.path, dy.shape, self.rate, dy.dtype))

    plant(Dropout, "backward", backward)


@BUGS.caught_by(
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


@BUGS.caught_by(
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


@BUGS.caught_by(
    model(promises.check_unheard_hooks_are_refused), blind=(model(promises.check_activation_gradients),)
)
def hook_that_only_the_backward_pass_hears(plant):
    plant(Trace, "remember", Trace.keep)


@BUGS.caught_by(
    model(promises.check_backward_passes_keep_apart), blind=(model(promises.check_activation_gradients),)
)
def one_drawer_for_all_activation_gradients(plant):
    """The second backward pass through a cache writes over what the first has handed out."""

    def backward(self, dlogits, grads, unwritten=()):
        t = self.trace.but(grads=grads, unwritten=set(unwritten))
        self.network.backward(dlogits, t)
        return ByAnyName(t.act_grads)

    plant(Pass, "backward", backward)


@pytest.mark.parametrize(("bug", "checks", "blind"), BUGS)
def test_caught(bug, checks, blind, monkeypatch):
    check_caught(bug, checks, blind, monkeypatch.setattr)
