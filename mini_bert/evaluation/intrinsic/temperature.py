"""By how much should a model's logits be cooled or heated, so that it is as sure as it may be?

p = softmax(z / τ),   τ = argmin −Σ ln p(word)          temperature scaling (Guo et al. 2017)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.intrinsic.answers import Answers, judged
from mini_bert.evaluation.intrinsic.questions import ROWS_AT_ONCE, Questions, logits_of
from mini_bert.evaluation.subject import Subject
from mini_bert.metrics.calibration import expected_calibration_error

BINS = 15
KEPT_NUMBERS = 24_000_000
"""Of logits, for the temperature: 96 MB in float32."""
MOST_STEPS, PRECISE_ENOUGH = 50, 1e-6


@dataclass(frozen=True)
class Heat:
    """The best temperature of one half of some questions, and what it does to the other half."""

    temperature: float
    questions: int
    loss_before: float
    loss_after: float
    error_before: float
    error_after: float


def best_temperature(logits: Array, labels: Array) -> float:
    """τ of the lowest loss, by Newton's method in β = 1/τ, in which the loss is convex.

    dLoss/dβ = E_p[z] − z(word),   d²Loss/dβ² = Var_p[z]          means over logits (n, V) and labels (n,)
    """
    z = logits - logits.max(axis=1, keepdims=True)
    of_word = np.take_along_axis(z, labels[:, None], 1)[:, 0].mean(dtype=np.float64)
    beta = 1.0
    for _ in range(MOST_STEPS):
        p = np.exp(z * z.dtype.type(beta))
        p /= p.sum(axis=1, keepdims=True)
        mean = (p * z).sum(axis=1, dtype=np.float64)
        variance = float(((p * z * z).sum(axis=1, dtype=np.float64) - mean**2).mean())
        slope = float(mean.mean() - of_word)
        step = slope / max(variance, 1e-12)
        before, beta = beta, float(np.clip(beta - step, beta / 4, beta * 4))  # not too far at once
        if abs(beta - before) < PRECISE_ENOUGH * before:
            break
    return 1 / beta


def best_heat(subject: Subject, questions: Questions) -> Heat:
    """Fitted on the even rows, judged on the odd ones, of as many as memory allows."""
    V = subject.model.config.vocab_size
    count = max(2, min(len(questions.batch.ids), KEPT_NUMBERS // (V * questions.batch.positions.shape[1])))
    cuts = [slice(start, min(start + ROWS_AT_ONCE, count)) for start in range(0, count, ROWS_AT_ONCE)]
    team = subject.predictor.team

    def share(worker: int) -> list[tuple[Array, Array]]:
        return [logits_of(subject.model, questions, cut) for cut in cuts[worker :: team.size]]

    shares = team.each(share)
    parts = [shares[number % team.size][number // team.size] for number in range(len(cuts))]
    logits = np.concatenate([some for some, _ in parts])
    labels = np.concatenate([some for _, some in parts])
    is_fitted = questions.row[: len(labels)] % 2 == 0
    temperature = best_temperature(logits[is_fitted], labels[is_fitted])
    judged_on = logits[~is_fitted]
    before, after = (
        judged(judged_on / judged_on.dtype.type(heat), labels[~is_fitted]) for heat in (1.0, temperature)
    )
    return Heat(
        temperature,
        int((~is_fitted).sum()),
        float(-before.log_prob.mean()),
        float(-after.log_prob.mean()),
        error_of(before),
        error_of(after),
    )


def error_of(answers: Answers) -> float:
    return expected_calibration_error(np.minimum(answers.confidence, 1.0), answers.right, BINS)
