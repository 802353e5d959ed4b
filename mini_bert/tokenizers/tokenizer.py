"""What every tokenizer does, whatever its pieces are: text to ids and back, pairs, truncation, padding, files."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from mini_bert.reports import Report, silent
from mini_bert.tokenizers.added import AddedToken, AddedTokens
from mini_bert.tokenizers.arguments import checked_ids, checked_text, checked_texts
from mini_bert.tokenizers.encoding import Encoding, Piece, truncated
from mini_bert.tokenizers.files import load_tokenizer, save_tokenizer
from mini_bert.tokenizers.frame import NO_FRAME, TEXTS, Frame
from mini_bert.tokenizers.learning import FilesOrTexts
from mini_bert.tokenizers.special import Roles
from mini_bert.tokenizers.tokenizer_json import TokenizerJSON

Cut = tuple[int, int, int]
"""The id of a piece, and start and end of the text that it stands for."""


class Tokenizer(TokenizerJSON):
    """Text ↔ ids over a fixed vocabulary: `token_to_id["the"]`, `id_to_token[5]`.

    `added` tokens are found in a text first and kept whole; `frame` says which of them stand around a text;
    `roles` which one pads, hides a word, and so on.
    """

    def __init__(
        self, vocab: Iterable[str], *, added: Iterable[AddedToken], frame: Frame, origin: str = "vocab"
    ) -> None:
        self.id_to_token = tuple(vocab)
        self.token_to_id = {token: index for index, token in enumerate(self.id_to_token)}
        self.added = AddedTokens(added)
        self.frame = frame
        self.roles = Roles.found_in({token.content for token in self.added if token.special})
        for token in (*self.frame.tokens(), *(token.content for token in self.added)):
            if token not in self.token_to_id:
                raise ValueError(f"{origin}: special token {token} is not in the vocabulary; add it there")

    @abstractmethod
    def words(self, text: str, start: int) -> Iterator[list[Cut]]:
        """The pieces of each word of a stretch of text that holds no added token.

        `start` is where the stretch begins in the whole text; places are counted within the stretch.
        """

    @abstractmethod
    def ordinary_ids(self, text: str, start: int) -> list[int]:
        """The ids of all `words`, by a faster way."""

    @abstractmethod
    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of ids, as far as it can be known."""

    @abstractmethod
    def starts_word(self) -> list[bool]:
        """For each id, whether its piece begins a word: the others belong to the word before."""

    @abstractmethod
    def plain_files(self) -> dict[str, bytes]:
        """The files from before tokenizer.json that can hold this tokenizer, by name."""

    @classmethod
    @abstractmethod
    def from_plain_files(cls, path: Path) -> Self:
        """The tokenizer of such files, of which one is named."""

    @classmethod
    @abstractmethod
    def train(
        cls,
        files_or_texts: FilesOrTexts,
        vocab_size: int = 8192,
        *,
        special_tokens: Iterable[str] = (),
        report: Report = silent,
    ) -> Self:
        """Learn at most `vocab_size` pieces from files or texts.

        `special_tokens` are further ones beside the customary. `report(share done, note)` tells the progress.
        """

    @property
    def vocab_size(self) -> int:
        return len(self.id_to_token)

    @property
    def pad_id(self) -> int | None:
        return self.id_of(self.roles.pad)

    @property
    def unk_id(self) -> int | None:
        return self.id_of(self.roles.unk)

    @property
    def mask_id(self) -> int | None:
        return self.id_of(self.roles.mask)

    def id_of(self, token: str | None) -> int | None:
        """Of a token with a role; None where nothing has the role."""
        return None if token is None else self.token_to_id[token]

    @cached_property
    def special_ids(self) -> tuple[int, ...]:
        """The ids of tokens that are not text: never hidden, never asked for."""
        return tuple(sorted(self.token_to_id[token.content] for token in self.added if token.special))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text, with the places they stand for and the numbers of their words."""
        found: list[Piece] = []
        word = 0
        for part in self.added.split(text):
            if part.token is not None:
                end = part.start + len(part.text)
                found.append(Piece(self.token_to_id[part.token], part.start, end, word))
                word += 1
            else:
                for cuts in self.words(part.text, part.start):
                    found += (Piece(i, part.start + start, part.start + end, word) for i, start, end in cuts)
                    word += 1
        return found

    def piece_ids(self, text: str) -> list[int]:
        """The ids of `pieces`, by a faster way."""
        if not self.added.found_in(text):
            return self.ordinary_ids(text, 0)
        ids: list[int] = []
        for part in self.added.split(text):
            if part.token is None:
                ids += self.ordinary_ids(part.text, part.start)
            else:
                ids.append(self.token_to_id[part.token])
        return ids

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a text's pieces, between [CLS] and [SEP] or what this vocabulary has for them."""
        ids = self.piece_ids(checked_text(text, "encode"))
        return [*self._before, *ids, *self._after] if add_special_tokens else ids

    def encode_batch(self, texts: Iterable[str], add_special_tokens: bool = True) -> list[list[int]]:
        """`encode` for each text."""
        return [self.encode(text, add_special_tokens) for text in checked_texts(texts, "encode_batch")]

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text, as strings."""
        return [self.id_to_token[index] for index in self.piece_ids(checked_text(text, "tokenize"))]

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
        frame, is_pair = self.frame if add_special_tokens else NO_FRAME, pair is not None
        first = self.pieces(checked_text(text, "encoding"))
        second = self.pieces(checked_text(pair, "encoding")) if pair is not None else []
        if max_length is not None:
            room = max_length - frame.size(is_pair)
            if room < 0:
                raise ValueError(
                    f"max_length={max_length}: the special tokens alone are {frame.size(is_pair)}; "
                    "choose more, or leave them out (add_special_tokens=False, --no-special-tokens)"
                )
            first, second = truncated(first, second, room)
        texts = dict(zip(TEXTS, (first, second), strict=True))
        made = self.assembled(
            (texts[entry], segment, TEXTS.index(entry))
            if entry in texts
            else ([Piece(self.token_to_id[entry], 0, 0, None)], segment, None)
            for entry, segment in frame.template(is_pair)
        )
        return made if pad_to is None else self.padded(made, pad_to)

    def encodings(
        self, texts: Sequence[str], *, max_length: int | None = None, pad: bool = False
    ) -> list[Encoding]:
        """An encoding for each text, all as long as the longest if they are padded."""
        made = [self.encoding(text, max_length=max_length) for text in checked_texts(texts, "encodings")]
        if not pad:
            return made
        longest = max(map(len, made), default=0)
        return [self.padded(one, longest) for one in made]

    def padded(self, encoding: Encoding, length: int) -> Encoding:
        """Filled up with padding, on the right, or on the left where that is the custom."""
        if self.roles.pad is None:
            raise ValueError("this vocabulary has no token to pad with; encode without padding")
        return encoding.padded(length, self.token_to_id[self.roles.pad], self.roles.pad, self.frame.padding)

    def assembled(self, parts: Iterable[tuple[Sequence[Piece], int, int | None]]) -> Encoding:
        """Pieces, their segments and the numbers of their texts, as parallel lists."""
        placed = [(piece, segment, number) for part, segment, number in parts for piece in part]
        pieces = [piece for piece, _, _ in placed]
        return Encoding(
            ids=[piece.id for piece in pieces],
            tokens=[self.id_to_token[piece.id] for piece in pieces],
            offsets=[(piece.start, piece.end) for piece in pieces],
            word_ids=[piece.word for piece in pieces],
            type_ids=[segment for _, segment, _ in placed],
            special_tokens_mask=[int(piece.word is None) for piece in pieces],
            attention_mask=[1] * len(pieces),
            sequence_ids=[number for _, _, number in placed],
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a folder with tokenizer.json and what goes with it, or one file by its ending; return the path."""
        if not os.fspath(path):
            raise ValueError("the path is empty; name a folder, or . for this one")
        return save_tokenizer(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer of this class from a folder, a tokenizer.json, or the customary files of its kind."""
        tokenizer = load_tokenizer(path)
        if not isinstance(tokenizer, cls):
            raise ValueError(
                f"{path}: holds a {type(tokenizer).__name__}, not a {cls.__name__};"
                f" load it with {type(tokenizer).__name__}.load"
            )
        return tokenizer

    def to_be_decoded(self, ids: Iterable[int], skip_special_tokens: bool) -> list[str]:
        """The pieces of ids, without the special tokens if they are to be left out."""
        tokens = [(index, self.token(index)) for index in checked_ids(ids)]
        left_out = frozenset(self.special_ids if skip_special_tokens else ())
        return [token for index, token in tokens if index not in left_out]

    def token(self, index: int) -> str:
        """The piece with this id."""
        if not 0 <= index < self.vocab_size:
            raise ValueError(
                f"decode: id {index} is outside the vocabulary of {self.vocab_size} pieces;"
                " decode with the tokenizer that encoded the text"
            )
        return self.id_to_token[index]

    @cached_property
    def _before(self) -> list[int]:
        return [self.token_to_id[token] for token in self.frame.around()[0]]

    @cached_property
    def _after(self) -> list[int]:
        return [self.token_to_id[token] for token in self.frame.around()[1]]
