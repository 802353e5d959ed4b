"""Weights in half the room: what float16 costs, in weights, in answers and in loss.

A float16 has 11 significant bits: |w − w₁₆| ≤ 2⁻¹¹ |w| where 2⁻¹⁴ ≤ |w| ≤ 65504; below that, at most 2⁻²⁵ is lost.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.data.corpus import Corpus
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.token_cache import tokenized
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, part, silent
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.validation import exam_of

SMALLEST_NORMAL = 2.0**-14
ROWS_AT_ONCE = 32
SEED = 0
WANTED_AGREEMENT = 0.995
"""Of the first guesses at hidden words; below it, half precision would be another model."""


@dataclass(frozen=True)
class Rounding:
    """The largest |w − w₁₆| / |w| of all weights that float16 has in full, and how many are too small for that."""

    largest_relative_error: float
    below_normal: int
    weights: int


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


def rounding_of(model: MiniBERT) -> Rounding:
    """What float16 makes of the weights; a weight that it cannot hold is refused, by name."""
    largest, small = 0.0, 0
    for name, weight in model.arena.items():
        with np.errstate(over="ignore"):
            stored = weight.astype(np.float16).astype(weight.dtype)
        if not np.isfinite(stored).all():
            raise ValueError(
                f"{name} holds {np.abs(weight).max():g}, and float16 ends at 65504; train with more weight decay"
            )
        size = np.abs(weight)
        normal = size >= SMALLEST_NORMAL
        small += int(np.count_nonzero(~normal & (size > 0)))
        if normal.any():
            largest = max(largest, float((np.abs(stored - weight)[normal] / size[normal]).max()))
    return Rounding(largest, small, model.num_parameters)


def agreement_of(
    original: MiniBERT, stored: MiniBERT, text: Corpus, most_rows: int, report: Report = silent
) -> Agreement:
    """Both models in one exam."""
    exam = exam_on(original, text, most_rows, part(report, 0.0, 0.3))
    asked = exam.weights > 0
    same = positions = 0
    losses = np.zeros(2)
    with Predictor(original) as before, Predictor(stored) as after:
        for start in range(0, len(exam.ids), ROWS_AT_ONCE):
            batch, chosen = exam.rows(start, start + ROWS_AT_ONCE), asked[start : start + ROWS_AT_ONCE]
            mine, theirs = (answers(one, batch)[chosen] for one in (before, after))
            labels = batch.labels[chosen]
            same += int(np.count_nonzero(mine.argmax(-1) == theirs.argmax(-1)))
            losses -= [log_probs(mine, labels).sum(), log_probs(theirs, labels).sum()]
            positions += len(labels)
            report(0.3 + 0.7 * (start + len(batch.ids)) / len(exam.ids), f"{positions:,} hidden words")
    loss_before, loss_after = (losses / positions).tolist()
    return Agreement(text.name, positions, share(same, positions), loss_before, loss_after)


def exam_on(model: MiniBERT, text: Corpus, most_rows: int, report: Report) -> MaskedBatch:
    """Packed rows of the text, 15 % of the tokens hidden, all behind [MASK]."""
    tokenizer = tokenizer_of(model)
    cache = tokenized(text, tokenizer, report=report)
    rows = PackedRows(
        cache, np.arange(len(cache)), model.config.max_seq_length, Layout.of(tokenizer), seed=SEED
    )
    exam = exam_of(rows, tokenizer, most_rows)
    if not (exam.weights > 0).any():
        raise ValueError(f"{text.name}: not a word in it that the vocabulary knows; give another --text")
    return exam


def answers(predictor: Predictor, batch: MaskedBatch) -> Array:
    """Logits (B, k, V) at the hidden positions."""
    mask = (batch.inputs or {}).get("attention_mask")
    return predictor.logits(batch.ids, mask, positions=batch.positions)


def log_probs(logits: Array, labels: Array) -> Array:
    """ln p(word) of each question: logits (n, V), labels (n,) → (n,)"""
    return np.take_along_axis(log_softmax(logits.astype(np.float64)), labels[:, None], 1)[:, 0]
