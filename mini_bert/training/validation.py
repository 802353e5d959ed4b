"""Validation: how well a model finds hidden words in text that was held out."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.network import Network
from mini_bert.data.fingerprints import hashed
from mini_bert.data.rows import Rows
from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.cluster.ranks import Alone, Ranks
from mini_bert.training.masking import Disguise, Exercise, Masking, masked_words
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Objective
from mini_bert.training.parallel import Team
from mini_bert.training.stream import MaskedStream
from mini_bert.training.token_order import TokenOrder

SEED = 0
HELD_OUT, SECOND, OLD = "held_out", "second", "old"
"""The exams: held-out text, what a second task asks about it, and text of the model before."""
ROWS_AT_ONCE = 32


class Score(NamedTuple):
    """The mean of −ln p(word), the share of words found, e to the loss; and loss and accuracy of what else is asked."""

    loss: float
    accuracy: float
    perplexity: float
    second_loss: float | None = None
    second_accuracy: float | None = None
    further: Mapping[str, float] = MappingProxyType({})

    def named(self, exam: str) -> dict[str, float]:
        """By name: {"held_out_loss": 2.1, ...}; in the exam of a second task, that task alone counts."""
        second: dict[str, float] = {}
        if self.second_loss is not None and self.second_accuracy is not None:
            second = {
                "held_out_second_loss": self.second_loss,
                "held_out_second_accuracy": self.second_accuracy,
            }
        if exam == SECOND:
            return second
        words = {f"{exam}_{name}": getattr(self, name) for name in ("loss", "accuracy", "perplexity")}
        further = {f"{exam}_{name}": value for name, value in self.further.items()}
        return words | further | (second if exam == HELD_OUT else {})


def exam_of(
    rows: Rows,
    tokenizer: Tokenizer,
    most: int,
    token_order: TokenOrder | None = None,
    exercise: Exercise | None = None,
) -> MaskedBatch:
    """At most so many rows with 15 % of their tokens hidden, all of them behind [MASK]: the same for every model.

    A model that fills no gaps is examined by another exercise.
    """
    exercise = exercise or plain_masking(tokenizer)
    count = min(most, rows.rows_per_epoch)
    return MaskedStream(rows, exercise, masked_words(rows.T), count, SEED, token_order=token_order).take(
        count
    )


def questions_of(exam: MaskedBatch) -> str:
    """A digest that is the same for the same questions: only losses on these can be compared."""
    return hashed([exam.ids.tolist(), exam.positions.tolist()])


def plain_masking(tokenizer: Tokenizer) -> Masking:
    """All that is asked for stands behind [MASK]."""
    return Masking.of(tokenizer, disguise=Disguise(hidden=1.0, replaced=0.0))


def examine(
    network: Network,
    params: Mapping[str, Array],
    exam: MaskedBatch,
    team: Team,
    objective: Objective | None = None,
    ranks: Ranks | None = None,
) -> Score:
    """The score of a model in an exam; the team shares the rows, and so do the teams of all ranks."""
    objective, ranks = objective or MaskedWords(), ranks or Alone()
    starts = range(0, len(exam.ids), ROWS_AT_ONCE)
    first, workers = ranks.number * team.size, ranks.size * team.size

    @np.errstate(over="ignore", invalid="ignore")  # a loss that is not finite says so itself
    def share(worker: int) -> list[tuple[tuple[float, ...], Any]]:
        scores = []
        for start in starts[first + worker :: workers]:
            batch = exam.rows(start, start + ROWS_AT_ONCE)
            losses, trace = objective.loss(network, params, batch, keeps=False)
            scores.append((objective.scores(losses, batch, trace), objective.answers(batch, trace)))
        return scores

    own = [found for scores in team.each(share) for found in scores]
    figures, answers = zip(*(found for of_rank in ranks.tell(own) for found in of_rank), strict=True)
    loss, accuracy, *second = (fsum(column) for column in zip(*figures, strict=True))
    further = objective.further_scores(list(answers))
    second_loss, second_accuracy = second or (None, None)
    return Score(loss, accuracy, perplexity_of_loss(loss), second_loss, second_accuracy, further)
