"""Unigram: each word is cut into the pieces whose probabilities have the greatest product.

>>> pieces = [*specials(ALBERT), ("▁snow", -4.0), ("▁", -2.0), ("s", -2.5), ("now", -5.0), ("ball", -5.0)]
>>> UnigramTokenizer(pieces).tokenize("Snowballs snow")
['▁snow', 'ball', 's', '▁snow']

Kudo 2018; the tokenizer of ALBERT, XLNet and DeBERTa. `unigram_training.py` learns the pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from mini_bert.errors import unknown
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.added import added_tokens_of
from mini_bert.tokenizers.arguments import check_vocab_size
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.frame import Frame
from mini_bert.tokenizers.learning import NO_WORD, FilesOrTexts, texts_from
from mini_bert.tokenizers.normal_steps import steps_json
from mini_bert.tokenizers.remembered import Remembered
from mini_bert.tokenizers.segmentation import Segmenter
from mini_bert.tokenizers.sentencepiece_text import (
    ALBERT,
    SENTENCEPIECE_STYLES,
    SentencePieceStyle,
    word_counts,
)
from mini_bert.tokenizers.space_marks import MARK, SpaceMarks
from mini_bert.tokenizers.step_readers import steps_from_json
from mini_bert.tokenizers.tokenizer import Cut, Tokenizer
from mini_bert.tokenizers.unigram_training import COVERAGE, learn_unigrams
from mini_bert.tokenizers.vocabulary import joined_vocabulary

ScoredPiece = tuple[str, float]
"""A piece and its score, the logarithm of its probability."""


class UnigramTokenizer(Tokenizer):
    """Text ↔ ids over pieces with scores, in the order of their ids.

    `style` says how text is normalized and marked, and which tokens are special: ALBERT's, unless another is given.
    Tokens that `further` names stand behind the pieces, have no score, and are never cut from a text.
    """

    def __init__(
        self,
        pieces: Iterable[ScoredPiece],
        *,
        style: SentencePieceStyle = ALBERT,
        further: Iterable[str] = (),
        origin: str = "pieces",
    ) -> None:
        self.scored = tuple(pieces)
        _check_pieces(self.scored, style.unk, origin)
        vocab = [*(piece for piece, _ in self.scored), *further]
        super().__init__(vocab, added=style.added, frame=style.frame, origin=origin)
        self.style = style
        scored = [(piece, as_read_elsewhere(score)) for piece, score in self.scored]
        self.segmenter = Segmenter(scored, self.token_to_id[style.unk])
        self.stretch_ids = Remembered(self.cut_stretch)

    @classmethod
    def train(
        cls,
        files_or_texts: FilesOrTexts,
        vocab_size: int = 8192,
        *,
        style: str = "albert",
        special_tokens: Iterable[str] = (),
        coverage: float = COVERAGE,
        report: Report = silent,
    ) -> UnigramTokenizer:
        """Learn at most `vocab_size` pieces. Word counts are held in memory, the texts are not.

        `style` is "albert", "xlnet" or "deberta-v2", and brings special tokens and a frame; further
        `special_tokens` may be named. Characters are kept, the most frequent first, until they make up the share
        `coverage` of the text. `report(share done, note)` tells the progress.
        """
        check_vocab_size(vocab_size)
        if style not in SENTENCEPIECE_STYLES:
            raise ValueError(f"{unknown('style', style, list(SENTENCEPIECE_STYLES))}")
        chosen = SENTENCEPIECE_STYLES[style].with_tokens(special_tokens)
        reserved = specials(chosen)
        counts = word_counts(texts_from(files_or_texts), chosen, part(report, 0.0, 0.3))
        if not counts:
            raise ValueError(NO_WORD)
        learned = learn_unigrams(
            counts,
            vocab_size,
            coverage=coverage,
            special_tokens=[piece for piece, _ in reserved],
            report=part(report, 0.3, 1.0),
        )
        return cls([*reserved, *learned], style=chosen)

    def ordinary_ids(self, text: str, start: int) -> list[int]:
        """Stretch by stretch, each worked out once."""
        stretches = self.style.marks.stretches(self.style.normal(text), start)
        if stretches is None:
            return [index for cuts in self.words(text, start) for index, _, _ in cuts]
        return list(chain.from_iterable(map(self.stretch_ids.__getitem__, stretches)))

    def cut_stretch(self, stretch: str) -> tuple[int, ...]:
        words = map(self.segmenter.cut, self.style.marks.words_in(stretch))
        return tuple(index for word in words for index, _, _ in word)

    def words(self, text: str, start: int) -> Iterator[list[Cut]]:
        """The pieces of each marked word, with their places in the text as it was written."""
        for word in self.style.marks.words(self.style.aligned(text), start):
            spans = word.spans
            yield [
                (index, spans[first][0], spans[end - 1][1])
                for index, first, end in self.segmenter.cut(word.text)
            ]

    def best_cuts(self, word: str, n: int = 5) -> list[tuple[list[str], float]]:
        """The n best ways to cut a word and their log-probabilities; the first is the one that is taken."""
        marked = [found.text for found in self.style.marks.words(self.style.aligned(word), 0)]
        if len(marked) != 1:
            raise ValueError(f"{word!r} is {len(marked)} words; ask for one at a time")
        return self.segmenter.best(marked[0], n)

    def sampled_ids(self, text: str, rng: np.random.Generator, alpha: float = 1.0) -> list[int]:
        """As `piece_ids`, but each word is cut in a way drawn with probability ∝ p(cut)^α: subword regularization."""
        ids: list[int] = []
        for stretch in self.added.split(text):
            if stretch.token is not None:
                ids.append(self.token_to_id[stretch.token])
                continue
            for word in self.style.marks.words(self.style.aligned(stretch.text), stretch.start):
                ids += self.ids_of_cut(self.segmenter.sample(word.text, rng, alpha))
        return ids

    def ids_of_cut(self, parts: Iterable[str]) -> list[int]:
        """The ids of the parts of a word; unknown letters side by side are one."""
        unk_id = self.segmenter.unk_id
        ids = (self.token_to_id.get(part, unk_id) for part in parts)
        return [index for index, run in groupby(ids) for index in ([index] if index == unk_id else run)]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The pieces side by side, with spaces for marks; what normalization changed stays changed."""
        kept = self.to_be_decoded(ids, skip_special_tokens)
        if kept and self.style.marks.prepend != "never":
            kept[0] = kept[0].replace(MARK, "")
        return "".join(kept).replace(MARK, " ")

    def starts_word(self) -> list[bool]:
        return [token.startswith(MARK) or token in self.added for token in self.id_to_token]

    def normalizer_json(self) -> dict[str, Any] | None:
        return steps_json(self.style.steps)

    def pre_tokenizer_json(self) -> dict[str, Any]:
        return self.style.marks.to_json()

    def decoder_json(self) -> dict[str, Any]:
        return self.style.marks.decoder_json()

    def model_json(self) -> dict[str, Any]:
        return {
            "type": "Unigram",
            "unk_id": self.segmenter.unk_id,
            "vocab": [list(piece) for piece in self.scored],
            "byte_fallback": False,
        }

    @classmethod
    def from_json(cls, description: Description) -> UnigramTokenizer:
        model = description.needed_part("model")
        if model.flag("byte_fallback", False):
            raise model.unsupported("byte_fallback", "true", ["false"])
        pieces = [_piece(entry, index, model) for index, entry in enumerate(model.items("vocab"))]
        if model.content.get("unk_id") is None:
            raise model.unsupported("unk_id", "null", ["the number of the piece for unknown letters"])
        unk_id = model.integer("unk_id")
        if not 0 <= unk_id < len(pieces):
            raise model.error(f"{unk_id} is none of the {len(pieces)} pieces", "unk_id")
        _check_pieces(pieces, pieces[unk_id][0], description.origin)
        added = description.parts("added_tokens")
        ids = {piece: index for index, (piece, _) in enumerate(pieces)}
        style = SentencePieceStyle(
            steps_from_json(description.part("normalizer")),
            SpaceMarks.from_json(description.part_of_type("pre_tokenizer", "Metaspace", "Sequence")),
            pieces[unk_id][0],
            tuple(added_tokens_of(description)),
            Frame.from_json(description.part("post_processor")),
        )
        further = joined_vocabulary(ids, added, model)[len(ids) :]
        return cls(pieces, style=style, further=further, origin=description.origin)

    def plain_files(self) -> dict[str, bytes]:
        """None: only tokenizer.json holds the scores."""
        return {}

    @classmethod
    def from_plain_files(cls, path: Path) -> UnigramTokenizer:
        raise ValueError(
            f"{path}: a Unigram tokenizer is read from tokenizer.json only, as other text files hold no scores;"
            f" use {path.with_name('tokenizer.json')}"
        )


