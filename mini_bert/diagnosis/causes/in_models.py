"""Causes in the model: its parts, and the state they are in."""

from __future__ import annotations

from math import inf

from mini_bert.diagnosis.bands import Band
from mini_bert.diagnosis.causes.cause import Cause, Evidence, Look, Weight, together
from mini_bert.diagnosis.causes.in_settings import learning_rate_too_high

NO_GRADIENT = 1e-12
"""Of the whole: below any rounding. A gradient that vanishes leaves a trace, one that is cut off leaves none."""
VANISHED = 1e-4
NEARLY_ALL = 0.99
ROUNDING = 1e-3
"""Nats of entropy; another machine gives 1e-5 at most."""


def layer_frozen(look: Look) -> list[Evidence]:
    return look.beyond("stillest", Band(NO_GRADIENT, inf))


def attention_not_normalized(look: Look) -> list[Evidence]:
    """The logged attention is not that of sound code, but just what softmax over the queries gives."""
    sound, turned = look.value("replayed_attention"), look.value("turned_attention")
    if sound is None or turned is None or turned > ROUNDING:
        return []
    return look.beyond("replayed_attention", Band(0, max(ROUNDING, 10 * turned)))


def dead_relu(look: Look) -> list[Evidence]:
    """Nearly all units, most of the time. A young model treats all tokens much alike: many units are off for all."""
    return look.above("dead", NEARLY_ALL)


def vanishing_gradients(look: Look) -> list[Evidence]:
    """The first layer gets less than a ten-thousandth of what the last one gets, yet something."""
    if look.beyond("stillest", Band(NO_GRADIENT, inf)):
        return []
    return look.below("depth", VANISHED)


def exploding_gradients(look: Look) -> list[Evidence]:
    """Gradients many times as long as in any sound run from the first steps on, and a loss worse than guessing.

    A sound model begins by guessing: ln V. Far more means that it is sure of wrong words, which large activations
    make it. Or numbers that are no longer finite, unless the learning rate has made them so.
    """
    large = together(look.above("first_norm"), look.above("first_loss") or look.above("worst_loss"))
    return large if learning_rate_too_high(look) else look.burst() + large


CAUSES = (
    Cause(
        "layer-frozen",
        "A layer gets no gradient",
        Weight.RECOMPUTED,
        "Its gradient is exactly zero: it stays as it began, and the layers above work with random features.",
        "Look for what cuts the gradient: a detached tensor, a layer missing in the backward pass, weights that are not"
        " given to the optimizer.",
        layer_frozen,
    ),
    Cause(
        "attention-not-normalized",
        "The softmax of attention runs over the queries",
        Weight.RECOMPUTED,
        "What a token takes from the others does not add up to 1; the keys are shared out among the queries instead.",
        "Take the softmax along the last axis of the scores (B, A, queries, keys).",
        attention_not_normalized,
    ),
    Cause(
        "dead-relu",
        "The units of a feed-forward layer are dead",
        Weight.SYMPTOM,
        "A ReLU that is never positive has no gradient and cannot come back: the layer adds a constant.",
        "Begin with biases of zero, lower the learning rate, or take model.activation=gelu.",
        dead_relu,
    ),
    Cause(
        "vanishing-gradients",
        "Gradients vanish on their way down",
        Weight.SYMPTOM,
        "Each layer passes on a small part of the gradient; what arrives at the first is lost in rounding and in Adam's"
        " ε. Only the top learns.",
        "Check the residual connections and norms of every layer, and the size of the first weights"
        " (model.initializer.std=0.02).",
        vanishing_gradients,
    ),
    Cause(
        "exploding-gradients",
        "Gradients explode",
        Weight.SYMPTOM,
        "Each layer makes activations and gradients larger, until numbers are no longer finite; or the model begins"
        " sure of wrong words, and clipping leaves little but noise.",
        "Check the norms, begin with smaller weights (model.initializer.std=0.02), clip, and warm up.",
        exploding_gradients,
    ),
)
