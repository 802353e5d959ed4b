"""A text as a model reads it, and where in the text each piece stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Piece(NamedTuple):
    """One piece of a text: its id, text[start:end] that it stands for, and the number of its word."""

    id: int
    start: int
    end: int
    word: int | None


@dataclass(frozen=True)
class Encoding:
    """Parallel lists, one entry for each token.

    `offsets` are (start, end) into the original text, (0, 0) for a special token or padding, whose `word_ids` are
    None. `type_ids` tell the first text from the second. `attention_mask` is 0 at padding.
    """

    ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]
    type_ids: list[int]
    special_tokens_mask: list[int]
    attention_mask: list[int]

    def __len__(self) -> int:
        return len(self.ids)

    def padded(self, length: int, pad_id: int, pad_token: str) -> Encoding:
        """Filled up with padding on the right."""
        missing = max(0, length - len(self))
        return Encoding(
            self.ids + [pad_id] * missing,
            self.tokens + [pad_token] * missing,
            self.offsets + [(0, 0)] * missing,
            self.word_ids + [None] * missing,
            self.type_ids + [0] * missing,
            self.special_tokens_mask + [1] * missing,
            self.attention_mask + [0] * missing,
        )


def truncated(first: Sequence[Piece], second: Sequence[Piece], room: int) -> tuple[list[Piece], list[Piece]]:
    """At most `room` pieces of both together: the longer one gives way until they are alike, then both do."""
    if len(first) + len(second) <= room:
        return list(first), list(second)
    less = min(len(first), len(second), room // 2)
    of_first = room - less if len(first) > len(second) else less
    return list(first[:of_first]), list(second[: room - of_first])
