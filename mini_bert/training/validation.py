"""Validation: how well a model finds hidden words in text that was held out."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import NamedTuple

from mini_bert.core.array import Array
from mini_bert.core.network import Network
from mini_bert.data.rows import Rows
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import Disguise, Masking
from mini_bert.training.objectives import MaskedBatch, masked_word_loss
from mini_bert.training.parallel import Team
from mini_bert.training.stream import MaskedStream

SHARE, SEED = 0.15, 0
ROWS_AT_ONCE = 32


class Score(NamedTuple):
    """The mean of −ln p(word), the share of words found, and e to the loss."""

    loss: float
    accuracy: float
    perplexity: float


def exam_of(rows: Rows, tokenizer: Tokenizer, most: int) -> MaskedBatch:
    """At most so many rows with 15 % of their tokens hidden, all of them behind [MASK]: the same for every model."""
    masking = Masking.of(tokenizer, disguise=Disguise(hidden=1.0, replaced=0.0))
    count = min(most, rows.rows_per_epoch)
    return MaskedStream(rows, masking, max(1, round(SHARE * rows.T)), count, SEED).take(count)


def examine(network: Network, params: Mapping[str, Array], exam: MaskedBatch, team: Team) -> Score:
    """The score of a model in an exam; the team shares the rows."""
    starts = range(0, len(exam.ids), ROWS_AT_ONCE)

    def share(worker: int) -> tuple[float, float]:
        loss = right = 0.0
        for start in starts[worker :: team.size]:
            batch = exam.rows(start, start + ROWS_AT_ONCE)
            part, trace = masked_word_loss(network, params, batch)
            loss += float(part)
            right += float(((trace["word_probs"].argmax(-1) == batch.labels) * batch.weights).sum())
        return loss, right

    losses, rights = zip(*team.each(share), strict=True)
    return Score(sum(losses), sum(rights), exp(min(sum(losses), 700.0)))
