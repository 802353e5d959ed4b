"""Mistakes in the training loop: what becomes of the gradients."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training.clipping import global_norm
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.optimizers.adam import Adam
from mini_bert.training.step import Gradients
from mini_bert.training.trainer import Trainer

TOO_LONG = 3.0


def sum_micro_batches(trainer: Trainer) -> None:
    """Every micro-batch has a mean of its own, and their gradients are added up; the loss is shown as their mean."""
    sound = trainer.work.gradients

    def summed(batch: MaskedBatch, micro_batch: int, *further: Any, **named: Any) -> Gradients:
        parts = -(-len(batch.ids) // micro_batch)
        found = sound(replace(batch, weights=batch.weights * parts), micro_batch, *further, **named)
        return found._replace(loss=found.loss / parts, accuracy=found.accuracy / parts)

    trainer.work.gradients = summed  # type: ignore[method-assign]


def keep_old_gradients(trainer: Trainer) -> None:
    """The gradients of all earlier steps are still in the buffer: nobody set it to zero."""
    sound, buffer = trainer.work.gradients, trainer.model.arena.zeros_like()

    def piled_up(batch: MaskedBatch, micro_batch: int, *further: Any, **named: Any) -> Gradients:
        found = sound(batch, micro_batch, *further, **named)
        buffer.flat += found.grads.flat
        found.grads.flat[:] = buffer.flat
        trainer.work.norm = global_norm(buffer)
        return found

    trainer.work.gradients = piled_up  # type: ignore[method-assign]


def forget_bias_correction(trainer: Trainer) -> None:
    """Adam's moments begin at zero, and nothing makes up for it: √v is too small by far in the first hundred steps."""
    optimizer = trainer.optimizer
    assert isinstance(optimizer, Adam)

    def uncorrected(at: slice, out: Array) -> float:
        beta1, beta2 = optimizer.betas
        q = sqrt(1 - beta2)
        np.sqrt(optimizer.v.flat[at], out=out)
        out += optimizer.eps / q
        np.divide(optimizer.m.flat[at], out, out=out)
        return (1 - beta1) / q

    optimizer.direction = uncorrected  # type: ignore[method-assign]


def triple_the_updates(trainer: Trainer) -> None:
    """A factor has slipped into the update: every step is three times as long as Adam means it to be."""
    optimizer = trainer.optimizer
    assert isinstance(optimizer, Adam)
    sound = optimizer.direction
    optimizer.direction = lambda at, out: TOO_LONG * sound(at, out)  # type: ignore[method-assign]


def climb_the_hill(trainer: Trainer) -> None:
    """w += η g in place of w −= η g: every step goes where the loss grows."""
    optimizer = trainer.optimizer
    assert isinstance(optimizer, Adam)
    sound = optimizer.direction
    optimizer.direction = lambda at, out: -sound(at, out)  # type: ignore[method-assign]
