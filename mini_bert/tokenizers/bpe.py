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
from mini_bert.tokenizers.added import AddedToken, added_tokens_of
from mini_bert.tokenizers.bpe_styles import ROBERTA_STYLE, fitting_style, style_named
from mini_bert.tokenizers.bpe_training import learn_vocabulary
from mini_bert.tokenizers.byte_symbols import BYTE_SYMBOLS, LOST, places_of_bytes, raw_bytes, utf8
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.encoding import Piece
from mini_bert.tokenizers.frame import Frame
from mini_bert.tokenizers.gpt2_words import LETTER, NUMBER, after_space, chunks, words
from mini_bert.tokenizers.learning import FilesOrTexts
from mini_bert.tokenizers.normal_steps import Step, aligned, plain, steps_json
from mini_bert.tokenizers.ranked_merges import RankedMerges
from mini_bert.tokenizers.remembered import Remembered
from mini_bert.tokenizers.step_readers import steps_from_json
from mini_bert.tokenizers.tokenizer import Cut, Tokenizer
from mini_bert.tokenizers.tokenizer_config import config_beside, with_added_tokens
from mini_bert.tokenizers.trimming import Trimming


class ByteLevelBPETokenizer(Tokenizer):
    """Text ↔ ids over a fixed vocabulary, given as its pieces in the order of their ids, and the pairs to merge.

    `add_prefix_space` puts a space before each stretch of text that begins with none: a word then has the same
    pieces at the beginning of a text as within. `trimming` tells whether offsets leave spaces out; `steps` how
    text is normalized, which few such vocabularies ask for. `origin` is the source, for error messages.
    """

    def __init__(
        self,
        vocab: Iterable[str],
        merges: Iterable[tuple[str, str]],
        *,
        added: Iterable[AddedToken] = ROBERTA_STYLE.tokens,
        frame: Frame = ROBERTA_STYLE.frame,
        add_prefix_space: bool = False,
        trimming: Trimming = ROBERTA_STYLE.trimming,
        steps: Sequence[Step] = (),
        origin: str = "vocab",
    ) -> None:
        super().__init__(vocab, added=added, frame=frame, origin=origin)
        self.merges = tuple(merges)
        bpe_files.check_letters(self.token_to_id, origin)
        self.ranked_merges = RankedMerges.of_pieces(self.merges, self.token_to_id, origin)
        self.byte_ids = [self.token_to_id[symbol] for symbol in BYTE_SYMBOLS]
        self.add_prefix_space, self.trimming, self.steps = add_prefix_space, trimming, tuple(steps)
        self.chunk_ids = Remembered(self.cut_chunk)

    @classmethod
    def train(
        cls,
        files_or_texts: FilesOrTexts,
        vocab_size: int = 8192,
        *,
        style: str = "roberta",
        special_tokens: Iterable[str] = (),
        min_frequency: int = 1,
        add_prefix_space: bool = False,
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
            add_prefix_space=add_prefix_space,
            min_frequency=min_frequency,
            report=report,
        )
        return cls(
            vocab,
            merges,
            added=chosen.tokens,
            frame=chosen.frame,
            add_prefix_space=add_prefix_space,
            trimming=replace(chosen.trimming, keeps_first_space=add_prefix_space),
        )

    def ordinary_ids(self, text: str, start: int) -> list[int]:
        """Chunk by chunk, each worked out once."""
        found = chunks(self._after_space(plain(self.steps, text)))
        return list(chain.from_iterable(map(self.chunk_ids.__getitem__, found)))

    def words(self, text: str, start: int) -> Iterator[list[Cut]]:
        """The pieces of each word; one that holds only some bytes of a character stands for all of it.

        A space that was put before the text stands for its first character.
        """
        normal = aligned(self.steps, text)
        whole = self._after_space(normal.text)
        spans = normal.spans[: len(whole) - len(normal.text)] + normal.spans
        done = 0
        for word in words(whole):
            place_of = places_of_bytes(word)
            yield [
                (index, spans[done + place_of[first]][0], spans[done + place_of[last]][1])
                for index, first, last in self._spans(self.chunk_ids[word])
            ]
            done += len(word)

    def _after_space(self, text: str) -> str:
        return after_space(text) if self.add_prefix_space else text

    def pieces(self, text: str) -> list[Piece]:
        def spelling(piece: Piece) -> str:
            token = self.id_to_token[piece.id]
            return text[piece.start : piece.end] if token in self.added else token

        return self.trimming.applied(super().pieces(text), spelling)

    def cut_chunk(self, chunk: str) -> Sequence[int]:
        """The ids of a word, or of all words of a stretch without white space, which are remembered by themselves."""
        parts = words(chunk)
        return (
            self.cut(chunk)
            if len(parts) == 1
            else [index for word in parts for index in self.chunk_ids[word]]
        )

    def cut(self, word: str) -> list[int]:
        """The ids of a word's pieces."""
        return self.ranked_merges.applied([self.byte_ids[byte] for byte in utf8(word)])

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text, byte for byte; U+FFFD where the bytes are no UTF-8, as when a character was cut apart."""
        kept = self.to_be_decoded(ids, skip_special_tokens)
        return b"".join(map(self.bytes_of.__getitem__, kept)).decode(errors="replace")

    @cached_property
    def bytes_of(self) -> dict[str, bytes]:
        """The bytes that each piece stands for."""
        return {token: utf8(token) if token in self.added else raw_bytes(token) for token in self.id_to_token}

    def starts_word(self) -> list[bool]:
        """An added token begins a word, and so does a piece that begins with white space or a sign.

        White space and signs never continue a word of letters or digits, so "." is a word behind "Ġend" too. A
        piece of letters without Ġ continues one. At the beginning of a text or behind a bracket it begins a
        word all the same, which the piece alone cannot tell, but `Encoding.word_ids` can. A piece that begins
        within a character continues, too.
        """
        return [
            token in self.added or _begins_with_space_or_sign(self.bytes_of[token])
            for token in self.id_to_token
        ]

    def normalizer_json(self) -> dict[str, Any] | None:
        return steps_json(self.steps)

    def pre_tokenizer_json(self) -> dict[str, Any]:
        return {
            "type": "ByteLevel",
            "add_prefix_space": self.add_prefix_space,
            "trim_offsets": self.trimming.trims,
            "use_regex": True,
        }

    def post_processor_json(self) -> dict[str, Any]:
        return {"type": "Sequence", "processors": [self.trimming.to_json(), super().post_processor_json()]}

    def decoder_json(self) -> dict[str, Any]:
        return {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}

    def model_json(self) -> dict[str, Any]:
        return bpe_files.model_json(self.token_to_id, self.merges)

    def plain_settings(self) -> dict[str, Any]:
        return {"add_prefix_space": self.add_prefix_space, "trim_offsets": self.trimming.trims}

    @classmethod
    def from_json(cls, description: Description) -> ByteLevelBPETokenizer:
        vocab, merges = bpe_files.model_of(description)
        frame, trimming = bpe_files.processors_of(description)
        return cls(
            vocab,
            merges,
            added=added_tokens_of(description),
            frame=frame,
            add_prefix_space=bpe_files.adds_prefix_space(description),
            trimming=trimming,
            steps=steps_from_json(description.part("normalizer")),
            origin=description.origin,
        )

    def plain_files(self) -> dict[str, bytes]:
        return bpe_files.plain_files(self.token_to_id, self.merges)

    @classmethod
    def from_plain_files(cls, path: Path) -> ByteLevelBPETokenizer:
        """From vocab.json and merges.txt, whatever stands before these names; their special tokens tell the style.

        The rest is told by a tokenizer_config.json beside them.
        """
        pieces, merges = bpe_files.read_plain_files(path)
        style, config = fitting_style(pieces), config_beside(path)
        vocab, added = with_added_tokens(pieces, config, style.tokens)
        spaced = config.flag("add_prefix_space", False)
        return cls(
            vocab,
            merges,
            added=added,
            frame=style.frame,
            add_prefix_space=spaced,
            trimming=Trimming(config.flag("trim_offsets", style.trimming.trims), spaced),
            origin=str(path),
        )

    def _spans(self, ids: Iterable[int]) -> Iterator[Cut]:
        """Each id with the first and the last byte of its word that it stands for: a piece has a letter for each."""
        done = 0
        for index in ids:
            start, done = done, done + len(self.id_to_token[index])
            yield index, start, done - 1


def _begins_with_space_or_sign(content: bytes) -> bool:
    first = content.decode(errors="replace")[:1]
    return first not in ("", LOST) and first not in LETTER and first not in NUMBER
