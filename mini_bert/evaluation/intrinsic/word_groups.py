"""Kinds of hidden words: by part of speech, by how often they occur, and by the place of a piece in its word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.intrinsic.exam_text import Tagged
from mini_bert.evaluation.intrinsic.questions import Questions
from mini_bert.tokenizers.encoding import Piece
from mini_bert.tokenizers.tokenizer import Tokenizer

BANDS = (0, 1, 10, 100, 1_000, 10_000)
"""Where bands of counts begin."""
WHOLE, FIRST, LATER = "whole words", "first pieces", "later pieces"
UNTAGGED = "other"


def by_part_of_speech(questions: Questions, tokenizer: Tokenizer) -> Array | None:
    """The part of speech of the word to which each hidden piece belongs (n,); None if the text has no labels."""
    tags, rows = questions.text.tags, questions.rows
    if tags is None or rows.cache.contents.empty_documents:
        return None
    documents, offsets = rows.places(0, len(questions.batch.ids))
    column = questions.place - len(rows.layout.before)
    document, offset = documents[questions.row, column], offsets[questions.row, column]
    found = np.full(len(questions), UNTAGGED, dtype=object)
    wanted = set(document.tolist())
    for number, text in enumerate(questions.text.corpus):
        if number not in wanted:
            continue
        pieces = tokenizer.pieces(text)
        assert len(pieces) == rows.cache.lengths[number], f"document {number} was cut otherwise"
        here = document == number
        found[here] = np.array(tags_of(pieces, tags(number)), dtype=object)[offset[here]]
    return found


def tags_of(pieces: Sequence[Piece], words: Sequence[Tagged]) -> list[str]:
    """The tag of each piece: of the word it begins in; a space belongs to the word behind it."""
    if not words:
        return [UNTAGGED] * len(pieces)
    owners = np.searchsorted([word.end for word in words], [piece.start for piece in pieces], side="right")
    return [words[owner].tag if owner < len(words) else UNTAGGED for owner in owners.tolist()]


def by_frequency(counts: Array) -> Array:
    """The number of the band (n,) of each count."""
    return np.searchsorted(BANDS, counts, side="right") - 1


def band_name(band: int) -> str:
    """
    >>> [band_name(band) for band in (0, 2, 5)]
    ['never', '10–99', '10,000 or more']
    """
    if band == 0:
        return "never"
    if band + 1 == len(BANDS):
        return f"{BANDS[band]:,} or more"
    return f"{BANDS[band]:,}–{BANDS[band + 1] - 1:,}"


def by_piece(questions: Questions, tokenizer: Tokenizer) -> Array:
    """Whether each hidden piece is a whole word, the first piece of one, or a later one (n,).

    A word that is cut by the end of its row counts as whole.
    """
    return pieces_told(questions.true_text, questions.row, questions.place, tokenizer)


def pieces_told(text: Array, row: Array, place: Array, tokenizer: Tokenizer) -> Array:
    """The same of pieces that stand in a row and a place (n,) of a text (B, T)."""
    starts = np.array(tokenizer.starts_word(), bool)
    starts[list(tokenizer.special_ids)] = True
    edged = np.pad(text, ((0, 0), (0, 1)), mode="edge")
    ends_here = starts[edged[row, place + 1]]
    last = place + 1 == text.shape[1]
    first = np.where(ends_here | last, WHOLE, FIRST)
    return np.where(starts[text[row, place]], first, LATER)
