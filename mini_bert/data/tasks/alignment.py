"""Alignment: which pieces belong to which word of a text that is already split into words, as CoNLL files are.

    aligned = align(["I", "don't", "know"], tokenizer)
    aligned.ids                        # [CLS] i don ' t know [SEP]
    aligned.word_of_piece              # -1 0 1 1 1 2 -1
    aligned.spans.first, .last         # 1 2 5 and 1 4 5: first and last piece of each word
    aligned.spans.mean(states)         # (words, H) from states (T, H)
    token_labels(aligned, [3, 1, 2])   # labels (T,): the word's label on its first piece, IGNORED elsewhere

Words are joined by spaces and tokenized as a text, so that tokenizers that mark spaces see them. Each piece belongs to
the word in which it begins, and a space to the word behind it. A word that leaves no piece, such as an empty one or a
lone zero-width character, becomes the unknown token, so that every word has one; in a vocabulary that has none because
it can spell everything, as GPT-2's, it becomes the token that ends a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.errors import counted
from mini_bert.tokenizers.frame import FIRST
from mini_bert.tokenizers.tokenizer import Tokenizer

IGNORED = -100
FRAME = -1


@dataclass(frozen=True)
class WordSpans:
    """The first and the last piece of each word (W,), and ways to make one vector of its pieces' vectors.

    They point into states (T, H) of one sentence, or, `joined`, into the states (B·T, H) of a batch.
    """

    first: Array
    last: Array

    @classmethod
    def joined(cls, spans: Sequence[WordSpans], T: int) -> WordSpans:
        """The words of a batch, sentence after sentence, for states (B, T, H) reshaped to (B·T, H)."""
        first = [span.first + i * T for i, span in enumerate(spans)]
        last = [span.last + i * T for i, span in enumerate(spans)]
        return cls(np.concatenate(first), np.concatenate(last)) if spans else cls(*np.empty((2, 0), np.int64))

    @property
    def sizes(self) -> Array:
        """How many pieces each word has (W,)."""
        return self.last - self.first + 1

    @property
    def pieces(self) -> Array:
        """All pieces of all words, word after word (P,)."""
        sizes = self.sizes
        shifts: Array = np.repeat(self.first - self.starts, sizes)
        return shifts + np.arange(len(shifts))

    @property
    def starts(self) -> Array:
        """Where each word begins in `pieces` (W,): `np.add.reduceat(states[pieces], starts)` adds them up."""
        sizes = self.sizes
        return np.cumsum(sizes) - sizes

    def mean(self, states: Array) -> Array:
        """The mean of each word's pieces: (W, H) from (T, H). The first one alone is `states[spans.first]`."""
        if not len(self.first):
            return states[:0]
        sums: Array = np.add.reduceat(states[self.pieces], self.starts)
        sums *= (1 / self.sizes).astype(states.dtype)[:, None]
        return sums


@dataclass(frozen=True)
class AlignedWords:
    """A sentence as ids (T,) with its frame, segments (T,), the word of each piece (T,), and the pieces of each word.

    `words_cut` words at the end had no room; they have no span.
    """

    ids: Array
    type_ids: Array
    word_of_piece: Array
    spans: WordSpans
    words_cut: int

    def __len__(self) -> int:
        return len(self.ids)


def align(words: Sequence[str], tokenizer: Tokenizer, max_length: int | None = None) -> AlignedWords:
    """Encode words so that each knows its pieces; with `max_length`, as many whole words as there is room for."""
    pieces = pieces_of_words(words, tokenizer)
    ends = np.cumsum([len(ids) for ids in pieces], dtype=np.int64)
    kept = len(words)
    if max_length is not None:
        room = max_length - tokenizer.frame.size(False)
        if room < 0:
            raise ValueError(
                f"max_length={max_length}: the special tokens alone are {tokenizer.frame.size(False)}; choose more"
            )
        kept = int(np.searchsorted(ends, room, side="right"))
    sizes = np.diff(ends[:kept], prepend=0)
    ids: list[int] = []
    segments: list[int] = []
    before = 0
    for entry, segment in tokenizer.frame.template(False):
        if entry == FIRST:
            before = len(ids)
            added = [index for word in pieces[:kept] for index in word]
        else:
            added = [tokenizer.token_to_id[entry]]
        ids += added
        segments += [segment] * len(added)
    word_of_piece = np.full(len(ids), FRAME)
    word_of_piece[before : before + int(sizes.sum())] = np.repeat(np.arange(kept), sizes)
    last = before + ends[:kept] - 1
    spans = WordSpans(last - sizes + 1, last)
    return AlignedWords(np.array(ids), np.array(segments), word_of_piece, spans, len(words) - kept)


def pieces_of_words(words: Sequence[str], tokenizer: Tokenizer) -> list[list[int]]:
    """The ids of each word's pieces, at least one."""
    found: list[list[int]] = [[] for _ in words]
    ends = (
        np.cumsum([len(word) + 1 for word in words]) - 1
    )  # in the joined text; the space before is the word's own
    pieces = tokenizer.pieces(" ".join(words))
    starts = [piece.start for piece in pieces]
    owners = np.minimum(np.searchsorted(ends, starts, side="right"), len(words) - 1)
    for piece, owner in zip(pieces, owners.tolist(), strict=True):
        found[owner].append(piece.id)
    if not all(found):
        stand_in = tokenizer.roles.unk or tokenizer.roles.end
        if stand_in is None:
            lost = words[found.index([])]
            raise ValueError(
                f"word {lost!r} has no piece, and the vocabulary no unknown or end-of-text token; leave it out"
            )
        found = [ids or [tokenizer.token_to_id[stand_in]] for ids in found]
    return found


def token_labels(aligned: AlignedWords, labels: Sequence[int]) -> Array:
    """Labels (T,) for token classification: each word's on its first piece; IGNORED, of weight 0, elsewhere."""
    words = len(aligned.spans.first)
    if len(labels) != words + aligned.words_cut:
        raise ValueError(
            f"{counted(len(labels), 'label')} for {counted(words + aligned.words_cut, 'word')}; give one for each"
        )
    found = np.full(len(aligned), IGNORED)
    found[aligned.spans.first] = labels[:words]
    return found
