"""Learn: optimizer steps on one sentence, and what they do to the model.

The request tells every step, so that links carry them and pages do not disturb each other; see learning/bench.py.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from mini_bert.analysis.lessons import twin_of
from mini_bert.analysis.reading import Reading
from mini_bert.errors import unknown
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk, check_length
from mini_bert.explorer.learning.bench import TOP, Hand, Sight, State, Step, Walked, bench_of
from mini_bert.explorer.learning.changes import (
    OTHERS,
    WORD_TABLES,
    by_part,
    most_moved_rows,
    other_sentences,
    weight_changes,
    words_moved,
)
from mini_bert.explorer.learning.chosen_word import with_a_word_to_tell
from mini_bert.explorer.learning.optimizers import KINDS, OptimizerName
from mini_bert.explorer.mathml import mathml
from mini_bert.explorer.question import Asked, Question
from mini_bert.explorer.told import named, told
from mini_bert.explorer.views.backward import GUESSES, piece_before
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import dotted, short

MOST_STEPS = 100
ROWS = 40
RATES = tuple(np.geomspace(1e-5, 1.0, 9).tolist())


class LearnAsked(Asked):
    """`others` are sentences with a [MASK], to see what is unlearned; without any there are a few of our own."""

    steps: tuple[Step, ...] = Field((), max_length=MOST_STEPS)
    others: tuple[str, ...] = Field((), max_length=6)


class RatesAsked(Asked):
    """The loss after one more step of an optimizer, for each of some rates."""

    steps: tuple[Step, ...] = Field((), max_length=MOST_STEPS)
    optimizer: OptimizerName = "adamw"
    rates: tuple[Annotated[float, Field(gt=0, le=10)], ...] = Field(RATES, min_length=1, max_length=25)


class ChangeAsked(Asked):
    """How one weight has changed, by dotted or short name: the rows that moved most."""

    steps: tuple[Step, ...] = Field((), max_length=MOST_STEPS)
    name: str
    rows: int = Field(ROWS, ge=1, le=200)


def give_learn(desk: Desk, asked: LearnAsked) -> dict[str, Any]:
    for text in asked.others:
        check_length(text, desk.limits)
    question, note = with_a_word_to_tell(desk, asked.question)
    reading, model = desk.reading(question), desk.model(question.model)
    walked = bench_of(desk).walk(desk, question, asked.steps, sees_last=True)
    start = bench_of(desk).walk(desk, question, ()).last
    weights = weight_changes(model, walked)
    return {
        "question": question.model_dump(mode="json"),
        "note": note,
        "pieces": list(reading.pieces),
        "special": reading.special.tolist(),
        "asked": asked_places(reading, question),
        "optimizers": optimizers(),
        "taken": len(walked.steps),
        "burst": not walked.sights[-1].is_finite,
        "losses": [sight.loss for sight in walked.sights],
        "answer_p": np.array([sight.answer_p for sight in walked.sights]),
        "guesses": [best_words(sight, model) for sight in walked.sights],
        "words": words_then_and_now(start, walked, model),
        "weights": weights,
        "parts": by_part(weights),
        "moved_words": words_moved(model, walked),
        **unlearned(model, walked, asked.others),
    }


def asked_places(reading: Reading, question: Question) -> list[dict[str, Any]]:
    """Where a word is to be told, which, and which others the model would choose before any step."""
    found = told(reading, question)
    best = found.best(GUESSES)
    return [
        {
            "place": place,
            "original": piece_before(reading, place),
            "answer": named(reading, answer),
            "guesses": guesses,
        }
        for place, answer, guesses in zip(found.places, found.answers, best, strict=True)
        if place in set(reading.asked)
    ]


def optimizers() -> list[dict[str, Any]]:
    return [
        {"name": name, "mathml": mathml(kind.latex), "words": kind.words, "usual": kind.usual}
        for name, kind in KINDS.items()
    ]


def best_words(sight: Sight, model: MiniBERT) -> list[dict[str, Any]]:
    """The best word at each place asked for."""
    tokens = tokenizer_of(model).id_to_token
    return [
        {"word": tokens[int(best[0])] if best[0] < len(tokens) else "", "probability": float(p[0])}
        for best, p in zip(sight.best, sight.best_p, strict=True)
    ]


def words_then_and_now(start: State, walked: Walked, model: MiniBERT) -> list[list[dict[str, Any]]]:
    """For each place the words that are, or were, among the best, with p at the start and now."""
    tokens, first, last = tokenizer_of(model).id_to_token, walked.sights[0], walked.sights[-1]
    found = []
    for at in range(len(first.best)):
        chosen = dict.fromkeys([*last.best[at, : TOP - 2].tolist(), *first.best[at, : TOP // 2].tolist()])
        ordered = sorted(chosen, key=lambda word: -walked.last.probs[at, word])
        found.append(
            [
                {
                    "word": tokens[word],
                    "then": float(start.probs[at, word]),
                    "now": float(walked.last.probs[at, word]),
                }
                for word in ordered
                if word < len(tokens)
            ]
        )
    return found


def unlearned(model: MiniBERT, walked: Walked, texts: tuple[str, ...]) -> dict[str, Any]:
    """What the model says of other sentences now; `others_note` says why nothing can be said."""
    if not np.isfinite(walked.last.weights).all():
        return {"others": [], "others_note": "The weights are no numbers any more: it says nothing at all."}
    twin = model
    if walked.steps:
        twin = twin_of(model)
        twin.arena.flat[:] = walked.last.weights
    try:
        return {"others": other_sentences(model, twin, texts or OTHERS), "others_note": ""}
    except ValueError as refused:
        if texts:
            raise
        return {"others": [], "others_note": str(refused)}


def give_rates(desk: Desk, asked: RatesAsked) -> dict[str, Any]:
    """Loss(w − η u) for many η, where u is the direction in which this optimizer would go next."""
    question, _ = with_a_word_to_tell(desk, asked.question)
    walked = bench_of(desk).walk(desk, question, asked.steps)
    if not walked.sights[-1].is_finite:
        raise ValueError("the loss is no number any more, so there is no step to try; undo the last one")
    hand, state = Hand.at(desk, question), walked.last
    next_step = Step(optimizer=asked.optimizer, rate=1.0)
    direction = bench_of(desk).direction(hand, question, state, (*walked.steps, next_step))
    losses = []
    for rate in asked.rates:
        desk.go_on()
        losses.append(hand.loss_at(state, direction, rate))
    return {"rates": np.array(asked.rates), "losses": losses, "loss": walked.sights[-1].loss}


def give_change(desk: Desk, asked: ChangeAsked) -> dict[str, Any]:
    """`before`, `after` (rows, columns) of the rows that moved most, as the weight's short name shows them."""
    question, _ = with_a_word_to_tell(desk, asked.question)
    model = desk.model(question.model)
    name = dotted(asked.name)
    if name not in model.arena:
        raise ValueError(unknown("weight", asked.name, [*map(short, model.arena), *model.arena]))
    walked = bench_of(desk).walk(desk, question, asked.steps)
    rows, before, after = most_moved_rows(model.arena, name, walked.last.weights, asked.rows)
    tokens = tokenizer_of(model).id_to_token
    labels = [tokens[row] if row < len(tokens) else str(row) for row in rows] if name in WORD_TABLES else None
    return {
        "name": short(name),
        "dotted": name,
        "rows": rows,
        "labels": labels,
        "before": before,
        "after": after,
        "difference": after - before,
    }


ANSWERS = (
    Answer("learn", LearnAsked, give_learn),
    Answer("rates", RatesAsked, give_rates),
    Answer("change", ChangeAsked, give_change),
)
