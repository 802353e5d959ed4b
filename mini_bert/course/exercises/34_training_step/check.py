from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives.batch import MaskedBatch
from mini_bert.training.objectives.masked_words import masked_word_backward, masked_word_loss
from mini_bert.training.optimizers.adamw import AdamW

RATE, MAX_NORM = 0.02, 0.5
OWN_RATE = 0.001
"""What the optimizer has before anybody tells it."""


class Place(NamedTuple):
    """A model where training begins, its optimizer, and room for gradients."""

    model: MiniBERT
    grads: Arena
    optimizer: AdamW


def check(learner: Learner) -> None:
    batch = some_batch()
    loss, g = true_gradient(fresh().model, batch)
    norm = float(np.sqrt(g @ g))
    clipped = g * MAX_NORM / norm

    learner.begin("training_step: the loss and the norm, as they were before the step")
    at = fresh()
    start = at.model.arena.flat.copy()
    got = stepped(learner, at, batch)
    judge.several(got, 2)
    after = float(true_gradient(at.model, batch)[0])
    judge.close(
        got[0],
        loss,
        of="the loss",
        input={},
        mistakes={"this is the loss after the update; it is that of the pass whose gradient was taken": after}
        if abs(after - loss) > 1e-3
        else {},
    )
    judge.close(
        got[1],
        norm,
        of="the norm",
        input={"max_norm": MAX_NORM},
        mistakes={"this is the norm after clipping; clip_gradients returns what it was before": MAX_NORM},
    )

    learner.begin("training_step: what the optimizer was given")
    judge.close(
        at.optimizer.m.flat,
        clipped,
        "the gradient that AdamW has taken in",
        {"max_norm": MAX_NORM, "norm": norm},
        {
            "it is not clipped, or only after the step": g,
            "it was clipped to 1: max_norm is not handed on": g * min(1.0, 1 / norm),
            "the optimizer has stepped twice": (0.9 + 1) * clipped,
            "the optimizer was given no gradient: masked_word_backward is missing, or grads emptied after it": (
                np.zeros_like(g)
            ),
        },
    )
    learner.begin("training_step: where the weights have gone")
    weights = "the model's weights after the first step"
    judge.close(
        at.model.arena.flat,
        by_hand(at.model.arena, start, clipped, RATE),
        weights,
        {"learning_rate": RATE},
        {
            "the weights did not move: optimizer.step(grads) is missing": start,
            "the optimizer's own rate was used: set optimizer.learning_rate before it steps": lambda: by_hand(
                at.model.arena, start, clipped, OWN_RATE
            ),
        },
    )
    learner.begin("training_step: gradients of the step before are gone")
    at = fresh()
    at.grads.flat[:] = 0.1
    stepped(learner, at, batch)
    stale = g + 0.1
    judge.close(
        at.optimizer.m.flat,
        clipped,
        "the gradient that AdamW has taken in, with old gradients in grads at the beginning,",
        {},
        {
            "the old gradients are still in it: masked_word_backward adds; set grads.flat[:] = 0 before": (
                stale * MAX_NORM / np.sqrt(stale @ stale)
            )
        },
    )
    learner.begin("training_step: max_norm is 1 if nobody says otherwise")
    at = fresh()
    learner.training_step(at.model, batch, at.grads, at.optimizer, RATE)
    judge.close(at.optimizer.m.flat, g * min(1.0, 1 / norm), "the gradient that AdamW has taken in", {})

    learner.begin("overfit: one loss for each step, at the rate of its middle")
    steps = 5
    losses = losses_of(learner.overfit(fresh().model, batch, steps, 0.01))
    judge.shape(losses, (steps,), "the losses of 5 steps")

    def middle(n: int) -> float:
        return triangle((n - 0.5) / steps)

    judge.close(
        losses,
        trained(batch, steps, lambda n: 0.01 * middle(n)),
        "overfit(model, batch, steps=5, highest=0.01)",
        {},
        {
            "the schedule is asked at n/N, the end of the step, so the last one learns nothing": lambda: (
                trained(batch, steps, lambda n: 0.01 * triangle(n / steps))
            ),
            "the schedule is asked at (n − 1)/N, so the first step has the rate 0": lambda: trained(
                batch, steps, lambda n: 0.01 * triangle((n - 1) / steps)
            ),
            "the schedule is not used: every step has the highest rate": lambda: trained(
                batch, steps, lambda n: 0.01
            ),
            "`highest` is not used: the schedule's factors are rates of up to 1": lambda: trained(
                batch, steps, middle
            ),
        },
    )
    learner.begin("overfit: the batch is learned by heart")
    losses = losses_of(learner.overfit(fresh().model, batch, 40, 0.01))
    judge.close(losses[0], log(512), "the first loss, expected to be about ln 512,", {}, rtol=0.05)
    judge.holds(
        losses[-1] < 0.1,
        f"after 40 steps the loss is {losses[-1]:.3f}, expected to be below 0.1: it was {losses[0]:.3f}.",
    )


def stepped(learner: Learner, at: Place, batch: MaskedBatch) -> tuple[float, float]:
    found: tuple[float, float] = learner.training_step(
        at.model, batch, at.grads, at.optimizer, RATE, MAX_NORM
    )
    return found


def losses_of(got: Any) -> Array:
    whole = isinstance(got, list | np.ndarray) and all(isinstance(loss, float) for loss in got)
    judge.holds(whole, "overfit(model, batch, steps, highest) should give a list of plain numbers.", got, {})
    return np.array(got, float)


def fresh() -> Place:
    model = MiniBERT("debug", dtype=np.float64, seed=3)
    return Place(model, model.arena.zeros_like(), AdamW(model.arena, learning_rate=OWN_RATE))


def some_batch() -> MaskedBatch:
    ids = np.array([[7, 4, 9, 300, 4], [8, 4, 4, 11, 20]])
    labels = np.array([[12, 450], [77, 500]])
    return MaskedBatch(ids, np.array([[1, 4], [1, 2]]), labels, np.full((2, 2), 0.25))


def true_gradient(model: MiniBERT, batch: MaskedBatch) -> tuple[float, Array]:
    grads = model.arena.zeros_like()
    loss, trace = masked_word_loss(model.network, model.arena, batch)
    masked_word_backward(model.network, batch, trace, grads)
    return float(loss), grads.flat


def by_hand(arena: Arena, w: Array, g: Array, rate: float) -> Array:
    """The first step of AdamW, where m̂ = g and v̂ = g²; gains and biases, which come last, do not decay."""
    decay = np.where(np.arange(w.size) < arena.decaying, 0.01, 0.0)
    found: Array = w - rate * decay * w - rate * g / (abs(g) + 1e-8)
    return found


def triangle(done: float) -> float:
    return done / 0.1 if done < 0.1 else (1 - done) / 0.9


def trained(batch: MaskedBatch, steps: int, rate: Callable[[int], float]) -> Array:
    model, _, optimizer = fresh()
    losses = []
    for n in range(1, steps + 1):
        loss, g = true_gradient(model, batch)
        grads = model.arena.zeros_like()
        grads.flat[:] = g * min(1.0, 1 / np.sqrt(g @ g))
        optimizer.learning_rate = rate(n)
        optimizer.step(grads)
        losses.append(loss)
    return np.array(losses)
