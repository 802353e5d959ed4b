"""A question that was asked of one model, for another that may cut words otherwise."""

from __future__ import annotations

import numpy as np

from mini_bert.explorer.question import Question
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.encoding import Encoding
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer


def question_for(other: MiniBERT, question: Question, own: MiniBERT) -> Question:
    """The same text with the same letters hidden, without edits: heads of two models have nothing in common.

    A hidden piece is all pieces of the other model that share a letter with it, where they begin. A word that
    the other model cannot tell in one piece is not asked for.
    """
    first, second = tokenizer_of(own), tokenizer_of(other)
    if first is second or (first.token_to_id == second.token_to_id and first.roles == second.roles):
        return question.unedited
    theirs = places_of(question, first, second)
    hidden = tuple(
        sorted(
            {
                place
                for one in question.hidden
                for place in theirs.get(one, ())
                if place < other.config.max_seq_length
            }
        )
    )
    target = {
        theirs[place][0]: word
        for place, word in question.target.items()
        if theirs.get(place) and {word, word.lower()} & second.token_to_id.keys()
    }
    return Question(model=question.model, text=question.text, hidden=hidden, target=target)


def places_of(question: Question, first: Tokenizer, second: Tokenizer) -> dict[int, list[int]]:
    """For each place that is hidden or has a target, those of the other tokenizer."""
    ours, theirs = encoded(question.text, first), encoded(question.text, second)
    blanks = masks_in(ours, first), masks_in(theirs, second)
    found = dict(zip(*(list(each) for each in blanks), strict=False))
    places: dict[int, list[int]] = {one: [other] for one, other in found.items()}
    ours_at, theirs_at = (in_letters(*pair) for pair in ((ours, first), (theirs, second)))
    for place in {*question.hidden, *question.target} - places.keys():
        if place in ours_at:
            start, end = ours_at[place]
            places[place] = [at for at, (s, e) in theirs_at.items() if s < end and start < e]
    return places


def encoded(text: str, tokenizer: Tokenizer) -> Encoding:
    return tokenizer.encoding(text.replace(MASK, tokenizer.roles.mask or MASK))


def masks_in(encoding: Encoding, tokenizer: Tokenizer) -> list[int]:
    return np.flatnonzero(np.array(encoding.ids) == tokenizer.mask_id).tolist()


def in_letters(encoding: Encoding, tokenizer: Tokenizer) -> dict[int, tuple[int, int]]:
    """Where each piece stands in the text as it was written, in which every hidden word is [MASK]."""
    longer = len(tokenizer.roles.mask or MASK) - len(MASK)
    masks = [encoding.offsets[place][0] for place in masks_in(encoding, tokenizer)]
    found = {}
    for place, (start, end) in enumerate(encoding.offsets):
        if end > start:
            shift = longer * sum(one < start for one in masks)
            found[place] = (start - shift, end - shift)
    return found
