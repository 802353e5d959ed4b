"""Backward: the walk from the loss back to the embeddings, with the real gradient at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from mini_bert.analysis.gradient_flow import gradient_flow
from mini_bert.analysis.gradient_remarks import remarks
from mini_bert.analysis.reading import Reading
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.learning.chosen_word import with_a_word_to_tell
from mini_bert.explorer.learning.walk_back import shares_by_piece, walk_back
from mini_bert.explorer.question import Asked
from mini_bert.explorer.told import Told, named, number_known, told
from mini_bert.inference.reading import tokenizer_of

GUESSES = 8


class BackwardAsked(Asked):
    """`top` words of each place whose score is pushed or pulled most."""

    top: int = Field(12, ge=1, le=100)


def give_backward(desk: Desk, asked: BackwardAsked) -> dict[str, Any]:
    """The loss, the slope of every score behind it, and the walk back.

    `question` is the one that was asked in the end, with a word to tell; the tensors and cells of this walk are those
    of this question.
    """
    question, note = with_a_word_to_tell(desk, asked.question)
    reading = desk.reading(question)
    desk.go_on()
    flow = gradient_flow(reading.model, reading)
    found = told(reading, question)
    return {
        "question": question.model_dump(mode="json"),
        "note": note,
        "pieces": list(reading.pieces),
        "special": reading.special.tolist(),
        "loss": flow.loss,
        "asked": [
            asked_place(found, at, asked.top) for at in range(len(found.places)) if is_asked(found, at)
        ],
        "gradient_norm": flow.norm,
        "steps": walk_back(reading, flow),
        "shares": shares_by_piece(reading, flow),
        "remarks": remarks(flow),
        "verdict": list(flow.verdict),
        "passed_on": [{"layer": layer, "ratio": ratio} for layer, ratio in flow.passed_on.items()],
    }


def is_asked(found: Told, at: int) -> bool:
    """Whether the loss counts this place: a causal model's last piece, say, is followed by nothing."""
    return found.places[at] in set(found.reading.asked)


def asked_place(found: Told, at: int, top: int) -> dict[str, Any]:
    """A place of the loss: −ln p of its answer, and the first step back, w (p − [answer]), for the words it moves most.

    `rank` 0 is the best.
    """
    reading, place, answer = found.reading, found.places[at], found.answers[at]
    log_p = found.log_p[at]
    p, share = np.exp(log_p), 1 / len(reading.asked)
    slope = share * p
    slope[answer] -= share
    most = np.argsort(-np.abs(slope[: number_known(reading)]), kind="stable")[:top].tolist()
    shown = most if answer in most else [answer, *most[:-1]]
    return {
        "place": place,
        "piece": reading.pieces[place],
        "original": piece_before(reading, place),
        "answer": named(reading, answer),
        "why": found.why[at],
        "probability": float(p[answer]),
        "loss": -float(log_p[answer]),
        "rank": int((log_p > log_p[answer]).sum()),
        "guesses": found.best(GUESSES)[at],
        "words": [
            named(reading, word)
            | {
                "id": word,
                "probability": float(p[word]),
                "slope": float(slope[word]),
                "is_answer": word == answer,
            }
            for word in shown
        ],
        "others": int(len(p) - len(shown)),
        "others_slope": float(np.delete(slope, shown).sum()),
    }


def piece_before(reading: Reading, place: int) -> str:
    """The piece that stands there in the text, before it was hidden."""
    return tokenizer_of(reading.model).id_to_token[int(reading.encoding.ids[place])]


ANSWERS = (Answer("backward", BackwardAsked, give_backward),)
