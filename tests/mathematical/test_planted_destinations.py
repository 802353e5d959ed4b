"""Mistakes that real projects shipped in where gradients go and how they add up; see planted.py."""

from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from mini_bert.core import trace
from mini_bert.core.embeddings import LearnedPositions, TokenTable
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.trace import Trace
from mini_bert.training.objectives import MaskedBatch
from tests.mathematical import battery, promises
from tests.mathematical.planted import Bugs, check_caught, model, part, some_gradients

BUGS = Bugs()


@BUGS.caught_by(
    part(battery.check_no_gradient_vanishes, "Embeddings"),
    model(some_gradients),
    model(some_gradients, tied=True),
)
def severed_embedding(plant):
    """Words that never learn; in a tied model the table still moves, by what the output words receive."""
    plant(TokenTable, "backward", lambda self, dx, t: None)


@BUGS.caught_by(
    part(battery.check_no_gradient_vanishes, "LearnedPositions"),
    model(some_gradients),
    blind=(part(battery.check_gradient, "LearnedPositions"),),
)
def weight_that_nothing_reads(plant):
    """Forgotten forwards and backwards: the gradient is zero, and that is right."""
    plant(LearnedPositions, "forward", lambda self, x, t: x)
    plant(LearnedPositions, "backward", lambda self, dy, t: dy)


@BUGS.caught_by(
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


@BUGS.caught_by(
    part(battery.check_two_calls_add_up, "TokenTable"),
    model(some_gradients, tied=True),
    blind=(part(battery.check_gradient, "TokenTable"), model(some_gradients)),
)
def tied_gradient_overwritten(plant):
    def add_grad_rows(self, name, rows, grad):
        self.grads[self.owner(name)][rows] = grad

    plant(Trace, "add_grad_rows", add_grad_rows)


@BUGS.caught_by(
    part(battery.check_gradient, "Attention: some asked twice"),
    blind=(part(battery.check_gradient, "Attention: some asked"),),
)
def position_asked_twice_counted_once(plant):
    def take_positions_backward(dy, positions, T):
        dx = np.zeros((len(dy), T, dy.shape[-1]))
        dx[np.arange(len(dy))[:, None], positions] = dy
        return dx

    plant(trace, "take_positions_backward", take_positions_backward)


@BUGS.caught_by(part(battery.check_two_calls_add_up, "Linear"))
def activations_kept_where_weights_live(plant):
    """Two calls at one home: the second forgets what the first must remember."""

    def keep(self, name, value):
        self.kept[self.home + name] = value
        return value

    plant(Trace, "keep", keep)
    plant(Trace, "__getitem__", lambda self, name: self.kept[self.home + name])


@BUGS.caught_by(model(promises.check_micro_batches_add_up))
def accumulation_not_divided(plant):
    """Each micro-batch takes its own mean, and the means are summed."""
    plain = MaskedBatch.rows

    @wraps(plain)
    def cut(self, start, stop):
        piece = plain(self, start, stop)
        return replace(piece, weights=piece.weights / piece.weights.sum())

    plant(MaskedBatch, "rows", cut)


@BUGS.caught_by(
    model(promises.check_micro_batches_add_up, dropout=0.3),
    blind=(
        part(battery.check_gradient, "Dropout"),
        model(promises.check_checkpointing_changes_nothing, dropout=0.3),
    ),
)
def noise_of_the_row_within_its_micro_batch(plant):
    plain = Noise.dropout_mask
    plant(Noise, "dropout_mask", lambda self, *given: plain(replace(self, first_row=0), *given))


@BUGS.caught_by(
    part(battery.check_checkpointed_is_plain, "Dropout"),
    model(promises.check_checkpointing_changes_nothing, dropout=0.3),
)
def noise_from_one_running_stream(plant):
    """Recomputed, a layer draws other noise than the first time."""
    stream = np.random.default_rng(0)

    def dropout_mask(self, place, shape, rate, dtype):
        return (stream.random(shape) >= rate).astype(dtype)

    plant(Noise, "dropout_mask", dropout_mask)


@pytest.mark.parametrize(("bug", "checks", "blind"), BUGS)
def test_caught(bug, checks, blind, monkeypatch):
    check_caught(bug, checks, blind, monkeypatch.setattr)
