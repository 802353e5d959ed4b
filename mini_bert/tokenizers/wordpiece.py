"""WordPiece: each word is cut, from left to right, into the longest pieces that the vocabulary holds.

>>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "un", "##believ", "##able", "!"])
>>> tokenizer.tokenize("Unbelievable!")
['un', '##believ', '##able', '!']

Schuster & Nakajima 2012; Wu et al. 2016. `training.py` learns the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.added import AddedToken
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.files import read_text
from mini_bert.tokenizers.frame import BERT, Frame
from mini_bert.tokenizers.learning import FilesOrTexts, counted, texts_from
from mini_bert.tokenizers.normalize import Normalizer, chunks
from mini_bert.tokenizers.special import BERT_TOKENS, SPECIAL_TOKENS, UNK, split_special
from mini_bert.tokenizers.tokenizer import Cut, Tokenizer
from mini_bert.tokenizers.training import CONTINUATION, LIMIT_ALPHABET, learn_wordpieces
from mini_bert.tokenizers.vocabulary import joined_vocabulary

FILE_NAME = "vocab.txt"
LONGEST_WORD = 100
REMEMBERED_CHUNKS = 1 << 18


class WordPieceTokenizer(Tokenizer):
    """Text ↔ ids over a fixed vocabulary, given as its pieces in the order of their ids.

    `origin` is where the vocabulary comes from, for error messages.
    """

    def __init__(
        self,
        vocab: Iterable[str],
        *,
        normalizer: Normalizer | None = None,
        added: Iterable[AddedToken] = BERT_TOKENS,
        frame: Frame = BERT,
        origin: str = "vocab",
    ) -> None:
        tokens = tuple(vocab)
        _check_vocabulary(tokens, origin)
        super().__init__(tokens, added=added, frame=frame, origin=origin)
        self.normalizer = normalizer or Normalizer()
        self.chunk_ids = ChunkIds(self)

    @classmethod
    def train(
        cls,
        files_or_texts: FilesOrTexts,
        vocab_size: int = 8192,
        criterion: str = "frequency",
        *,
        lowercase: bool = True,
        min_frequency: int = 1,
        limit_alphabet: int | None = LIMIT_ALPHABET,
        report: Report = silent,
    ) -> WordPieceTokenizer:
        """Learn at most `vocab_size` pieces. Word counts are held in memory, the texts are not.

        `criterion` is "frequency" or "likelihood". A pair seen less than `min_frequency` times is not merged; of
        the characters, the `limit_alphabet` most frequent are kept. `report(share done, note)` tells the progress.
        """
        normalizer = Normalizer(lowercase=lowercase)
        counts = word_counts(texts_from(files_or_texts), normalizer, part(report, 0.0, 0.5))
        if not counts:
            raise ValueError("train: the texts hold no word; check that the source is not empty or spent")
        vocab = learn_wordpieces(
            counts,
            vocab_size,
            criterion,
            min_frequency=min_frequency,
            limit_alphabet=limit_alphabet,
            report=part(report, 0.5, 1.0),
        )
        return cls(vocab, normalizer=normalizer)

    def ordinary_ids(self, text: str, start: int) -> list[int]:
        """Chunk by chunk, each worked out once."""
        return list(chain.from_iterable(map(self.chunk_ids.__getitem__, chunks(text))))

    def words(self, text: str, start: int) -> Iterator[list[Cut]]:
        """The pieces of each normalized word, with their places in the text as it was written."""
        for letters, places in self.normalizer.aligned_words(text):
            yield [(index, places[first], places[last] + 1) for index, first, last in self.cut(letters)]

    def cut(self, word: str) -> list[Cut]:
        """The longest piece that fits, again and again: its id, first and last letter; [UNK] if once none fits.

        A word of more than 100 letters is [UNK] too.
        """
        unknown = [(self.token_to_id[UNK], 0, len(word) - 1)]
        if len(word) > LONGEST_WORD:
            return unknown
        found: list[Cut] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                index = self.token_to_id.get(prefix + word[start:end])
                if index is not None:
                    break
            else:
                return unknown
            found.append((index, start, end - 1))
            start, prefix = end, CONTINUATION
        return found

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The words of the pieces, one space apart; case, accents and spacing of the source are lost."""
        left_out = set(self.special_ids) if skip_special_tokens else set()
        kept = (self.token(index) for index in ids if index not in left_out)
        return " ".join(kept).replace(f" {CONTINUATION}", "")

    def starts_word(self) -> list[bool]:
        return [not token.startswith(CONTINUATION) for token in self.id_to_token]

    def to_json(self) -> dict[str, Any]:
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [token.to_json(self.token_to_id[token.content]) for token in self.added],
            "normalizer": {"type": "BertNormalizer", **asdict(self.normalizer)},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": self.frame.to_json(self.token_to_id),
            "decoder": {"type": "WordPiece", "prefix": CONTINUATION, "cleanup": False},
            "model": {
                "type": "WordPiece",
                "unk_token": UNK,
                "continuing_subword_prefix": CONTINUATION,
                "max_input_chars_per_word": LONGEST_WORD,
                "vocab": self.token_to_id,
            },
        }

    @classmethod
    def from_json(cls, description: Description) -> WordPieceTokenizer:
        model = description.needed_part("model")
        for name, ours in (
            ("unk_token", UNK),
            ("continuing_subword_prefix", CONTINUATION),
            ("max_input_chars_per_word", LONGEST_WORD),
        ):
            if (theirs := model.content.get(name, ours)) != ours:
                raise model.unsupported(name, theirs, [str(ours)])
        added = description.parts("added_tokens")
        return cls(
            joined_vocabulary(model.mapping("vocab"), added, model),
            normalizer=_normalizer(description),
            added=map(AddedToken.from_json, added),
            frame=Frame.from_json(description.part("post_processor")),
            origin=description.origin,
        )

    def plain_files(self) -> dict[str, bytes]:
        """One piece a line, the line number less 1 its id."""
        return {FILE_NAME: "".join(f"{token}\n" for token in self.id_to_token).encode()}

    @classmethod
    def from_plain_files(cls, path: Path) -> WordPieceTokenizer:
        text = read_text(path)
        # Not splitlines(), which also cuts at characters that a foreign vocabulary may hold as pieces.
        return cls(text.removesuffix("\n").split("\n") if text else [], origin=str(path))


