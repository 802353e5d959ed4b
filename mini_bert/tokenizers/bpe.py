"""Byte-level BPE, of GPT-2 and RoBERTa: the bytes of each word, joined pair by pair in the order of learning.

>>> tokenizer = ByteLevelBPETokenizer.train(["low lower lowest"] * 9, vocab_size=267)
>>> tokenizer.tokenize("lowest low ☃")
['low', 'e', 'st', 'Ġlow', 'Ġ', 'â', 'ĺ', 'ĥ']
>>> tokenizer.decode(tokenizer.encode("any text: ☃"), skip_special_tokens=True)
'any text: ☃'

There is no unknown word, and case, accents and spacing stay. Ġ marks a space, which belongs to the word after it.
Sennrich, Haddow & Birch 2016; Radford et al. 2019; Liu et al. 2019. `bpe_files.py` reads what others have written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from mini_bert.reports import Report, silent
from mini_bert.tokenizers import bpe_files
from mini_bert.tokenizers.added import AddedToken
from mini_bert.tokenizers.bpe_styles import ROBERTA_STYLE, fitting_style, style_named
from mini_bert.tokenizers.bpe_training import ALPHABET, learn_vocabulary
from mini_bert.tokenizers.byte_symbols import BYTE_SYMBOLS, LOST, raw_bytes, utf8
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.encoding import Piece
from mini_bert.tokenizers.frame import Frame
from mini_bert.tokenizers.gpt2_words import LETTER, NUMBER, chunks, prefixed, words
from mini_bert.tokenizers.learning import FilesOrTexts
from mini_bert.tokenizers.ranked_merges import RankedMerges
from mini_bert.tokenizers.tokenizer import Cut, Tokenizer
from mini_bert.tokenizers.trimming import Trimming

REMEMBERED_CHUNKS = 1 << 18
LONGEST_REMEMBERED = 100


class ByteLevelBPETokenizer(Tokenizer):
    """Text ↔ ids over a fixed vocabulary, given as its pieces in the order of their ids, and the pairs to merge.

    `prefix` is put before each stretch of text that does not begin with it: " " where a word is to have the same
    pieces at the beginning of a text as within, else "". `trimming` tells whether offsets leave spaces out.
    `origin` is where the vocabulary comes from, for error messages.
    """

    def __init__(
        self,
        vocab: Iterable[str],
        merges: Iterable[tuple[str, str]],
        *,
        added: Iterable[AddedToken] = ROBERTA_STYLE.tokens,
        frame: Frame = ROBERTA_STYLE.frame,
        prefix: str = "",
        trimming: Trimming = ROBERTA_STYLE.trimming,
        origin: str = "vocab",
    ) -> None:
        super().__init__(vocab, added=added, frame=frame, origin=origin)
        self.merges = tuple(merges)
        _check_letters(self.token_to_id, origin)
        self.ranked_merges = RankedMerges.of_pieces(self.merges, self.token_to_id, origin)
        self.byte_ids = [self.token_to_id[symbol] for symbol in BYTE_SYMBOLS]
        self.prefix, self.trimming = prefix, trimming
        self.chunk_ids = ChunkIds(self)

    @classmethod
    def train(
        cls,
        files_or_texts: FilesOrTexts,
        vocab_size: int = 8192,
        *,
        style: str = "roberta",
        min_frequency: int = 2,
        special_tokens: Iterable[str] = (),
        prefix: str = "",
        report: Report = silent,
    ) -> ByteLevelBPETokenizer:
        """Learn at most `vocab_size` pieces. Word counts are held in memory, the texts are not.

        The style, "roberta" or "gpt2", brings special tokens and a frame; further tokens may be named. They come
        first in the vocabulary, then the 256 bytes, then the pieces in the order of their learning. A pair seen
        less than `min_frequency` times is not merged. `report` is told the share that is done, and a note.
        """
        chosen = style_named(style).with_tokens(special_tokens)
        vocab, merges = learn_vocabulary(
            files_or_texts,
            vocab_size,
            chosen.tokens,
            prefix=prefix,
            min_frequency=min_frequency,
            report=report,
        )
        trimming = replace(chosen.trimming, keeps_first_space=bool(prefix))
        return cls(vocab, merges, added=chosen.tokens, frame=chosen.frame, prefix=prefix, trimming=trimming)

    def ordinary_ids(self, text: str, start: int) -> list[int]:
        """Chunk by chunk, each worked out once."""
        return list(chain.from_iterable(map(self.chunk_ids.__getitem__, chunks(prefixed(text, self.prefix)))))

    def words(self, text: str, start: int) -> Iterator[list[Cut]]:
        """The pieces of each word; one that holds only some bytes of a character stands for all of it.

        A prefix that was put before the text stands for its first character.
        """
        whole = prefixed(text, self.prefix)
        done = len(text) - len(whole)
        for word in words(whole):
            place_of = _places_of_bytes(word)
            yield [
                (index, max(0, done + place_of[first]), max(0, done + place_of[last]) + 1)
                for index, first, last in self._spans(self.chunk_ids[word])
            ]
            done += len(word)

    def pieces(self, text: str) -> list[Piece]:
        def spelling(piece: Piece) -> str:
            token = self.id_to_token[piece.id]
            return text[piece.start : piece.end] if token in self.added else token

        return self.trimming.applied(super().pieces(text), spelling)

    def cut(self, word: str) -> list[int]:
        """The ids of a word's pieces."""
        return self.ranked_merges.applied([self.byte_ids[byte] for byte in utf8(word)])

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text, byte for byte; U+FFFD where the bytes are no UTF-8, as when a character was cut apart."""
        left_out = {token.content for token in self.added if token.special} if skip_special_tokens else set()
        kept = (index for index in ids if self.token(index) not in left_out)
        return b"".join(map(self.bytes_of.__getitem__, kept)).decode(errors="replace")

    @cached_property
    def bytes_of(self) -> list[bytes]:
        """The bytes that each id stands for."""
        return [utf8(token) if token in self.added else raw_bytes(token) for token in self.id_to_token]

    def starts_word(self) -> list[bool]:
        """An added token begins a word, and so does a piece that begins with white space or a sign.

        White space and signs never continue a word of letters or digits, so "." is a word behind "Ġend" too. A
        piece of letters without Ġ continues one. At the beginning of a text or behind a bracket it begins a
        word all the same, which the piece alone cannot tell, but `Encoding.word_ids` can. A piece that begins
        within a character continues, too.
        """
        return [
            token in self.added or _begins_with_space_or_sign(content)
            for token, content in zip(self.id_to_token, self.bytes_of, strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [token.to_json(self.token_to_id[token.content]) for token in self.added],
            "normalizer": None,
            "pre_tokenizer": {
                "type": "ByteLevel",
                "add_prefix_space": bool(self.prefix),
                "trim_offsets": self.trimming.trims,
                "use_regex": True,
            },
            "post_processor": {
                "type": "Sequence",
                "processors": [self.trimming.to_json(), self.frame.to_json(self.token_to_id)],
            },
            "decoder": {
                "type": "ByteLevel",
                "add_prefix_space": True,
                "trim_offsets": True,
                "use_regex": True,
            },
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": None,
                "continuing_subword_prefix": "",
                "end_of_word_suffix": "",
                "fuse_unk": False,
                "byte_fallback": False,
                "vocab": self.token_to_id,
                "merges": [" ".join(pair) for pair in self.merges],
            },
        }

    @classmethod
    def from_json(cls, description: Description) -> ByteLevelBPETokenizer:
        vocab, merges = bpe_files.model_of(description)
        frame, trimming = bpe_files.processors_of(description)
        return cls(
            vocab,
            merges,
            added=map(AddedToken.from_json, description.parts("added_tokens")),
            frame=frame,
            prefix=bpe_files.prefix_of(description),
            trimming=trimming,
            origin=description.origin,
        )

    def plain_files(self) -> dict[str, bytes]:
        return bpe_files.plain_files(self.token_to_id, self.merges)

    @classmethod
    def from_plain_files(cls, path: Path) -> ByteLevelBPETokenizer:
        """From vocab.json and merges.txt, whatever stands before these names; their special tokens tell the style."""
        vocab, merges = bpe_files.read_plain_files(path)
        style = fitting_style(vocab)
        return cls(
            vocab, merges, added=style.tokens, frame=style.frame, trimming=style.trimming, origin=str(path)
        )

    def _spans(self, ids: Iterable[int]) -> Iterator[Cut]:
        """Each id with the first and the last byte of its word that it stands for: a piece has a letter for each."""
        done = 0
        for index in ids:
            start, done = done, done + len(self.id_to_token[index])
            yield index, start, done - 1


class ChunkIds(dict[str, list[int]]):
    """The ids of words, and of stretches of text without white space, of which a language has few: made once each."""

    def __init__(self, tokenizer: ByteLevelBPETokenizer) -> None:
        super().__init__()
        self.cut = tokenizer.cut

    def __missing__(self, chunk: str) -> list[int]:
        parts = words(chunk)
        ids = self.cut(chunk) if len(parts) == 1 else [index for word in parts for index in self[word]]
        if len(chunk) <= LONGEST_REMEMBERED:
            if len(self) >= REMEMBERED_CHUNKS:
                self.clear()
            self[chunk] = ids
        return ids


def _places_of_bytes(word: str) -> Sequence[int]:
    """The place of the character that each byte belongs to."""
    if word.isascii():
        return range(len(word))
    return [place for place, char in enumerate(word) for _ in utf8(char)]


def _begins_with_space_or_sign(content: bytes) -> bool:
    first = content.decode(errors="replace")[:1]
    return first not in ("", LOST) and first not in LETTER and first not in NUMBER


def _check_letters(ids: dict[str, int], origin: str) -> None:
    missing = [symbol for symbol in ALPHABET if symbol not in ids]
    if missing:
        raise ValueError(
            f"{origin}: {len(missing)} of the 256 bytes are no pieces of the vocabulary ({' '.join(missing[:5])} ...),"
            " so there is text that it cannot spell; train it with all of them (initial_alphabet in HuggingFace)"
        )
