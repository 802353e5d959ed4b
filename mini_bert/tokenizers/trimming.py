"""Offsets without white space: a piece that takes a space along stands for the word alone.

"hello world"    Ġworld    with the space (5, 11), trimmed (6, 11)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mini_bert.tokenizers.added import is_space
from mini_bert.tokenizers.byte_symbols import SPACE_MARK
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.encoding import Piece


@dataclass(frozen=True)
class Trimming:
    """`trims` says whether; `keeps_first_space` whether a text's first space is left alone: it may be one that was
    put before the text and is not in it."""

    trims: bool = True
    keeps_first_space: bool = False

    def applied(self, pieces: list[Piece], spelling: Callable[[Piece], str]) -> list[Piece]:
        """The pieces of one text, with narrower offsets."""
        return list(self._narrowed(pieces, spelling)) if self.trims else pieces

    def _narrowed(self, pieces: Sequence[Piece], spelling: Callable[[Piece], str]) -> Iterator[Piece]:
        for number, piece in enumerate(pieces):
            index, start, end, word = piece
            leading, trailing = blanks(spelling(piece))
            at_the_start = number == 0 or start == 0
            if not (leading == 1 and at_the_start and self.keeps_first_space):
                start = min(start + leading, end)
            if end >= trailing:
                end = max(end - trailing, start)
            yield Piece(index, start, end, word)

    def to_json(self) -> dict[str, Any]:
        """The post-processor of a tokenizer.json."""
        return {
            "type": "ByteLevel",
            "add_prefix_space": self.keeps_first_space,
            "trim_offsets": self.trims,
            "use_regex": True,
        }

    @classmethod
    def from_json(cls, processor: Description) -> Trimming:
        return cls(processor.flag("trim_offsets", True), processor.flag("add_prefix_space", True))


@lru_cache(maxsize=1 << 16)
def blanks(spelled: str) -> tuple[int, int]:
    """How many spaces, or marks of one, a piece begins and ends with."""
    blank = [char == SPACE_MARK or is_space(char) for char in spelled]
    if all(blank):
        return len(blank), len(blank)
    return blank.index(False), blank[::-1].index(False)
