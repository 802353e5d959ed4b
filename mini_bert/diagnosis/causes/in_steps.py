"""Causes in the training loop: what becomes of the gradients."""

from __future__ import annotations

from math import inf

from mini_bert.diagnosis.bands import Band
from mini_bert.diagnosis.causes.cause import Cause, Evidence, Look, Weight, together

NEAR = 1.2
"""Other batches have other gradients, whose mean differs by less than a tenth; 3 times is not taken for 4 times."""
GROWING = 1.5
EXACT = 1.1
LIKE_THEORY = 1.003
"""The same moments give the same update, but for rounding: to one part in a thousand."""


def micro_batches(look: Look) -> int:
    batch = look.case.config.batch
    return max(1, batch.size // batch.micro)


def accumulation_not_averaged(look: Look) -> list[Evidence]:
    """The logged gradient is n times the recomputed one, n being the number of micro-batches in a step."""
    n, ratio = micro_batches(look), look.value("replayed_norm")
    if n == 1 or ratio is None or not n / NEAR < ratio < n * NEAR:
        return []
    return look.above("replayed_norm")


def gradients_not_reset(look: Look) -> list[Evidence]:
    """The logged gradient is a multiple of the recomputed one, and grows: each step adds to what was there."""
    return together(
        look.above("replayed_norm", NEAR * micro_batches(look)),
        look.beyond("norm_growth", Band(-inf, GROWING)),
    )


def bias_correction_missing(look: Look) -> list[Evidence]:
    """The update is not that of sound code, but to the third digit what Adam's moments give without correction.

    The factor (1 − β₁ᵗ) / √(1 − β₂ᵗ) falls with t: where several steps can be recomputed, it fits at all of them.
    """
    uncorrected = look.value("uncorrected_update")
    if uncorrected is None or not 1 / LIKE_THEORY < uncorrected < LIKE_THEORY:
        return []
    return look.beyond("replayed_update", Band(1 / EXACT, EXACT))


CAUSES = (
    Cause(
        "accumulation-not-averaged",
        "The gradients of micro-batches are summed, not averaged",
        Weight.RECOMPUTED,
        "The gradient is as many times too long as a step has micro-batches. AdamW hides it, but clipping sets in far"
        " too early, and with SGD the learning rate is too high by that factor.",
        "Divide each micro-batch's loss by the number of micro-batches, or weigh its words by their share of the"
        " whole batch.",
        accumulation_not_averaged,
    ),
    Cause(
        "gradients-not-reset",
        "Gradients are not set to zero between two steps",
        Weight.RECOMPUTED,
        "Every step follows the sum of all gradients so far: momentum that never fades. The norm grows with the steps,"
        " and the loss hardly falls or swings.",
        "Set the gradients to zero before each step (in PyTorch: optimizer.zero_grad()).",
        gradients_not_reset,
    ),
    Cause(
        "bias-correction-missing",
        "Adam's bias correction is missing",
        Weight.RECOMPUTED,
        "The moments begin at zero, √v more so than m: for the first hundreds of steps the updates are several times as"
        " long as the learning rate says.",
        "Divide m by 1 − β₁ᵗ and v by 1 − β₂ᵗ, and count t from 1.",
        bias_correction_missing,
    ),
)
