"""Whether a model that was stored in half the room says what its original says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mini_bert.data.corpus import Corpus
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.intrinsic.answers import judged
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.hidden_words import ROWS_AT_ONCE, answers, exam_on
from mini_bert.reports import Report, part, silent

WANTED_AGREEMENT = 0.995
"""Of the first guesses at hidden words; below it, half precision would be another model."""


@dataclass(frozen=True)
class Agreement:
    """On hidden words of a text: how often both say the same word first, and the loss of each in nats."""

    text: str
    positions: int
    same_first_guess: Estimate
    loss_before: float
    loss_after: float

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "same_first_guess": self.same_first_guess._asdict()}


def is_enough(same_first_guess: float) -> bool:
    return same_first_guess >= WANTED_AGREEMENT


def agreement_of(
    original: MiniBERT, stored: MiniBERT, text: Corpus, most_rows: int, report: Report = silent
) -> Agreement:
    """Both models in one exam."""
    exam = exam_on(original, text, most_rows, part(report, 0.0, 0.3))
    same = positions = 0
    losses = np.zeros(2)
    both = zip(answers(original, exam), answers(stored, exam), strict=True)
    for number, ((before, labels, _), (after, _, _)) in enumerate(both, start=1):
        same += int(np.count_nonzero(before.argmax(-1) == after.argmax(-1)))
        losses -= [judged(logits, labels).log_prob.sum() for logits in (before, after)]
        positions += len(labels)
        report(min(1.0, 0.3 + 0.7 * number * ROWS_AT_ONCE / len(exam.ids)), f"{positions:,} hidden words")
    loss_before, loss_after = (losses / positions).tolist()
    return Agreement(text.name, positions, share(same, positions), loss_before, loss_after)