def as_read_elsewhere(score: float) -> float:
    """A score as HuggingFace reads it from a file: the digits as a whole number, divided by a power of ten.

    The last bit is at times another than Python's, and decides which of two equally good cuts is taken.
    """
    digits = repr(score)
    whole, _, fraction = digits.partition(".")
    return score if "e" in digits else int(whole + fraction) / 10.0 ** len(fraction)


def specials(style: SentencePieceStyle) -> list[ScoredPiece]:
    """The special tokens of a style, with the score 0 that is customary for them."""
    return [(token.content, 0.0) for token in style.added]


def _piece(entry: Any, index: int, model: Description) -> ScoredPiece:
    match entry:
        case [str(piece), float() | int() as score] if not isinstance(score, bool):
            return piece, float(score)
    raise model.error(f"expected a piece and its score, found {entry!r}", f"vocab[{index}]")


def _check_pieces(pieces: Sequence[ScoredPiece], unk: str, origin: str) -> None:
    """Raise ValueError unless the unknown token is there, and every piece once, with a finite score."""
    ids: dict[str, int] = {}
    for index, (piece, score) in enumerate(pieces):
        if piece in ids:
            raise ValueError(
                f"{origin}: pieces {ids[piece]} and {index} are both {piece!r}; remove one of them"
            )
        if not isfinite(score):
            raise ValueError(f"{origin}: piece {index}, {piece!r}, has score {score}; give it a finite one")
        ids[piece] = index
    if unk not in ids:
        raise ValueError(f"{origin}: {unk} is not among the pieces; add it, or name another in `style`")
