"""Labels that the model draws itself: what Sophia's estimate of the curvature is made of."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from mini_bert.core.chance import drawn, streams, uniform
from mini_bert.core.trace import Trace
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.step import Relabel


def drawn_labels(seed: int, step: int) -> Relabel:
    """Puts a word drawn from the model's own softmax in the place of each hidden one, and so with a question.

    A draw belongs to the seed, the step and the row: not to the worker that makes it.
    """

    def relabel(batch: MaskedBatch, t: Trace, first_row: int) -> MaskedBatch:
        B, k = batch.labels.shape
        starts = streams("drawn labels", seed, step, np.arange(first_row, first_row + B))
        question = batch.question
        if question is not None:
            draws = uniform(starts, k, question.labels[0].size).reshape(question.labels.shape)
            question = replace(question, labels=drawn(t["answer_probs"], draws))
        return replace(batch, labels=drawn(t["word_probs"], uniform(starts, 0, k)), question=question)

    return relabel


def curvature_batch(batch: MaskedBatch, N: int, M: int) -> MaskedBatch:
    """The batch to estimate the curvature with, where N words are asked for and M answers to a question.

    N ĝ ⊙ ĝ is the curvature of a mean over N labels. A question has M of its own and the importance w: with its
    gradient weighted by √(w M / N), the same N ĝ ⊙ ĝ holds for the sum of both.
    """
    question = batch.question
    if question is None:
        return batch
    weighted = replace(question, importance=sqrt(question.importance * M / max(N, 1)))
    return replace(batch, question=weighted)
