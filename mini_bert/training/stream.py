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
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Rows
from mini_bert.training.draws import RowDraws
from mini_bert.training.masking import Masking
from mini_bert.training.objectives import MaskedBatch

NEXT_ROW = "next_row"


class MaskedStream:
    """Masked batches from rows; k words are asked for in each full row, and as large a share of a shorter one.

    `starts_word` (V,) is needed for whole-word masking only: a tokenizer's `starts_word()`.
    """

    def __init__(
        self,
        rows: Rows,
        masking: Masking,
        k: int,
        batch_size: int,
        seed: int = 0,
        starts_word: Array | None = None,
        *,
        static: bool = False,
    ) -> None:
        self.rows, self.masking, self.k, self.batch_size, self.seed = rows, masking, k, batch_size, seed
        self.starts_word, self.static = starts_word, static
        self.next_row = 0
        self._identity = {
            **rows.identity(),
            "masking": repr(masking),
            "k": k,
            "by_words": starts_word is not None,
            "static": static,
            "masking_seed": seed,
        }

    def __iter__(self) -> Iterator[MaskedBatch]:
        return self

    def __next__(self) -> MaskedBatch:
        return self.take(self.batch_size)

    def take(self, count: int, k: int | None = None) -> MaskedBatch:
        """The next so many rows, with another number of words asked for if `k` says so."""
        batch = self.batch(self.next_row, count, k)
        self.next_row += int(count)
        return batch

    def batch(self, first: int, count: int, k: int | None = None) -> MaskedBatch:
        """Rows `first` to `first + count`, whatever came before.

        `weights` add up to 1 over these rows, so workers take the whole batch, and of it `batch.rows(start, stop)`.
        """
        if count < 1:
            raise ValueError(f"a batch of {count} rows; choose 1 or more")
        k = self.k if k is None else k
        ids = self.rows.take(first, count)
        words = None if self.starts_word is None else self.rows.word_ids(ids, self.starts_word)
        draws = RowDraws(
            self.seed, self.places(first, count) if self.static else np.arange(first, first + count)
        )
        lengths = self.rows.lengths(first, count)
        if (lengths == self.rows.T).all():
            return self.masking(ids, k, draws, words)
        quota = np.maximum(1, np.round(k * lengths / self.rows.T)).astype(int)
        batch = self.masking(ids, k, draws, words, quota)
        return replace(batch, inputs={"attention_mask": np.arange(self.rows.T) < lengths[:, None]})

    def places(self, first: int, count: int) -> Array:
        """Where in the corpus each row begins."""
        documents, offsets = self.rows.places(first, count)
        places: Array = self.rows.cache.starts[documents[:, 0]] + offsets[:, 0]
        return places

    @property
    def epoch(self) -> int:
        """The epoch of the next row."""
        return self.rows.epoch_of(self.next_row)

    def state(self) -> dict[str, Any]:
        """Where the stream is, and what it streams, as plain values."""
        return {NEXT_ROW: self.next_row, **self._identity}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; that of another stream is refused, for its row numbers mean other rows."""
        for name, mine in self._identity.items():
            if name not in state or state[name] != mine:
                raise ValueError(
                    f"cannot resume: {name} is {mine!r} here, and was {state.get(name)!r} when the state was saved; "
                    "resume with the same text, tokenizer and seeds, or begin anew"
                )
        next_row = state.get(NEXT_ROW)
        if not isinstance(next_row, int) or next_row < 0:
            raise ValueError(f"cannot resume: {NEXT_ROW} is {next_row!r}, not the number of a row")
        self.next_row = next_row
