"""Mistakes that real projects shipped in what is written to, and in which precision; see planted.py."""

from functools import wraps

import numpy as np
import pytest

from mini_bert.core import layers
from mini_bert.core.feedforward import GatedFeedForward
from mini_bert.core.functions.activations import gelu_tanh
from mini_bert.core.functions.linear import linear_backward
from mini_bert.core.layers import LayerNorm, Linear
from mini_bert.core.residual import PostNorm
from tests.mathematical import battery
from tests.mathematical.planted import Bugs, check_caught, part

BUGS = Bugs()


@BUGS.caught_by(part(battery.check_nothing_given_is_written_to, "Linear"))
def weight_step_hidden_in_backward(plant):
    plain = Linear.backward

    @wraps(plain)
    def backward(self, dy, t):
        dx = plain(self, dy, t)
        weight = t.param("weight")
        weight -= 0.1 * linear_backward(dy, t["x"], weight)[1]
        return dx

    plant(Linear, "backward", backward)


@BUGS.caught_by(part(battery.check_nothing_given_is_written_to, "LayerNorm"))
def kept_array_reused_as_scratch(plant):
    plain = LayerNorm.backward

    @wraps(plain)
    def backward(self, dy, t):
        dx = plain(self, dy, t)
        x_hat = t["x_hat"]
        x_hat *= dy
        return dx

    plant(LayerNorm, "backward", backward)


@BUGS.caught_by(
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


@BUGS.caught_by(part(battery.check_nothing_given_is_written_to, "PostNorm"))
def gradient_added_to_what_was_shown(plant):
    def backward(self, dy, t):
        dtotal = t.show_grad("residual", self.norm.backward(t.show_grad("normed", dy), t / "norm"))
        dtotal += self.body.backward(self.dropout.backward(dtotal, t / "dropout"), t)
        return dtotal

    plant(PostNorm, "backward", backward)


@BUGS.caught_by(part(battery.check_nothing_given_is_written_to, "GatedFeedForward, GeGLU"))
def kept_array_written_to_through_another_view(plant):
    def forward(self, x, t):
        pre = t.show("pre", self.gate.forward(x, t / "gate"))
        both = np.stack([self.activation.forward(pre, t / "activation"), self.up.forward(x, t / "up")])
        t.keep("opening", both[0])
        t.keep("content", both[1])
        both[0] *= both[1]
        return self.down.forward(both[0], t / "down")

    plant(GatedFeedForward, "forward", forward)


@BUGS.caught_by(
    part(battery.check_dtype, "GELUTanh", np.float32),
    blind=(part(battery.check_dtype, "GELUTanh", np.float64),),
)
def numpy_scalar_widens_float32(plant):
    """`np.sqrt(2 / np.pi)` is a float64 that, unlike Python's floats, does not give way to float32 arrays."""
    scale = np.sqrt(2 / np.pi) / np.sqrt(2 / np.pi)
    plant(layers, "gelu_tanh", lambda x: tuple(scale * found for found in gelu_tanh(x)))


@pytest.mark.parametrize(("bug", "checks", "blind"), BUGS)
def test_caught(bug, checks, blind, monkeypatch):
    check_caught(bug, checks, blind, monkeypatch.setattr)
