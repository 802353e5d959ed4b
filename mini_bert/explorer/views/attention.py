"""Attention: where every head looks, what changes in the answer if heads are edited, and which head it misses most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from mini_bert.analysis.attention import AttentionWeights, attention
from mini_bert.analysis.question import Question as AnalysedQuestion
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.removal import By, removals
from mini_bert.analysis.rollout import rollout
from mini_bert.analysis.variants import Changes, told_after
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Asked
from mini_bert.explorer.told import Told, named, told

STRONGEST = 5


class AttentionAsked(Asked):
    """Nothing more than the question."""


class EffectAsked(Asked):
    """`top` words before and after the edits of the question."""

    top: int = Field(5, ge=1, le=50)


class HeadsOffAsked(Asked):
    """What a head writes while it is off: zeros, or its mean over the text."""

    by: By = "zero"


def give_attention(desk: Desk, asked: AttentionAsked) -> dict[str, Any]:
    """Weights (L, A, T, T), entropies in nats (L, A, T) and relative to the most there can be (L, A), and what each
    head looks at in this text; `rollout` (L, T, T): of what pieces each state is made."""
    reading = desk.reading(asked.question)
    found = attention(reading)
    return {
        "pieces": list(found.pieces),
        "special": reading.special.tolist(),
        "causal": found.causal,
        "weights": found.weights,
        "entropy": found.entropy,
        "most": found.most,
        "relative_entropy": found.relative_entropy,
        "heads": [
            [head_summary(found, layer, head) for head in range(found.weights.shape[1])]
            for layer in range(len(found.weights))
        ],
        "targets": list(found.targets),
        "shares": found.looks.shares,
        "even": found.looks.baseline,
        "rollout": rollout(reading).layers,
    }


def head_summary(found: AttentionWeights, layer: int, head: int) -> dict[str, Any]:
    return {
        **found.summary(layer, head)._asdict(),
        "strongest": [pair._asdict() for pair in found.strongest(layer, head, STRONGEST)],
    }


def give_effect(desk: Desk, asked: EffectAsked) -> dict[str, Any]:
    """For each place that is asked: the best words before and after the edits, and the answer's probability."""
    plain = asked.question.unedited
    before = told(desk.reading(plain), plain)
    after = told(desk.reading(asked.question), asked.question, like=before)
    best_before, best_after = before.best(asked.top), after.best(asked.top)
    return {
        "pieces": list(before.reading.pieces),
        "places": [
            {
                "place": place,
                "why": before.why[i],
                "answer": named(before.reading, before.answers[i]),
                "before": side(before, i, best_before[i]),
                "after": side(after, i, best_after[i]),
            }
            for i, place in enumerate(before.places)
        ],
    }


def side(found: Told, i: int, words: list[dict[str, Any]]) -> dict[str, Any]:
    return {"probability": float(found.probability[i]), "rank": int(found.rank[i]), "words": words}


def give_heads_off(desk: Desk, asked: HeadsOffAsked) -> dict[str, Any]:
    """Each head switched off in turn, beside the edits that are there: the probability (L, A, k) of each answer.

    The answers are those of the model without edits, `whole` (k,) their probability with the edits alone.
    """
    plain = asked.question.unedited
    answers = told(desk.reading(plain), plain)
    reading = desk.reading(asked.question)
    question = answers.question()
    A = reading.model.config.num_heads
    changes = [one.changes for one in removals([reading], asked.by, ["head"])]
    without = [
        at_answers(reading, question, changes[first : first + A], desk)
        for first in range(
            0, len(changes), A
        )  # a layer at a time: all at once is much, of a large vocabulary
    ]
    return {
        "pieces": list(reading.pieces),
        "by": asked.by,
        "places": list(question.places),
        "answers": [named(reading, one) for one in question.answers],
        "whole": at_answers(reading, question, [{}], desk)[0],
        "without": np.stack(without),
    }


def at_answers(reading: Reading, question: AnalysedQuestion, changes: Sequence[Changes], desk: Desk) -> Array:
    """The probability of each answer after each change, (N, k)"""
    logits = told_after(reading, question, changes, go_on=desk.go_on)
    return np.exp(question.at_answers(log_softmax(logits)))


ANSWERS = (
    Answer("attention", AttentionAsked, give_attention),
    Answer("effect", EffectAsked, give_effect),
    Answer("heads-off", HeadsOffAsked, give_heads_off),
)
