"""What a question asks a model to tell: at which places, which answers, and how probable each word is there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from mini_bert.analysis.logit_lens import best_of
from mini_bert.analysis.question import Question as AnalysedQuestion
from mini_bert.analysis.question import ask, class_names, of_two
from mini_bert.analysis.reading import Reading
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import log_softmax
from mini_bert.explorer.question import Question
from mini_bert.inference.fill_mask import word_of
from mini_bert.inference.reading import tokenizer_of

Why = Literal["hidden", "target", "best", "itself", "next", "class"]
"""The answer is the piece that was hidden, a word that was chosen, the model's own best, the piece that stands there,
the one that follows, or a class."""


@dataclass(frozen=True)
class Told:
    """`log_p` (k, C): of k places, the log-probability of each word or class, in float64."""

    reading: Reading
    places: tuple[int, ...]
    answers: tuple[int, ...]
    why: tuple[Why, ...]
    log_p: Array

    @cached_property
    def probability(self) -> Array:
        """Of the answers, (k,)"""
        found: Array = np.exp(self.log_p[np.arange(len(self.places)), list(self.answers)])
        return found

    @cached_property
    def rank(self) -> Array:
        """Of the answers, (k,): 0 is the best"""
        at = self.log_p[np.arange(len(self.places)), list(self.answers)]
        found: Array = (self.log_p > at[:, None]).sum(-1)
        return found

    @cached_property
    def entropy(self) -> Array:
        """−Σ p ln p          (k,), in nats"""
        found: Array = -(np.exp(self.log_p) * self.log_p).sum(-1)
        return found

    def best(self, top: int) -> list[list[dict[str, Any]]]:
        """For each place the most probable, the best first."""
        known = self.log_p[:, : number_known(self.reading)]
        numbers = best_of(known, min(top, known.shape[1]))
        return [
            [named(self.reading, int(n)) | {"probability": float(np.exp(row[n]))} for n in some]
            for row, some in zip(known, numbers, strict=True)
        ]

    def question(self) -> AnalysedQuestion:
        """The same for an analysis that asks again and again."""
        names = tuple(str(named(self.reading, one)["word"]) for one in self.answers)
        return AnalysedQuestion(self.places, self.answers, names, "log-probability")


def told(reading: Reading, question: Question, like: Told | None = None) -> Told:
    """What a reading tells, for the answers of the question; or for those of another reading of the same text."""
    if like is not None:
        places, answers, why = like.places, like.answers, like.why
    elif reading.model.config.head == "words":
        places, answers, why = asked_words(reading, question)
    else:
        asked = ask(reading)
        places, answers = asked.places, asked.answers
        why = tuple[Why, ...]("class" for _ in places)
    return Told(reading, places, answers, why, log_softmax(logits_at(reading, places).astype(np.float64)))


def asked_words(
    reading: Reading, question: Question
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Why, ...]]:
    """Places, ids and reasons. A text in which nothing is hidden is asked for all of its pieces."""
    ask(reading)  # refuses a model that answers nothing
    original = reading.encoding.ids
    T = len(original)
    asked: dict[int, tuple[int, Why]] = {}
    best = reading.passed.logits[0, :, : number_known(reading)].argmax(-1)
    if reading.model.config.causal:
        follows: list[tuple[int, Why]] = [(one, "next") for one in original[1:]]
        asked = dict(enumerate([*follows, (int(best[-1]), "best")]))
    else:
        asked = {place: (int(best[place]), "best") for place in reading.masked}
        asked |= {place: (original[place], "hidden") for place in question.hidden}
    asked |= {place: (int(reading.labels[place]), "target") for place in question.target}
    if not asked:
        asked = {place: (original[place], "itself") for place in range(T)}
    places = tuple(sorted(asked))
    return places, tuple(asked[one][0] for one in places), tuple(asked[one][1] for one in places)


def logits_at(reading: Reading, places: tuple[int, ...]) -> Array:
    """(k, C)"""
    logits, head = reading.passed.logits, reading.model.config.head
    if head == "classes":
        return logits
    at: Array = logits[0, list(places)]
    return of_two(at) if head == "replaced" else at


def number_known(reading: Reading) -> int:
    """Of the words that the vocabulary spells, or of the classes; logits may have more."""
    if reading.model.config.head == "words":
        return tokenizer_of(reading.model).vocab_size
    return len(class_names(reading.model))


def named(reading: Reading, number: int) -> dict[str, Any]:
    """A word as it stands in a text, and its piece as the vocabulary spells it; of a class its name."""
    if reading.model.config.head != "words":
        name = class_names(reading.model)[number]
        return {"word": name, "token": name}
    tokenizer = tokenizer_of(reading.model)
    return {"word": word_of(number, tokenizer), "token": tokenizer.id_to_token[number]}
