"""The words of several sentences in the space of each layer: where they stand, and which are near."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from mini_bert.analysis.geometry import geometry_of_layers, layer_title
from mini_bert.analysis.neighbours import nearest_of_all
from mini_bert.analysis.words_read import words_in
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Asked

MOST_TEXTS = 20
MOST_WORDS = 400
"""More would be a cloud that nobody reads."""
NEAREST = 6


TWO_MEANINGS = (
    "She put her money in the bank.",
    "The bank lent him a thousand dollars.",
    "They sat on the bank of the river.",
    "Trees grew along the river bank.",
    "Please turn on the light.",
    "The light came through the window.",
    "The bag was very light.",
    "Flowers open in the spring.",
    "Water came from a spring in the hills.",
    "He hit the ball with a bat.",
    "A bat flew out of the dark cave.",
)


class RepresentationsAsked(Asked):
    """`texts` stand beside the question's own, which is always the first."""

    texts: Annotated[tuple[str, ...], Field(max_length=MOST_TEXTS)] = TWO_MEANINGS


def give_representations(desk: Desk, asked: RepresentationsAsked) -> Mapping[str, Any]:
    """Every word of the texts, without signs like full stops, which would keep a corner of each picture to themselves.

    Texts are read as they are written: hidden places and edits of heads do not count here.
    """
    texts = together(asked.question.text, asked.texts, desk.limits.text)
    read = words_in(desk.model(asked.question.model), texts)
    kept = [number for number, word in enumerate(read.words) if any(map(str.isalnum, word.spelled))]
    if len(kept) > MOST_WORDS:
        raise ValueError(
            f"texts: they have {len(kept)} words; take some out, so that there are {MOST_WORDS} or fewer"
        )
    if len(kept) < 2:
        raise ValueError("texts: one word alone has no place among others; write more words")
    desk.go_on()
    words, layers = [read.words[number] for number in kept], read.layers[:, kept]
    shape = geometry_of_layers(layers, [word.spelled for word in words], [word.text for word in words])
    near = nearest_of_all(layers, NEAREST)
    return {
        "texts": list(texts),
        "own": 0 if asked.question.text.strip() else None,
        "words": [
            {"spelled": word.spelled, "text": word.text, "first": word.first, "last": word.last}
            for word in words
        ],
        "layers": [layer_title(number) for number in range(len(layers))],
        "points": shape.scaled,
        "explained": shape.explained,
        "similarity": shape.similarity,
        "anisotropy": shape.anisotropy,
        "effective_dimension": shape.effective_dimension,
        "dimensions": layers.shape[-1],
        "nearest": near.numbers.astype(np.int32),
        "cosines": near.cosines,
    }


def together(own: str, others: tuple[str, ...], longest: int) -> tuple[str, ...]:
    """The present text and the others, each once, without those that are blank."""
    for number, text in enumerate(others):
        if len(text) > longest:
            raise ValueError(f"text {number}: {len(text)} letters; write {longest} or fewer")
    found = tuple(dict.fromkeys(" ".join(text.split()) for text in (own, *others) if text.strip()))
    if not found:
        raise ValueError("texts: there is no word yet; write a sentence")
    return found


ANSWERS = (Answer("representations", RepresentationsAsked, give_representations),)
