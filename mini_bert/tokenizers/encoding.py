"""A text as a model reads it, and where in the text each piece stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Piece(NamedTuple):
    """One piece of a text: its id, text[start:end] that it stands for, and the number of its word."""

    id: int
    start: int
    end: int
    word: int | None


@dataclass(frozen=True)
class Padding:
    """On which side of a text padding stands, and its segment."""

    side: Literal["left", "right"] = "right"
    segment: int = 0


RIGHT = Padding()


@dataclass(frozen=True)
class Encoding:
    """Parallel lists, one entry for each token.

    `offsets` are (start, end) into the original text, (0, 0) for a special token or padding, whose `word_ids` are
    None. `sequence_ids` tell the first text (0) from the second (1), and are None for a special token or padding.
    `type_ids` are the segments that the model is told, which in RoBERTa's frame are 0 in both texts.
    `attention_mask` is 0 at padding.

    `tokens` are the pieces of the vocabulary that the ids stand for. Where a letter is unknown that is <unk>, while
    HuggingFace's Unigram shows the letter; `offsets` lead to it.
    """

    ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]
    type_ids: list[int]
    special_tokens_mask: list[int]
    attention_mask: list[int]
    sequence_ids: list[int | None]

    def __len__(self) -> int:
        return len(self.ids)

    def padded(self, length: int, pad_id: int, pad_token: str, padding: Padding = RIGHT) -> Encoding:
        """Filled up with padding."""
        missing = max(0, length - len(self))
        fill = Encoding(
            [pad_id] * missing,
            [pad_token] * missing,
            [(0, 0)] * missing,
            [None] * missing,
            [padding.segment] * missing,
            [1] * missing,
            [0] * missing,
            [None] * missing,
        )
        return fill.followed_by(self) if padding.side == "left" else self.followed_by(fill)

    def followed_by(self, other: Encoding) -> Encoding:
        return Encoding(
            self.ids + other.ids,
            self.tokens + other.tokens,
            self.offsets + other.offsets,
            self.word_ids + other.word_ids,
            self.type_ids + other.type_ids,
            self.special_tokens_mask + other.special_tokens_mask,
            self.attention_mask + other.attention_mask,
            self.sequence_ids + other.sequence_ids,
        )


def truncated(first: Sequence[Piece], second: Sequence[Piece], room: int) -> tuple[list[Piece], list[Piece]]:
    """At most `room` pieces of both together: the longer one gives way until they are alike, then both do."""
    if len(first) + len(second) <= room:
        return list(first), list(second)
    less = min(len(first), len(second), room // 2)
    of_first = room - less if len(first) > len(second) else less
    return list(first[:of_first]), list(second[: room - of_first])
