"""Causes in the settings: rates and decay that are out of proportion."""

from __future__ import annotations

from math import inf

from mini_bert.diagnosis.bands import Band
from mini_bert.diagnosis.causes.cause import Cause, Evidence, Look, Weight, together

WORSE_THAN_GUESSING = 1.05
ENOUGH_STEPS = 100
HARDLY_MOVED = 0.05
"""All updates of the run together are less than a twentieth of the weights: the model is nearly the one it began as."""
HARDLY_LEARNED = 0.5
SHRUNK = 0.7
"""Training makes matrices grow from their small beginning; a sound decay slows this down but does not turn it round."""


def learning_rate_too_high(look: Look) -> list[Evidence]:
    """Steps that are many times as long as the weights are large, and the harm they do.

    The loss bursts, jumps, stays high or rises again, or each token attends to a single other one, because scores
    have become huge. Of a run that burst it is enough that gradients were sound at first and grew.

    The learning rate alone is no fault: some models bear a high one. Nor is the harm alone, which has other causes too,
    and before the first step has been taken no rate can have done any.
    """
    burst = look.burst()
    if burst and burst[0].figure.step == 1:
        return []
    long_steps = look.above("stride") or look.above("largest_update")
    if burst and not look.above("first_norm"):
        long_steps = long_steps or look.above("norm_growth")
    harm = look.above("worst_loss", WORSE_THAN_GUESSING) + look.below("progress") + look.below("attention")
    return together(long_steps, burst or harm + look.above("rebound"))


def learning_rate_too_low(look: Look) -> list[Evidence]:
    """The weights have hardly moved, and the model has not even learned which words are frequent.

    Too early to say in the first hundred steps.
    """
    if look.case.steps < ENOUGH_STEPS:
        return []
    return together(look.below("path", HARDLY_MOVED), look.beyond("progress", Band(HARDLY_LEARNED, inf)))


def weight_decay_too_strong(look: Look) -> list[Evidence]:
    return look.below("size", SHRUNK)


CAUSES = (
    Cause(
        "learning-rate-too-high",
        "The learning rate is too high",
        Weight.SETTING,
        "A step throws the weights far beyond the place the gradient points to. The loss jumps above that of guessing,"
        " or the scores of attention become so large that nothing can be learned any more.",
        "Divide optimizer.learning_rate by 10, again if need be; `mini-bert find-rate` looks for one that suits,"
        " and a longer warm-up (schedule.warmup) helps to bear it.",
        learning_rate_too_high,
    ),
    Cause(
        "learning-rate-too-low",
        "The learning rate is too low",
        Weight.SETTING,
        "The loss falls in a straight, slow line: at this pace the weights do not get anywhere within the budget.",
        "Multiply optimizer.learning_rate by 10, again if need be, or train for longer. 1e-3 suits most models of this"
        " package with AdamW.",
        learning_rate_too_low,
    ),
    Cause(
        "weight-decay-too-strong",
        "Weight decay is too strong",
        Weight.SETTING,
        "The decay pulls the matrices towards zero faster than the gradients can build them up: layers fall silent.",
        "Set optimizer.weight_decay to 0.01, at most 0.1.",
        weight_decay_too_strong,
    ),
)
