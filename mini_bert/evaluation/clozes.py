"""Clozes: passages with one word hidden, to watch a model guess."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Rows
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import Masking

SHORTEST_WORD, LONGEST_PASSAGE = 4, 40


class Cloze:
    """A passage for a reader and for a model: `text`, `ids` with the special tokens around, `place` of the mask."""

    def __init__(self, passage: Array, place: int, rows: Rows, tokenizer: Tokenizer) -> None:
        masked = passage.copy()
        masked[place] = Masking.of(tokenizer).mask_id
        self.answer = tokenizer.id_to_token[passage[place]]
        self.text = tokenizer.decode(masked.tolist())
        self.ids: Array = rows.layout.framed(masked[None])
        self.place = place + len(rows.layout.before)


def clozes(rows: Rows, tokenizer: Tokenizer, count: int, seed: int) -> list[Cloze]:
    """So many clozes from the documents of some rows, one from each, drawn by lot; fewer if there are not so many."""
    return list(islice(drawn(rows, tokenizer, np.random.default_rng(seed)), count))


def drawn(rows: Rows, tokenizer: Tokenizer, rng: np.random.Generator) -> Iterator[Cloze]:
    """A long word in a sentence of each document, behind the sentence before it if there is room for both."""
    starts_word = np.array([*tokenizer.starts_word(), True])
    is_long = np.array([token.isalpha() and len(token) >= SHORTEST_WORD for token in tokenizer.id_to_token])
    is_long[list(tokenizer.special_ids)] = False
    most = min(rows.room, LONGEST_PASSAGE)
    for document in rng.permutation(rows.documents).tolist():
        ids = rows.cache.document(document)
        ends = rows.cache.sentences(document).tolist()
        number = int(rng.integers(len(ends)))
        before, start, end = (0, 0, *ends)[number : number + 3]
        is_last_piece = starts_word[np.append(ids[start + 1 : end], -1)]
        words = start + np.flatnonzero(is_long[ids[start:end]] & starts_word[ids[start:end]] & is_last_piece)
        first = before if end - before <= most else start
        if len(words) and end - first <= most:
            yield Cloze(ids[first:end], int(rng.choice(words)) - first, rows, tokenizer)
