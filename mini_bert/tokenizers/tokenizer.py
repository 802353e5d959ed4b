"""What every tokenizer does, whatever its pieces are: text to ids and back, pairs, truncation, padding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mini_bert.tokenizers.encoding import Encoding, Piece, truncated


@dataclass(frozen=True)
class Frame:
    """The special tokens around a text and between two: `[CLS] first [SEP] second [SEP]`."""

    before: tuple[str, ...] = ("[CLS]",)
    between: tuple[str, ...] = ("[SEP]",)
    after: tuple[str, ...] = ("[SEP]",)

    def size(self, pair: bool) -> int:
        return len(self.before) + len(self.after) + (len(self.between) if pair else 0)


class Tokenizer(ABC):
    """Text ↔ ids over a fixed vocabulary: `token_to_id["the"]`, `id_to_token[5]`."""

    frame = Frame()
    pad_token = "[PAD]"

    def __init__(self, vocab: Iterable[str]) -> None:
        self.id_to_token = tuple(vocab)
        self.token_to_id = {token: index for index, token in enumerate(self.id_to_token)}

    @abstractmethod
    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text, with the places they stand for."""

    @abstractmethod
    def piece_ids(self, text: str) -> list[int]:
        """The ids of `pieces`, by a faster way."""

    @abstractmethod
    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of ids, as far as it can be known."""

    @property
    def vocab_size(self) -> int:
        return len(self.id_to_token)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a text's pieces, between [CLS] and [SEP]."""
        ids = self.piece_ids(text)
        return (
            [*self.ids_of(self.frame.before), *ids, *self.ids_of(self.frame.after)]
            if add_special_tokens
            else ids
        )

    def encode_batch(self, texts: Iterable[str], add_special_tokens: bool = True) -> list[list[int]]:
        """`encode` for each text."""
        return [self.encode(text, add_special_tokens) for text in texts]

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text, as strings."""
        return [self.id_to_token[index] for index in self.piece_ids(text)]

    def encoding(
        self,
        text: str,
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        max_length: int | None = None,
        pad_to: int | None = None,
    ) -> Encoding:
        """A text, or two, with offsets, word ids, segments and masks; cut to `max_length`, filled up to `pad_to`."""
        frame = self.frame if add_special_tokens else Frame((), (), ())
        first, second = self.pieces(text), self.pieces(pair) if pair is not None else []
        if max_length is not None:
            room = max_length - frame.size(pair is not None)
            if room < 0:
                raise ValueError(
                    f"max_length={max_length}: the special tokens alone are {frame.size(pair is not None)}; "
                    "choose more, or add_special_tokens=False"
                )
            first, second = truncated(first, second, room)
        parts = [(self.framing(frame.before), 0), (first, 0)]
        if pair is not None:
            parts += [(self.framing(frame.between), 0), (second, 1)]
        parts += [(self.framing(frame.after), int(pair is not None))]
        made = self.assembled(parts)
        return (
            made if pad_to is None else made.padded(pad_to, self.token_to_id[self.pad_token], self.pad_token)
        )

    def encodings(
        self, texts: Sequence[str], *, max_length: int | None = None, pad: bool = False
    ) -> list[Encoding]:
        """An encoding for each text, all as long as the longest if they are padded."""
        made = [self.encoding(text, max_length=max_length) for text in texts]
        if not pad:
            return made
        longest = max(map(len, made), default=0)
        return [one.padded(longest, self.token_to_id[self.pad_token], self.pad_token) for one in made]

    def assembled(self, parts: Sequence[tuple[Sequence[Piece], int]]) -> Encoding:
        """Pieces and their segments, as parallel lists."""
        pieces = [piece for part, _ in parts for piece in part]
        return Encoding(
            ids=[piece.id for piece in pieces],
            tokens=[self.id_to_token[piece.id] for piece in pieces],
            offsets=[(piece.start, piece.end) for piece in pieces],
            word_ids=[piece.word for piece in pieces],
            type_ids=[segment for part, segment in parts for _ in part],
            special_tokens_mask=[int(piece.word is None) for piece in pieces],
            attention_mask=[1] * len(pieces),
        )

    def framing(self, tokens: Sequence[str]) -> list[Piece]:
        return [Piece(index, 0, 0, None) for index in self.ids_of(tokens)]

    def ids_of(self, tokens: Sequence[str]) -> list[int]:
        return [self.token_to_id[token] for token in tokens]

    def token(self, index: int) -> str:
        """The piece with this id."""
        if not 0 <= index < self.vocab_size:
            raise ValueError(
                f"decode: id {index} is outside the vocabulary of {self.vocab_size} pieces;"
                " decode with the tokenizer that encoded the text"
            )
        return self.id_to_token[index]
