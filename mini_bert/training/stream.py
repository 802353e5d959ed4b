"""The stream of exercises: rows of text, masked, batch after batch, which can be stopped and resumed anywhere.

    stream = MaskedStream(rows, Masking.of(tokenizer), k=10, batch_size=32, seed=0)
    for batch in stream: ...                # without end
    stream.take(64)                         # another batch size, when training wants one
    state = stream.state()                  # a dict for a JSON file
    stream.resume(state)                    # the batches that would have come next, bit for bit

What is hidden in a row depends on the seed and the number of the row, which counts on from epoch to epoch (dynamic
masking): not on the batch it stands in, nor on the worker that makes it. With `static=True` it depends on the text in
the row, and is the same whenever a row begins at the same place of the corpus.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Rows
from mini_bert.training.curriculum import Curriculum
from mini_bert.training.draws import RowDraws
from mini_bert.training.masking import Exercise
from mini_bert.training.objectives import MaskedBatch, Question
from mini_bert.training.token_order import TokenOrder

NEXT_ROW = "next_row"


class MaskedStream:
    """Masked batches from rows; k words are asked for in each full row, and as large a share of a shorter one.

    `starts_word` (V,) is needed for whole-word masking only: a tokenizer's `starts_word()`. `token_order` reorders
    some tokens and asks about them; rows of two passages ask whether they follow each other. With a `curriculum`,
    `take` is told the share of the rows that are open yet.
    """

    def __init__(
        self,
        rows: Rows,
        masking: Exercise,
        k: int,
        batch_size: int,
        seed: int = 0,
        starts_word: Array | None = None,
        *,
        static: bool = False,
        token_order: TokenOrder | None = None,
        importance: float = 1.0,
        curriculum: Curriculum | None = None,
    ) -> None:
        self.rows, self.masking, self.k, self.batch_size, self.seed = rows, masking, k, batch_size, seed
        self.starts_word, self.static = starts_word, static
        self.token_order, self.importance, self.curriculum = token_order, importance, curriculum
        self.next_row = 0
        self._identity = {
            **rows.identity(),
            "masking": repr(masking),
            "k": k,
            "by_words": starts_word is not None,
            "static": static,
            "token_order": token_order.share if token_order else 0.0,
            "curriculum": repr(curriculum),
            "masking_seed": seed,
        }

    def __iter__(self) -> Iterator[MaskedBatch]:
        return self

    def __next__(self) -> MaskedBatch:
        return self.take(self.batch_size)

    def take(
        self, count: int, k: int | None = None, done: float = 1.0, part: slice | None = None
    ) -> MaskedBatch:
        """The next so many rows, with another number of words asked for if `k` says so.

        `done` is the share of the run that lies behind: a curriculum opens more of the rows as it grows. Of the rows,
        only a `part` is made if one is named: those of others are passed over.
        """
        start, stop, _ = (part or slice(count)).indices(count)
        batch = self.batch(self.next_row + start, stop - start, k, done)
        self.next_row += int(count)
        return batch

    def batch(self, first: int, count: int, k: int | None = None, done: float = 1.0) -> MaskedBatch:
        """Rows `first` to `first + count`, whatever came before.

        `weights` add up to 1 over these rows, so workers take the whole batch, and of it `batch.rows(start, stop)`.
        """
        if count < 1:
            raise ValueError(f"a batch of {count} rows; choose 1 or more")
        k = self.k if k is None else k
        numbers = np.arange(first, first + count)
        rows = self.curriculum.chosen(numbers, done) if self.curriculum else numbers
        ids, spared, question = self.questioned(self.rows.numbered(rows), rows, numbers)
        words = None if self.starts_word is None else self.rows.word_ids(ids, self.starts_word)
        draws = RowDraws(self.seed, self.places(rows) if self.static else numbers)
        lengths = self.rows.lengths_numbered(rows)
        quota, inputs = None, {}
        if (lengths < self.rows.T).any():
            quota = np.maximum(1, np.round(k * lengths / self.rows.T)).astype(int)
            inputs["attention_mask"] = np.arange(self.rows.T) < lengths[:, None]
        segments = self.rows.segments_numbered(rows)
        if segments is not None:
            inputs["token_type_ids"] = segments
        batch = self.masking(ids, k, draws, words, quota, spared)
        inputs |= batch.inputs or {}
        return replace(batch, inputs=inputs or None, question=question or batch.question)

    def questioned(
        self, ids: Array, rows: Array, numbers: Array
    ) -> tuple[Array, Array | None, Question | None]:
        """The ids to show, which of them must not be masked, and what a second task asks about them."""
        if self.token_order:
            shuffled = self.token_order(ids, RowDraws(self.seed, numbers, "token order"))
            weights = shuffled.asked / max(shuffled.asked.sum(), 1)
            question = Question(shuffled.positions, shuffled.orders, weights, self.importance)
            return shuffled.ids, shuffled.touched, question
        labels = self.rows.classes_numbered(rows)
        if labels is None:
            return ids, None, None
        first_token = np.zeros((len(ids), 1), np.int64)
        return ids, None, Question(first_token, labels, np.full(len(ids), 1 / len(ids)), self.importance)

    def places(self, rows: Array) -> Array:
        """Where in the corpus each row begins."""
        documents, offsets = self.rows.places_numbered(rows)
        places: Array = self.rows.cache.starts[documents[:, 0]] + offsets[:, 0]
        return places

    def at(self, done: float) -> Self:
        """Where the rows come from at this share of the run: from here throughout, unlike in a `StagedStream`."""
        return self

    @property
    def latest(self) -> Self:
        """Where the last rows came from."""
        return self

    @property
    def epoch(self) -> int:
        """The epoch of the next row."""
        return self.rows.epoch_of(self.next_row)

    def state(self) -> dict[str, Any]:
        """Where the stream is, and what it streams, as plain values."""
        return {NEXT_ROW: self.next_row, **self._identity}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; that of another stream is refused, for its row numbers mean other rows."""
        refuse_other_stream(self._identity, state)
        next_row = state.get(NEXT_ROW)
        if not isinstance(next_row, int) or next_row < 0:
            raise ValueError(f"cannot resume: {NEXT_ROW} is {next_row!r}, not the number of a row")
        self.next_row = next_row


def refuse_other_stream(identity: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """ValueError if a state was saved by a stream of another identity."""
    for name, mine in identity.items():
        if name not in state or state[name] != mine:
            raise ValueError(
                f"cannot resume: {name} is {mine!r} here, and was {state.get(name)!r} when the state was saved; "
                "resume with the same text, tokenizer, settings and seeds, or begin anew"
            )
