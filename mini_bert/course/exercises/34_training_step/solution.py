"""The training step: all of this phase put together, and one batch learned by heart."""

import numpy as np

from mini_bert.models.mini import MiniBERT
from mini_bert.training.clipping import clip_gradients
from mini_bert.training.objectives.batch import MaskedBatch
from mini_bert.training.objectives.masked_words import masked_word_backward, masked_word_loss
from mini_bert.training.optimizers.adamw import AdamW
from mini_bert.training.schedules import Schedule

MASK = 4


def training_step(model, batch, grads, optimizer, learning_rate, max_norm=1.0):
    """loss and trace → gradients → clipped → a step of the optimizer          returns the loss and ‖g‖ before clipping

    Changes the model's weights, the optimizer and `grads`, in which the gradients of the step before may still stand.
    """
    # gap: empty grads; go forward, then back; clip; tell the optimizer its rate and let it step
    grads.flat[:] = 0
    loss, trace = masked_word_loss(model.network, model.arena, batch)
    masked_word_backward(model.network, batch, trace, grads)
    norm = clip_gradients(grads, max_norm)
    optimizer.learning_rate = learning_rate
    optimizer.step(grads)
    return float(loss), norm
    # end of gap


def overfit(model, batch, steps=60, highest=0.01):
    """The losses of so many steps on one and the same batch, with warm-up and decay          a list of numbers"""
    grads, optimizer = model.arena.zeros_like(), AdamW(model.arena)
    schedule = Schedule("linear", warmup=0.1)
    # gap: step n of N has the rate `highest` times what the schedule says of its middle; gather the losses
    losses = []
    for n in range(1, steps + 1):
        rate = highest * schedule((n - 0.5) / steps)
        loss, _ = training_step(model, batch, grads, optimizer, rate)
        losses.append(loss)
    return losses
    # end of gap


def masked_noise(model, rows=2, length=8, masks=2, seed=0):
    """Random ids with some of them masked: no language, but something to learn by heart."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(MASK + 1, model.config.vocab_size, (rows, length))
    positions = np.sort(rng.permuted(np.tile(np.arange(length), (rows, 1)), axis=1)[:, :masks])
    labels = np.take_along_axis(ids, positions, 1)
    np.put_along_axis(ids, positions, MASK, 1)
    return MaskedBatch(ids, positions, labels, np.full((rows, masks), 1 / (rows * masks)))


if __name__ == "__main__":
    model = MiniBERT("debug")
    print(*(f"{loss:.3f}" for loss in overfit(model, masked_noise(model))))
