"""WordPiece: each word is cut, from left to right, into the longest pieces that the vocabulary holds.

>>> from mini_bert.tokenizers.special import SPECIAL_TOKENS
>>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "un", "##believ", "##able", "!"])
>>> tokenizer.tokenize("Unbelievable!")
['un', '##believ', '##able', '!']

Schuster & Nakajima 2012; Wu et al. 2016. `training.py` learns the vocabulary.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.added import AddedToken, AddedTokens, added_tokens_of, with_further
from mini_bert.tokenizers.arguments import check_vocab_size
from mini_bert.tokenizers.decoding import decoded
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.frame import BERT, Frame
from mini_bert.tokenizers.learning import NO_WORD, FilesOrTexts, counted, texts_from
from mini_bert.tokenizers.normalize import Normalizer, chunks
from mini_bert.tokenizers.remembered import Remembered
from mini_bert.tokenizers.special import BERT_TOKENS, UNK
from mini_bert.tokenizers.tokenizer import Cut, Tokenizer
from mini_bert.tokenizers.tokenizer_config import config_beside, with_added_tokens
from mini_bert.tokenizers.training import CONTINUATION, LIMIT_ALPHABET, learn_wordpieces
from mini_bert.tokenizers.wordpiece_files import (
    LONGEST_WORD,
    check_vocabulary,
    cleans_up,
    normalizer_in,
    normalizer_of,
    read_pieces,
    vocabulary_of,
)

FILE_NAME = "vocab.txt"


class WordPieceTokenizer(Tokenizer):
    """Text ↔ ids over a fixed vocabulary, given as its pieces in the order of their ids.

    `clean_up`: decoded text has no space before a full stop, a comma and the like. `origin` is where the vocabulary
    comes from, for error messages.
    """

    def __init__(
        self,
        vocab: Iterable[str],
        *,
        normalizer: Normalizer | None = None,
        added: Iterable[AddedToken] = BERT_TOKENS,
        frame: Frame = BERT,
        clean_up: bool = False,
        origin: str = "vocab",
    ) -> None:
        tokens = tuple(vocab)
        check_vocabulary(tokens, origin)
        super().__init__(tokens, added=added, frame=frame, origin=origin)
        self.normalizer = normalizer or Normalizer()
        self.clean_up = clean_up
        self.chunk_ids = Remembered(self.cut_chunk)

    @classmethod
    def train(
        cls,
        files_or_texts: FilesOrTexts,
        vocab_size: int = 8192,
        criterion: str = "frequency",
        *,
        special_tokens: Iterable[str] = (),
        lowercase: bool = True,
        min_frequency: int = 1,
        limit_alphabet: int | None = LIMIT_ALPHABET,
        report: Report = silent,
    ) -> WordPieceTokenizer:
        """Learn at most `vocab_size` pieces. Word counts are held in memory, the texts are not.

        `criterion` is "frequency" or "likelihood". A pair seen less than `min_frequency` times is not merged; of
        the characters, the `limit_alphabet` most frequent are kept. `special_tokens` are further ones, behind
        BERT's five. `report(share done, note)` tells the progress.
        """
        check_vocab_size(vocab_size)
        normalizer, special = Normalizer(lowercase=lowercase), with_further(BERT_TOKENS, special_tokens)
        texts = texts_from(files_or_texts)
        counts = word_counts(texts, normalizer, part(report, 0.0, 0.5), special=special)
        if not counts:
            raise ValueError(f"{NO_WORD}, nor made of words of more than {LONGEST_WORD} letters")
        vocab = learn_wordpieces(
            counts,
            vocab_size,
            criterion,
            min_frequency=min_frequency,
            limit_alphabet=limit_alphabet,
            special_tokens=[token.content for token in special],
            report=part(report, 0.5, 1.0),
        )
        return cls(vocab, normalizer=normalizer, added=special)

    def ordinary_ids(self, text: str, start: int) -> list[int]:
        """Chunk by chunk, each worked out once."""
        return list(chain.from_iterable(map(self.chunk_ids.__getitem__, chunks(text))))

    def cut_chunk(self, chunk: str) -> tuple[int, ...]:
        return tuple(index for word in self.words(chunk, 0) for index, _, _ in word)

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
        return decoded(self.to_be_decoded(ids, skip_special_tokens), self.clean_up)

    def starts_word(self) -> list[bool]:
        return [not token.startswith(CONTINUATION) for token in self.id_to_token]

    def normalizer_json(self) -> dict[str, Any]:
        return {"type": "BertNormalizer", **asdict(self.normalizer)}

    def pre_tokenizer_json(self) -> dict[str, Any]:
        return {"type": "BertPreTokenizer"}

    def decoder_json(self) -> dict[str, Any]:
        return {"type": "WordPiece", "prefix": CONTINUATION, "cleanup": self.clean_up}

    def model_json(self) -> dict[str, Any]:
        return {
            "type": "WordPiece",
            "unk_token": UNK,
            "continuing_subword_prefix": CONTINUATION,
            "max_input_chars_per_word": LONGEST_WORD,
            "vocab": self.token_to_id,
        }

    def plain_settings(self) -> dict[str, Any]:
        return {
            "do_lower_case": self.normalizer.lowercase,
            "strip_accents": self.normalizer.strip_accents,
            "tokenize_chinese_chars": self.normalizer.handle_chinese_chars,
            "clean_text": self.normalizer.clean_text,
        }

    @classmethod
    def from_json(cls, description: Description) -> WordPieceTokenizer:
        return cls(
            vocabulary_of(description),
            normalizer=normalizer_of(description),
            added=added_tokens_of(description),
            frame=Frame.from_json(description.part("post_processor")),
            clean_up=cleans_up(description),
            origin=description.origin,
        )

    def plain_files(self) -> dict[str, bytes]:
        """One piece a line, the line number less 1 its id."""
        return {FILE_NAME: "".join(f"{token}\n" for token in self.id_to_token).encode()}

    @classmethod
    def from_plain_files(cls, path: Path) -> WordPieceTokenizer:
        """From vocab.txt, with what a tokenizer_config.json beside it says of case and accents."""
        config = config_beside(path)
        vocab, added = with_added_tokens(read_pieces(path), config, BERT_TOKENS)
        return cls(vocab, normalizer=normalizer_in(config), added=added, origin=str(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, lowercase: bool | None = None) -> Self:
        """As for every tokenizer. `lowercase` overrules the files, of which a vocab.txt alone says nothing of it."""
        tokenizer = super().load(path)
        if lowercase is None or lowercase == tokenizer.normalizer.lowercase:
            return tokenizer
        return cls(
            tokenizer.id_to_token,
            normalizer=replace(tokenizer.normalizer, lowercase=lowercase),
            added=tokenizer.added,
            frame=tokenizer.frame,
            clean_up=tokenizer.clean_up,
            origin=str(path),
        )


def word_counts(
    texts: Iterable[str],
    normalizer: Normalizer,
    report: Report = silent,
    *,
    special: Iterable[AddedToken] = BERT_TOKENS,
) -> Counter[str]:
    """How often each normalized word occurs, special tokens and words too long to be cut left out."""
    added = AddedTokens(special)

    def words(chunk: str) -> Iterator[str]:
        for stretch in added.split(chunk):
            if stretch.token is None:
                yield from (word for word in normalizer.words(stretch.text) if len(word) <= LONGEST_WORD)

    return counted(texts, chunks, words, report)
