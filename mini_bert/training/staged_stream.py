"""Short rows first: most steps read short rows, the last ones full rows, as many tokens in a step of either.

    stream = StagedStream(short, full, until=0.5)  # two MaskedStreams over the same text
    stream.take(64, k=5, done=0.1)                 # 64 rows of 32 tokens
    stream.take(32, k=10, done=0.7)                # 32 rows of 64

Attention costs T² for each row, and most of what words tell about each other they tell nearby: BERT itself read 128
tokens for 90 % of its steps and 512 in the rest, to learn the positions behind (Devlin et al. 2019, A.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.stream import MaskedStream, refuse_other_stream


class StagedStream:
    """Batches of `short` before a share `until` of the run, of `full` from then on.

    Full rows begin where the short ones end: at the same share of the same epoch. Once they have begun they stay, for
    a budget in minutes may find that it has come less far than it thought.
    """

    def __init__(self, short: MaskedStream, full: MaskedStream, until: float) -> None:
        self.short, self.full, self.until = short, full, until
        self._identity = {"T": [short.rows.T, full.rows.T], "short_until": until}

    def at(self, done: float) -> MaskedStream:
        """Where the next rows come from, at this share of the run."""
        return self.full if self.full.next_row or done >= self.until else self.short

    @property
    def latest(self) -> MaskedStream:
        """Where the last rows came from."""
        return self.full if self.full.next_row else self.short

    def take(
        self, count: int, k: int | None = None, done: float = 1.0, part: slice | None = None
    ) -> MaskedBatch:
        """The next so many rows of this stage, or a part of them, with k words asked for in each."""
        stream = self.at(done)
        if stream is self.full and not self.full.next_row:
            self.full.next_row = self.first_full_row()
        return stream.take(count, k, done, part)

    def first_full_row(self) -> int:
        """The full row that lies as far in the epochs as the next short one, rounded up."""
        return -(-self.short.next_row * self.full.rows.rows_per_epoch // self.short.rows.rows_per_epoch)

    @property
    def epoch(self) -> int:
        """The epoch of the next row."""
        return self.latest.epoch

    def state(self) -> dict[str, Any]:
        """Where both streams are, and what they stream, as plain values."""
        return {**self.full.state(), **self._identity, "short": self.short.state()}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; that of another stream, or of one with other stages, is refused."""
        refuse_other_stream(self._identity, state)
        self.short.resume(state["short"])
        self.full.resume({**state, "T": self.full.rows.T})
