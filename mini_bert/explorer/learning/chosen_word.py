"""A loss needs a word to be told. Where a question names none, one is chosen, and the choice is said aloud."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from mini_bert.analysis.reading import Reading
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Question
from mini_bert.explorer.told import named, number_known
from mini_bert.inference.fill_mask import TELLS
from mini_bert.inference.reading import tokenizer_of

WORD_BEGINS = "▁Ġ"
"""By which pieces of Unigram and BPE say that a space stands before them."""


class Chosen(NamedTuple):
    """The question as it is asked here, and in `note` what was added to it; empty if nothing was."""

    question: Question
    note: str


def with_a_word_to_tell(desk: Desk, question: Question) -> Chosen:
    """A text with [MASK] and no target asks for the model's best guess; one with nothing hidden, for its last word.

    Changes of heads are set aside: the backward pass would take them for constants.
    """
    model = desk.model(question.model)
    if model.config.head != "words":
        raise ValueError(
            f"this model tells {TELLS[model.config.head]}, and no words whose loss could be followed; choose a model "
            "that fills in hidden words"
        )
    aside = "Changed heads are set aside here: these numbers are of the model as it was trained. "
    start = aside if question.edits else ""
    question = question.unedited
    if question.hidden or question.target:
        return Chosen(question, start.strip())
    if model.config.causal or tokenizer_of(model).roles.mask is None:
        return Chosen(question, f"{start}This model writes on: at every piece it is asked for the next one.")
    reading = desk.reading(question)
    if places := reading.masked:
        best = reading.passed.logits[0, :, : number_known(reading)].argmax(-1)
        guesses = {place: named(reading, int(best[place]))["token"] for place in places}
        told = ", ".join(f"“{guess}”" for guess in guesses.values())
        note = f"{start}No word was chosen for [MASK], so the model's own best guess is: {told}."
        return Chosen(question.model_copy(update={"target": guesses}), note)
    place = last_word(reading)
    note = (
        f"{start}No word is hidden yet, so “{reading.pieces[place]}” is. Click another to hide that instead."
    )
    return Chosen(question.model_copy(update={"hidden": (place,)}), note)


def last_word(reading: Reading) -> int:
    """The last piece that is a whole word, or else the last that is no special sign."""
    ordinary = np.flatnonzero(~reading.special).tolist()
    if not ordinary:
        raise ValueError("the text has no word that could be hidden; write one with words")
    words = reading.encoding.word_ids
    pieces = Counter(words)
    whole = [
        place
        for place in ordinary
        if pieces[words[place]] == 1 and reading.pieces[place].lstrip(WORD_BEGINS).isalpha()
    ]
    return (whole or ordinary)[-1]