class ChunkIds(dict[str, tuple[int, ...]]):
    """The ids of stretches of text without white space, of which a language has few: worked out once each."""

    def __init__(self, tokenizer: WordPieceTokenizer) -> None:
        super().__init__()
        self.tokenizer = tokenizer

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        if len(self) >= REMEMBERED_CHUNKS:
            self.clear()
        self[chunk] = ids = tuple(index for word in self.tokenizer.words(chunk, 0) for index, _, _ in word)
        return ids


def word_counts(texts: Iterable[str], normalizer: Normalizer, report: Report = silent) -> Counter[str]:
    """How often each normalized word occurs, special tokens and words too long to be cut left out."""
    counts: Counter[str] = Counter()
    for chunk, count in counted(texts, chunks, report).items():
        for stretch in split_special(chunk):
            if stretch not in SPECIAL_TOKENS:
                for word in normalizer.words(stretch):
                    if len(word) <= LONGEST_WORD:
                        counts[word] += count
    return counts


def _normalizer(description: Description) -> Normalizer:
    """BERT's own, with its four choices."""
    part, cutter = description.needed_part("normalizer"), description.needed_part("pre_tokenizer")
    for one, supported in ((part, "BertNormalizer"), (cutter, "BertPreTokenizer")):
        if (kind := one.text("type")) != supported:
            raise one.unsupported("type", kind, [supported])
    accents = part.content.get("strip_accents")
    return Normalizer(
        clean_text=part.flag("clean_text", True),
        handle_chinese_chars=part.flag("handle_chinese_chars", True),
        strip_accents=None if accents is None else part.flag("strip_accents"),
        lowercase=part.flag("lowercase", True),
    )


def _check_vocabulary(tokens: Sequence[str], origin: str) -> None:
    """Raise ValueError unless the special tokens are there and every piece is one word, written once."""
    if not tokens:
        raise ValueError(f"{origin}: the vocabulary is empty; train one with WordPieceTokenizer.train(texts)")
    for token in SPECIAL_TOKENS:
        if token not in tokens:
            raise ValueError(
                f"{origin}: special token {token} is missing; a vocabulary needs {', '.join(SPECIAL_TOKENS)}"
            )
    lines: dict[str, int] = {}
    for line, token in enumerate(tokens, start=1):
        if token.split() != [token]:
            raise ValueError(f"{origin}, line {line}: {token!r} is blank or holds white space; remove it")
        if token in lines:
            raise ValueError(
                f"{origin}, line {line}: {token!r} is a duplicate of line {lines[token]}; remove one of them"
            )
        lines[token] = line
