"""A rank's own rows of a batch: no row is read twice, and together they are the batch of one rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.config import TrainingConfig
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.staged_stream import StagedStream
from mini_bert.training.step import split_evenly
from mini_bert.training.stream import MaskedStream


@dataclass(frozen=True)
class Share:
    """Rows from `first_row` on of a batch; `weights` add up to 1 over the shares of all ranks.

    `tokens`, `words` and `questions` count what stands and what is asked in the whole batch, which `whole` makes.
    """

    batch: MaskedBatch
    first_row: int
    tokens: int
    words: int
    questions: int
    whole: Callable[[], MaskedBatch]


def next_share(stream: MaskedStream | StagedStream, ranks: Ranks, count: int, k: int, done: float) -> Share:
    """This rank's part of the next `count` rows. Ranks get as many as each other, or one more."""
    start, stop = list(split_evenly(0, count, ranks.size))[ranks.number]
    own = stream.take(count, k, done, slice(start, stop))
    source = stream.latest
    first = source.next_row - count

    def whole() -> MaskedBatch:
        return own if ranks.size == 1 else source.batch(first, count, k, done)

    words, questions = asked(own)
    tokens, all_words, all_questions = (int(n) for n in ranks.totals(own.tokens, words, questions))
    batch = own
    if ranks.size > 1:
        batch = weighted(own, words / max(all_words, 1), questions / max(all_questions, 1))
    return Share(batch, start, tokens, all_words, all_questions, whole)


def asked(batch: MaskedBatch) -> tuple[int, int]:
    """How many words are asked for, and how many answers to a second question."""
    question = batch.question
    return int((batch.weights > 0).sum()), 0 if question is None else int((question.weights > 0).sum())


def weighted(batch: MaskedBatch, words: float, questions: float) -> MaskedBatch:
    """The same with its weights times these: every word that is asked for weighs the same, on whatever rank."""
    question = batch.question
    if question is not None:
        question = replace(question, weights=question.weights * questions)
    return replace(batch, weights=batch.weights * words, question=question)


def refuse_idle_ranks(config: TrainingConfig, ranks: Ranks) -> None:
    smallest = config.batch.ramp_from or config.batch.size
    if smallest < ranks.size:
        raise ValueError(
            f"a batch of {smallest} sequences for {ranks.size} ranks: some would have none;"
            f" choose --batch {ranks.size} or more, or fewer ranks"
        )
