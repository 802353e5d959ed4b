"""Mistakes that real projects shipped in what a model computes; see planted.py."""

from functools import wraps

import numpy as np
import pytest

from mini_bert.core import layers
from mini_bert.core.functions import norm
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.linear import mean_last
from mini_bert.core.layers import Dropout
from mini_bert.core.terms import INVISIBLE, Padding
from mini_bert.models import passes
from mini_bert.models.passes import Pass
from tests.mathematical import battery, promises
from tests.mathematical.planted import Bugs, check_caught, model, part

BUGS = Bugs()


@BUGS.caught_by(
    model(promises.check_padding_never_shows), blind=(part(battery.check_gradient, "Attention: padding"),)
)
def inverted_mask(plant):
    """Only padding is looked at; the gradient of this wrong function is right."""

    def forward(self, q, k, t):
        return np.where(t.inputs["attention_mask"], INVISIBLE, 0.0)[:, None, None, :]

    plant(Padding, "forward", forward)


@BUGS.caught_by(
    part(battery.check_gradient, "LayerNorm, visible eps"), blind=(part(battery.check_gradient, "LayerNorm"),)
)
def eps_outside_the_root(plant):
    """With BERT's ε of 10⁻¹² nothing would show: hence a specimen with an ε one can see."""

    def layer_norm(x, gamma, beta, eps):
        centred = x - x.mean(-1, keepdims=True)
        inv_sigma = 1 / (np.sqrt((centred * centred).mean(-1, keepdims=True)) + eps)
        return gamma * centred * inv_sigma + beta, centred * inv_sigma, inv_sigma

    plant(layers, "layer_norm", layer_norm)


@BUGS.caught_by(model(promises.check_padding_never_shows), blind=(part(battery.check_gradient, "LayerNorm"),))
def mean_over_tokens_instead_of_numbers(plant):
    """Forward and backward agree with each other, but tokens see one another through the norm."""
    plant(norm, "mean_last", lambda x: x.mean(-2, keepdims=True))


@BUGS.caught_by(model(promises.check_ignored_labels_are_ignored, vocab_size=128))
def label_minus_100_used_as_an_index(plant):
    """NumPy counts from the end: with 100 words or more, −100 is one of them."""
    plant(passes, "IGNORED", 10**9)


@BUGS.caught_by(model(promises.check_ignored_labels_are_ignored))
def ignoring_0_swallows_a_word(plant):
    plain = Pass.__init__

    @wraps(plain)
    def init(self, network, t, logits, labels):
        plain(self, network, t, logits, np.where(labels == 0, -100, labels))

    plant(Pass, "__init__", init)


@BUGS.caught_by(
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


@BUGS.caught_by(
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


@BUGS.caught_by(
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


@pytest.mark.parametrize(("bug", "checks", "blind"), BUGS)
def test_caught(bug, checks, blind, monkeypatch):
    check_caught(bug, checks, blind, monkeypatch.setattr)
