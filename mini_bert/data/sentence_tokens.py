"""Sentences in tokens: documents as ids, and where the sentences end among them.

    cut = SentenceCutter(tokenizer)
    ids, lengths, breaks = cut(["One. Two.", "Three."])

The ids are always those of the whole text. A tokenizer forgets or changes white space, so that ends of sentences must
be found again among its pieces, and the way taken is the fastest that is exact:

- in plain ASCII, letters are counted: a piece spells as many as are written in it;
- most tokenizers never look across white space: they can take one sentence after the other;
- else the places at which pieces begin are compared with those at which sentences end.
"""

from collections.abc import Sequence
from copy import copy
from itertools import chain, pairwise

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.sentences import SENTENCE_END, sentence_ends
from mini_bert.tokenizers.added import is_space
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.byte_symbols import raw_bytes
from mini_bert.tokenizers.space_marks import MARK
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.training import CONTINUATION
from mini_bert.tokenizers.unigram import UnigramTokenizer
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

IS_LETTER = np.array([byte >= 128 or not is_space(chr(byte)) for byte in range(256)])
"""Whether a byte is other than white space."""


class SentenceCutter:
    """Tokenizes documents and finds the ends of their sentences."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer, self.going_on = tokenizer, within_text(tokenizer)
        self.by_parts = parts_at_white_space(tokenizer)
        self.letters = np.array([letters(token, tokenizer) for token in tokenizer.id_to_token], np.int32)

    def __call__(self, documents: Sequence[str]) -> tuple[Array, Array, Array]:
        """The ids of all documents (N,), how many each has (D,), and where sentences end among the ids."""
        encoded: list[list[int]] = []
        plain: list[int] = []
        ends: dict[int, list[int]] = {}
        for number, document in enumerate(documents):
            if self.by_parts and document.isascii() and not self.tokenizer.added.found_in(document):
                found = self.tokenizer.ordinary_ids(document, 0)
                plain.append(number)
            else:
                found, ends[number] = self.cut(document)
            encoded.append(found)
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ids = np.fromiter(chain.from_iterable(encoded), np.uint32, int(lengths.sum()))
        starts = np.cumsum(lengths) - lengths
        parts = [starts + lengths]
        if plain:
            numbers = np.array(plain)
            owners, offsets, unclear = self.counted(
                [documents[n] for n in plain], ids, starts[numbers], lengths[numbers]
            )
            parts.append(starts[numbers[owners]] + offsets)
            ends |= {number: self.cut(documents[number])[1] for number in numbers[unclear].tolist()}
        parts += (starts[number] + np.array(found) for number, found in ends.items())
        breaks = np.unique(np.concatenate(parts))
        return ids, lengths, breaks[breaks > 0]

    def counted(
        self, texts: list[str], ids: Array, token_starts: Array, lengths: Array
    ) -> tuple[Array, Array, Array]:
        """By letters: for each sentence the number of its text and its end there, in tokens; then, which are unclear.

        A text is unclear, and left out, if its pieces spell more or fewer letters than it has: one is unknown, or
        stands for what is not written.
        """
        joined = "\n".join(texts)
        written = running(IS_LETTER[np.frombuffer(joined.encode(), np.uint8)])
        spelled = running(self.letters[ids])
        text_ends = np.cumsum([len(text) + 1 for text in texts]) - 1
        text_starts = np.concatenate([[0], text_ends[:-1] + 1])
        token_ends = token_starts + lengths
        clear = written[text_ends] - written[text_starts] == spelled[token_ends] - spelled[token_starts]
        places = np.fromiter((match.end() for match in SENTENCE_END.finditer(joined)), np.int64)
        owners = np.searchsorted(text_starts, places, side="right") - 1
        passed = written[places] - written[text_starts[owners]]
        kept = clear[owners] & (passed > 0)
        owners, passed = owners[kept], passed[kept]
        ends = np.searchsorted(spelled, spelled[token_starts[owners]] + passed, side="left")
        return owners, ends - token_starts[owners], np.flatnonzero(~clear)

    def cut(self, text: str) -> tuple[list[int], list[int]]:
        """The ids of a text, and where its sentences end in them; some may have no ids."""
        if not self.by_parts or self.tokenizer.added.found_in(text):
            # A special token in the text may take the white space beside it along.
            return by_places(self.tokenizer, text)
        ends = sentence_ends(text)
        ids = self.tokenizer.ordinary_ids(text[: ends[0]], 0)
        counts = [len(ids)]
        for start, end in pairwise(ends):
            ids += self.going_on.ordinary_ids(text[start:end], start)
            counts.append(len(ids))
        return ids, counts


def running(counts: Array) -> Array:
    """What the counts before each place add up to, and at last all of them: (n + 1,)."""
    sums = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=sums[1:])
    return sums


def by_places(tokenizer: Tokenizer, text: str) -> tuple[list[int], list[int]]:
    """Ids and ends of sentences by the places where pieces begin."""
    pieces = tokenizer.pieces(text)
    starts = np.maximum.accumulate([piece.start for piece in pieces]) if pieces else np.arange(0)
    inner = np.searchsorted(starts, sentence_ends(text)[:-1], side="left")
    return [piece.id for piece in pieces], [*inner.tolist(), len(pieces)]


def parts_at_white_space(tokenizer: Tokenizer) -> bool:
    """Whether text before white space never changes the pieces of text behind it, nor the other way round."""
    if isinstance(tokenizer, UnigramTokenizer):
        return tokenizer.style.marks.at_white_space
    if isinstance(tokenizer, ByteLevelBPETokenizer):
        return not tokenizer.steps
    return isinstance(tokenizer, WordPieceTokenizer)


def within_text(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer for text that goes on: one that puts a space before a text does not."""
    if not isinstance(tokenizer, ByteLevelBPETokenizer) or not tokenizer.add_prefix_space:
        return tokenizer
    going_on = copy(tokenizer)
    going_on.add_prefix_space = False
    return going_on


def letters(token: str, tokenizer: Tokenizer) -> int:
    """How many signs that are not white space a piece spells; 0 if it stands for something else."""
    if token in tokenizer.added:
        return 0
    if isinstance(tokenizer, ByteLevelBPETokenizer):
        return int(IS_LETTER[np.frombuffer(raw_bytes(token), np.uint8)].sum())
    return len(token.removeprefix(CONTINUATION).replace(MARK, ""))
